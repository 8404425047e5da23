"""Where in the program each compile started: the stacks of all compiles as one tree, a frame each once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from compilescope.analysis import ours
from compilescope.analysis.frames import plain_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Event, Recording

CompileStatus = Literal["ok", "graph-break", "restarted", "empty", "skipped", "failed", "running"]
_BREAKS = {"graph-break", "graph-break-error", "frame-skipped"}
_WITHOUT_COMPILE = ("chromium_event", "str", "torch_version")
_MOST_OTHERS = 20_000
_DEEPEST = 24


@dataclass(frozen=True)
class StackLine:
    """A frame. `line` counts from 1."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class CompileStack:
    """What led to a compile, outermost first, and how it ended. `status`: the worst that there is to say."""

    compile_id: str
    status: CompileStatus
    frames: list[StackLine]


@dataclass
class TrieNode:
    """A frame with what was called from it; `compiles`: those that are of this very frame."""

    frame: StackLine | None = None
    compiles: list[CompileStack] = field(default_factory=list)
    children: list[TrieNode] = field(default_factory=list)


def compile_stacks(recording: Recording, context: Context, result: Result) -> list[CompileStack]:
    """Return one for each compile that torch noted the stack of, in the order in which they started."""
    statuses = _statuses(result)
    found: dict[str, CompileStack] = {}
    for event in recording.events("dynamo_start"):
        name = context.name(context.compiles.where(event))
        frames = _frames(recording, event)
        if frames and name not in found:
            found[name] = CompileStack(name, statuses.get(name, "running"), frames)
    return list(found.values())


def other_stacks(recording: Recording) -> list[tuple[str, list[StackLine]]]:
    """Return the stacks of events without a compile (an export, sizes that were made there) with the first's name."""
    names = [
        name for name in recording.counts() if name not in _WITHOUT_COMPILE and not name.startswith("compilescope")
    ]
    found: dict[tuple[StackLine, ...], str] = {}
    if names:
        for number, event in enumerate(one for one in recording.events(*names) if one.compile_id is None):
            if number >= _MOST_OTHERS:
                break
            if frames := _frames(recording, event):
                found.setdefault(tuple(frames), event.name)
    return [(name, list(frames)) for frames, name in found.items()]


def trie(stacks: Iterable[CompileStack]) -> TrieNode:
    """Return a root without a frame, below which each beginning that several stacks share stands once."""
    root = TrieNode()
    for one in stacks:
        node = root
        for frame in one.frames:
            child = next((each for each in node.children if each.frame == frame), None)
            if child is None:
                child = TrieNode(frame)
                node.children.append(child)
            node = child
        node.compiles.append(one)
    return root


def walk(root: TrieNode) -> Iterator[tuple[str, TrieNode]]:
    """Yield the nodes with what stands before them: where stacks part a dash for each, and spaces below it."""
    waiting = [(0, len(root.children) > 1, child) for child in reversed(root.children)]
    while waiting:
        depth, parted, node = waiting.pop()
        yield "  " * min(depth, _DEEPEST) + ("- " if parted else ""), node
        several = len(node.children) > 1
        waiting += [(depth + parted, several, child) for child in reversed(node.children)]


def _statuses(result: Result) -> dict[str, CompileStatus]:
    broken = {id_ for one in result.findings if one.rule in _BREAKS for id_ in one.compile_ids}
    restarted = {one.compile_id for one in result.restarts if one.kind == "restart"}
    found: dict[str, CompileStatus] = {}
    for one in result.compiles:
        if one.status != "ok":
            found[one.id] = one.status
        elif one.id in broken:
            found[one.id] = "graph-break"
        elif one.id in restarted:
            found[one.id] = "restarted"
        else:
            found[one.id] = "ok" if one.graph.get("nodes") else "empty"
    return found


def _frames(recording: Recording, event: Event) -> list[StackLine]:
    return [
        StackLine(str(one["file"]), line, plain_function(ours.text(one["function"]) or ""))
        for one in recording.stack(event)
        if (line := ours.line_number(one["line"])) is not None
    ]
