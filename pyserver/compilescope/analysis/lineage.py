"""Which nodes of the graph before a step each node after it came from, and so which of Dynamo's in the end.

What it rests on is in docs/recording.md, under Lineage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.analysis.snapshots import Node
    from compilescope.recording.reader import Recording

Origins = dict[str, tuple[str, ...]]
"""By the name of a node after: the names of those before, in the order of their graph."""

_ARGUMENT = re.compile(r"%(\w+)")
_INPUT = re.compile(r"^args\[(\d{1,6})\]$")
_TANGENT = re.compile(r"^__output_tangent\(output\[(\d{1,6})\]\)$")


@dataclass(frozen=True)
class Step:
    """What led from one recorded graph to another; `created` has, by each node that a match made, the nodes matched."""

    name: str
    before: str
    after: str
    created: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Lineage:
    """The lineage of a recording's graphs. `nodes` gives the nodes of a snapshot, None for one that is not there."""

    def __init__(self, recording: Recording, nodes: Callable[[str], list[Node] | None]) -> None:
        self._nodes = nodes
        self._steps: dict[str, Step] = {}
        self._origins: dict[str, tuple[str, Origins] | None] = {}
        for event in recording.events("compilescope_pass"):
            data = ours.mapping(recording.json(event))
            before, after = ours.text(data.get("before")), ours.text(data.get("after"))
            if before and after and before != after:
                step = Step(ours.text(data.get("name")) or "", before, after, _created(data))
                self._steps.setdefault(after, step)

    def step(self, snapshot: str) -> tuple[str, Origins] | None:
        """Return the graph that a recorded graph was made from, and its nodes' origins there; None for Dynamo's own."""
        if snapshot not in self._origins:
            self._origins[snapshot] = self._step(snapshot)
        return self._origins[snapshot]

    def before(self, snapshot: str) -> str | None:
        """Return the graph that a recorded graph was made from; None for Dynamo's own."""
        step = self._steps.get(snapshot)
        return step.before if step else None

    def is_fused(self, snapshot: str) -> bool:
        """Whether a graph is what the scheduler's fusion came to."""
        step = self._steps.get(snapshot)
        return step is not None and step.name == "fusion"

    def between(self, before: str, after: str) -> Origins | None:
        """Return the origins of the nodes of one graph in another that it was made from; None where it was not."""
        found: Origins | None = None
        seen: set[str] = set()
        while after != before:
            at = None if after in seen else self.step(after)
            if at is None:
                return None
            seen.add(after)
            found = at[1] if found is None else _composed(found, at[1])
            after = at[0]
        return found

    def _step(self, snapshot: str) -> tuple[str, Origins] | None:
        step = self._steps.get(snapshot)
        before, after = self._nodes(step.before) if step else None, self._nodes(snapshot)
        if step is None or before is None or after is None:
            return None
        return step.before, origins(step, before, after)

    def first(self, snapshot: str) -> tuple[str, Origins] | None:
        """Return the first graph of a recorded graph's chain (Dynamo's), and its nodes' origins there."""
        found: Origins | None = None
        seen = {snapshot}
        while (at := self.step(snapshot)) is not None and at[0] not in seen:
            snapshot = at[0]
            found = at[1] if found is None else _composed(found, at[1])
            seen.add(snapshot)
        return None if found is None else (snapshot, found)


def origins(step: Step, before: list[Node], after: list[Node]) -> Origins:
    """Return where the nodes after a step came from."""
    if step.name == "aot_trace":
        return _traced(before, after)
    if step.name == "lowering":
        return _kept(before, {node.name: node.origins for node in after})
    if step.name == "fusion":
        return _kept(before, {node.name: node.parts or (node.name,) for node in after})
    if step.name == "partition":
        return _kept(before, {node.name: (node.name,) for node in after})
    return _edited(step, before, after)


def _traced(before: list[Node], after: list[Node]) -> Origins:
    """AOTAutograd says which node a forward node was made from; a backward node has the number of a forward node."""
    inputs = [node.name for node in before if node.op == "placeholder"]
    results = [before[place].name for node in before if node.op == "output" for place in node.inputs]
    of_number: dict[int, dict[str, None]] = {}
    for node in after:
        if node.seq is not None and node.origins:
            of_number.setdefault(node.seq, {}).update(dict.fromkeys(node.origins))
    found: Origins = {}
    for node in after:
        if node.origins:
            found[node.name] = node.origins
        elif node.op == "output":
            found[node.name] = tuple(each.name for each in before if each.op == "output")
        elif node.input:
            found[node.name] = _at(inputs, _INPUT.match(node.input)) or _at(results, _TANGENT.match(node.input))
        elif node.seq is not None:
            found[node.name] = tuple(of_number.get(node.seq, ()))
    return _kept(before, found)


def _edited(step: Step, before: list[Node], after: list[Node]) -> Origins:
    """A pass keeps nodes; a new one has the place of an old one in what uses it, or was made for a match."""
    was = {node.name: node for node in before}
    found: Origins = {node.name: (node.name,) for node in after if node.name in was}
    new = {node.name: node for node in after if node.name not in was}
    for node in after:
        old = was.get(node.name)
        used_now = _ARGUMENT.findall(node.args)
        used_then = _ARGUMENT.findall(old.args) if old is not None and old.target == node.target else []
        if len(used_now) == len(used_then):
            for now, then in zip(used_now, used_then, strict=True):
                if now in new and then not in found.get(now, ()) and then in was:
                    found[now] = (*found.get(now, ()), then)
    for name in new:
        matched = _before_matches(step, name, was)
        if matched:
            found[name] = matched
    for node in reversed(after):  # what only feeds new nodes has their origin
        if node.name in new and node.name in found:
            for place in node.inputs:
                found.setdefault(after[place].name, found[node.name])
    return _kept(before, found)


def _before_matches(step: Step, name: str, was: dict[str, Node]) -> tuple[str, ...]:
    """The nodes before the pass that a new node was made from, through the matches of the pass."""
    waiting, seen, names = [name], {name}, []
    while waiting:
        for each in step.created.get(waiting.pop(), ()):
            if each in was:
                names.append(each)
            elif each not in seen:
                seen.add(each)
                waiting.append(each)
    return tuple(names)


def _kept(before: list[Node], found: Origins) -> Origins:
    """Only names that there are, each once and in the order of the graph."""
    places = {node.name: place for place, node in enumerate(before)}
    return {
        name: tuple(sorted({each for each in names if each in places}, key=places.__getitem__))
        for name, names in found.items()
    }


def _composed(later: Origins, earlier: Origins) -> Origins:
    return {
        name: tuple(dict.fromkeys(source for each in names for source in earlier.get(each, ())))
        for name, names in later.items()
    }


def _at(names: list[str], match: re.Match[str] | None) -> tuple[str, ...]:
    return (names[int(match[1])],) if match and int(match[1]) < len(names) else ()


def _created(data: dict[str, object]) -> dict[str, tuple[str, ...]]:
    created: dict[str, tuple[str, ...]] = {}
    for match in map(ours.mapping, ours.items(data.get("matched"))):
        for name in ours.strings(match.get("created")):
            created[name] = ours.strings(match.get("nodes"))
    return created
