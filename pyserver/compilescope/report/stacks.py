"""The stacks of all compiles as a tree, for a terminal and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis.stack_trie import trie, walk
from compilescope.report.clean import clean
from compilescope.report.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.stack_trie import CompileStack, StackLine, TrieNode
    from compilescope.report.style import Role, Style

WORDS = {
    "graph-break": "graph break",
    "empty": "no graph",
    "skipped": "runs in eager",
    "running": "not finished",
}
_ROLES: dict[str, Role] = {
    "failed": "error",
    "running": "error",
    "graph-break": "warning",
    "skipped": "warning",
    "restarted": "information",
}


def tree(stacks: list[CompileStack], others: list[tuple[str, list[StackLine]]], style: Style) -> Iterator[str]:
    """Yield the lines: each frame once, deeper where stacks part, with the compiles that are of it."""
    yield style.paint("strong", f"{counted(len(stacks), 'compile')}, each at the frame that it is of")
    for before, node in walk(trie(stacks)):
        yield f"{before}{_ids(node, style)}{_frame(node.frame, style)}"
    if others:
        yield ""
        yield style.paint("strong", f"{counted(len(others), 'stack')} of events without a compile")
    for name, frames in others:
        yield clean(name)
        yield from (f"  {_frame(frame, style)}" for frame in frames)


def as_json(stacks: list[CompileStack], others: list[tuple[str, list[StackLine]]]) -> dict[str, Any]:
    """The same as plain values: `compiles`, and `others` by the name of their first event."""
    return {
        "compiles": [asdict(one) for one in stacks],
        "others": [{"event": name, "frames": [asdict(frame) for frame in frames]} for name, frames in others],
    }


def _ids(node: TrieNode, style: Style) -> str:
    said = []
    for one in node.compiles:
        word = WORDS.get(one.status, one.status)
        said.append(style.paint(_ROLES.get(one.status, "strong"), clean(f"[{one.compile_id} {word}]")))
    return f"{' '.join(said)} " if said else ""


def _frame(frame: StackLine | None, style: Style) -> str:
    return "" if frame is None else clean(f"{style.place(frame.file, frame.line)} in {frame.function}")
