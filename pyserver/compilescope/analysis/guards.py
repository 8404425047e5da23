"""The guards of a compile as the tree in which torch checks them, read on demand from a recording.

The tree is in torch's own event `dynamo_cpp_guards_str` (torch/_dynamo/guards.py, 2.6 to 2.14), so foreign TORCH_TRACE
logs have it too. Our `compilescope_guards` adds the exact place that made each guard necessary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours, torch_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled, Frame
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
    place: Frame | None = None


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

    where: Compiled
    root: Guarded
    latency_us: float | None = None
    count: int = 0
    size: int = 0
    """Lines of the tree: its values and its checks."""


def trees(recording: Recording, context: Context, compile_id: str | None = None) -> Iterator[GuardTree]:
    """Yield the guards of each compile, or of those with torch's id `compile_id`, in order."""
    places = {context.compiles.where(event): event for event in recording.events("compilescope_guards")}
    for event in recording.events(TREES, compile_id=compile_id):
        where = context.compiles.where(event)
        own = places.get(where)
        yield _read(recording.payload(event), where, context, _Places.of(recording, own) if own else _Places())


def words(source: str) -> str:
    """Return torch's source in the program's names: `L['self']._modules['0'].weight` is `self[0].weight`."""
    found = _IMPORTED.sub(lambda match: match[1].replace("_dot_", "."), _BUILTIN.sub(r"\1", source))
    return _SIZE.sub(r".shape[\1]", _NUMBERED.sub(r"[\1]", _OWN.sub(r".\1", torch_text.user_names(found))))


class _Places:
    """The exact places of guards, by what is guarded."""

    def __init__(self) -> None:
        self._by_code: dict[str, Frame] = {}
        self._by_kind: dict[tuple[str, str], Frame] = {}
        self._by_name: dict[str, Frame] = {}

    @classmethod
    def of(cls, recording: Recording, event: Event) -> _Places:
        made = cls()
        guards = ours.mapping(recording.json(event)).get("guards")
        for guard in ours.items(guards):
            place = ours.frame(ours.mapping(guard).get("frame"))
            if place is None:
                continue
            name, kind = ours.text(guard.get("name")), ours.text(guard.get("kind"))
            for code in ours.strings(guard.get("code")):
                made._by_code.setdefault(code, place)
            if name:
                made._by_kind.setdefault((name, kind or ""), place)
                made._by_name.setdefault(name, place)
        return made

    def find(self, source: str, kind: str, code: str) -> Frame | None:
        """Return the place of a check, by its code, else by what it checks."""
        own = self._by_code.get(code[:_LONGEST]) or self._by_kind.get((source, kind)) or self._by_name.get(source)
        return own or self._by_name.get(source.removesuffix(".__dict__"))


def _read(text: str, where: Compiled, context: Context, places: _Places) -> GuardTree:
    tree = GuardTree(where, Guarded("", ""))
    above: list[Any] = [tree.root]
    depth = 0
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
        owner: Guarded = above[min(depth, len(above)) - 1] if depth else tree.root
        if manager := _MANAGER.match(said):
            child = Guarded(
                manager["source"],
                words(manager["source"]),
                manager["accessor"] or manager["role"],
                _type(manager["type"]),
            )
            owner.children.append(child)
            tree.size += 1
            _open(above, depth, child)
        elif leaf := _LEAF.match(said):
            owner.guards.append(_guard(leaf, owner, context, places))
            tree.count += 1
            tree.size += 1
        else:  # a pair of a dictionary: its key and value hang on the dictionary
            _open(above, depth, owner)
    return tree


def _open(above: list[Any], depth: int, value: Guarded) -> None:
    """Make `value` the owner of the lines that are one level deeper than `depth`."""
    del above[depth:]
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


def _guard(leaf: re.Match[str], owner: Guarded, context: Context, places: _Places) -> Guard:
    kind, said = leaf["kind"], leaf["code"] or ""
    code = torch_text.guard_part(said)
    place = places.find(owner.source, kind, code)
    if place is None:
        place = next(reversed(torch_text.comment_places(said, context.sources)), None)
    return Guard(kind, words(code)[:_LONGEST], place)


def _type(text: str) -> str:
    match = _TYPE.match(text)
    return match[1] if match else text
