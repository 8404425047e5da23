"""The guards of a compile as the tree in which torch checks them, read on demand from a recording.

The tree is in torch's own event `dynamo_cpp_guards_str` (torch/_dynamo/guards.py, 2.6 to 2.14), so foreign TORCH_TRACE
logs have it too. Our `compilescope_guards` adds the exact place that made each guard necessary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours, torch_text
from compilescope.analysis.model import Place
from compilescope.analysis.once import Once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.recording.reader import Event, Recording

TREES = "dynamo_cpp_guards_str"
_DEEPEST = 60
_LONGEST = 400
_LINE = re.compile(r"^((?:\| )*)\+- (.*)$")
_MANAGER = re.compile(
    r"^(?:(?P<role>Key|Value)Manager: )?\w*GuardManager: source=(?P<source>.*?)"
    r"(?:, accessed_by=(?P<accessor>\w*).*?)?, type=(?P<type><.*?>)(?:, tag_safe=\(\w+, \w+\))?$"
)
_LEAF = re.compile(r"^(?P<kind>[A-Z][A-Z0-9_]+)(?:: (?P<code>.*))?$", re.DOTALL)
_LATENCY = re.compile(r"^Guard latency = (\d+(?:\.\d+)?) us$")
_TYPE = re.compile(r"^<(?:class|enum) '(.*)'>$")
_BUILTIN = re.compile(r"G\['__builtins_dict___\d+'\]\['(\w+)'\]")
_IMPORTED = re.compile(r"G\['__import_(\w+)'\]")
_OWN = re.compile(r"\.__dict__\['([A-Za-z_]\w*)'\]")
_NUMBERED = re.compile(r"\._(?:modules|parameters|buffers)\['(\d+)'\]")
_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")


@dataclass(frozen=True)
class Guard:
    """One check. `kind` is torch's; `code` in the program's names, empty where torch names none."""

    kind: str
    code: str
    place: Place | None = None


@dataclass
class Guarded:
    """A value that is looked at, with the checks on it and what is reached through it.

    `source` is torch's expression, `expression` the program's, `accessor` torch's name of how it is reached from the
    value above, `type` the value's.
    """

    source: str
    expression: str
    accessor: str | None = None
    type: str | None = None
    guards: list[Guard] = field(default_factory=list)
    children: list[Guarded] = field(default_factory=list)


@dataclass
class GuardTree:
    """What one compile is checked for at each call. `latency_us`: one look-up with a cold cache, as torch timed it."""

    compile_id: str
    root: Guarded
    latency_us: float | None = None
    count: int = 0
    size: int = 0
    """Lines of the tree: its values and its checks."""


class Trees:
    """The guards of every compile, each read when they are first asked for, while the recording is open.

    Their guards have no places: what a fix depends on is what was checked.
    """

    def __init__(self, recording: Recording | None = None, context: Context | None = None) -> None:
        self._recording, self._context = recording, context
        self._read: dict[str, list[GuardTree]] = {}

    def of(self, compile_ids: Iterable[str]) -> list[GuardTree]:
        """Return the guards of the compiles with these ids."""
        return [tree for one in compile_ids for tree in self._of(one)]

    @cached_property
    def _events(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        if self._recording is not None and self._context is not None:
            for event in self._recording.events(TREES):
                found.setdefault(self._context.name(self._context.compiles.where(event)), []).append(event)
        return found

    def _of(self, compile_id: str) -> list[GuardTree]:
        recording = self._recording
        if compile_id not in self._read and recording is not None:
            texts = map(recording.payload, self._events.get(compile_id, ()))
            self._read[compile_id] = [_read(one, GuardTree(compile_id, Guarded("", ""))) for one in texts]
        return self._read.get(compile_id, [])


def first_trees(recording: Recording, context: Context, most: int = 2000) -> list[GuardTree]:
    """Return the guards of the first compiles, as many as have `most` lines together."""
    found: list[GuardTree] = []
    for tree in trees(recording, context):
        most -= tree.size
        if most < 0:
            break
        found.append(tree)
    return found


def trees(recording: Recording, context: Context, compile_id: str | None = None) -> Iterator[GuardTree]:
    """Yield the guards of each compile, or of those with torch's id `compile_id`, in order."""
    exact = {context.compiles.where(event): event for event in recording.events("compilescope_guards")}

    def read(event: Event, name: str, own: Event | None) -> GuardTree:
        return _read(recording.payload(event), GuardTree(name, Guarded("", "")), _Places(context, recording, own))

    foreign = Once(recording, lambda event: read(event, "", None), most=8)
    for event in recording.events(TREES, compile_id=compile_id):
        where = context.compiles.where(event)
        name, own = context.name(where), exact.get(where)
        tree = foreign.of(event) if own is None else None
        yield read(event, name, own) if tree is None else replace(tree, compile_id=name)


def each_guard(root: Guarded) -> Iterator[Guard]:
    """Yield the guards on a value and on what is reached through it, in the order in which torch wrote them."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        yield from one.guards
        waiting += reversed(one.children)


@lru_cache(maxsize=2048)
def words(source: str) -> str:
    """Return torch's source in the program's names: `L['self']._modules['0'].weight` is `self[0].weight`."""
    found = _IMPORTED.sub(lambda match: match[1].replace("_dot_", "."), _BUILTIN.sub(r"\1", source))
    return _SIZE.sub(r".shape[\1]", _NUMBERED.sub(r"[\1]", _OWN.sub(r".\1", torch_text.user_names(found))))


class _Places:
    """The exact places of one compile's guards, by what is guarded."""

    def __init__(self, context: Context, recording: Recording, event: Event | None) -> None:
        self._context = context
        self._made: dict[Frame, Place] = {}
        self._by_code: dict[str, Frame] = {}
        self._by_kind: dict[tuple[str, str], Frame] = {}
        self._by_name: dict[str, Frame] = {}
        guards = None if event is None else ours.mapping(recording.json(event)).get("guards")
        for guard in map(ours.mapping, ours.items(guards)):
            frame = ours.frame(guard.get("frame"))
            if frame is not None:
                self._take(guard, frame)

    def _take(self, guard: dict[str, Any], frame: Frame) -> None:
        name, kind = ours.text(guard.get("name")), ours.text(guard.get("kind"))
        for code in ours.strings(guard.get("code")):
            self._by_code.setdefault(code, frame)
        if name:
            self._by_kind.setdefault((name, kind or ""), frame)
            self._by_name.setdefault(name, frame)

    def find(self, source: str, kind: str, code: str, said: str) -> Place | None:
        """Return the place of a check, by its code, by what it checks, else as its comment `said` gives it."""
        frame = self._by_code.get(code[:_LONGEST]) or self._by_kind.get((source, kind)) or self._by_name.get(source)
        frame = frame or self._by_name.get(source.removesuffix(".__dict__"))
        frame = frame or next(reversed(torch_text.comment_places(said, self._context.sources)), None)
        if frame is None:
            return None
        if frame not in self._made:
            self._made[frame] = Place(frame.file, self._context.ranges.of(frame))
        return self._made[frame]


def _read(text: str, tree: GuardTree, places: _Places | None = None) -> GuardTree:
    above: list[Guarded] = [tree.root]
    for line in _lines(text):
        if timed := _LATENCY.match(line):
            tree.latency_us = float(timed[1])
            continue
        match = _LINE.match(line)
        if match is None:
            continue
        depth, said = len(match[1]) // 2, match[2]
        if depth >= _DEEPEST or said == "RootGuardManager":
            continue
        owner = above[min(depth, len(above)) - 1] if depth else tree.root
        if manager := _MANAGER.match(said):
            source, accessor = manager["source"], manager["accessor"] or manager["role"]
            child = Guarded(source, words(source), accessor, _type(manager["type"]))
            owner.children.append(child)
            tree.size += 1
            _open(above, depth, child)
        elif leaf := _LEAF.match(said):
            owner.guards.append(_guard(leaf, owner, places))
            tree.count += 1
            tree.size += 1
        else:  # a pair of a dictionary: its key and value hang on the dictionary
            _open(above, depth, owner)
    return tree


def _open(above: list[Guarded], depth: int, value: Guarded) -> None:
    """Make `value` the owner of the lines that are one level deeper than `depth`."""
    del above[max(depth, 1) :]
    above += [above[-1]] * (depth - len(above))
    above.append(value)


def _lines(text: str) -> Iterator[str]:
    """Yield the tree's lines, those that go on without a mark joined to the one before."""
    whole: str | None = None
    for line in text.split("\n"):
        if _LINE.match(line) or _LATENCY.match(line):
            if whole is not None:
                yield whole
            whole = line
        elif whole is not None and line.strip():
            whole += " " + line.strip()
    if whole is not None:
        yield whole


def _guard(leaf: re.Match[str], owner: Guarded, places: _Places | None) -> Guard:
    kind, said = leaf["kind"], leaf["code"] or ""
    code = torch_text.guard_part(said)
    place = None if places is None else places.find(owner.source, kind, code, said)
    return Guard(kind, words(code)[:_LONGEST], place)


def _type(text: str) -> str:
    match = _TYPE.match(text)
    return match[1] if match else text
