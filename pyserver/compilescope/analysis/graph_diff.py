"""Two states of a graph laid over each other: what was added, removed and changed between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from compilescope.analysis.lineage import Origins
    from compilescope.analysis.snapshots import Node

State = Literal["same", "added", "removed", "changed"]


@dataclass
class Overlay:
    """Both states in one list: `nodes` in the order of their graphs, their `inputs` being positions in it.

    `was`: what a changed node called before. `replaces`: the removed nodes that an added one stands for. `edges` are
    pairs of positions, flattened, and `edge_states` has one entry for each pair: same, added or removed.
    """

    nodes: list[Node] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    was: list[str] = field(default_factory=list)
    replaces: list[list[str]] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    edge_states: list[State] = field(default_factory=list)


def overlay(before: Sequence[Node], after: Sequence[Node], origins: Origins | None = None) -> Overlay:
    """Lay two states over each other. A node of one name is one node: a pass never gives a name twice.

    `origins`: where the nodes after came from, if that is recorded.
    """
    old, new = _by_name(before), _by_name(after)
    order = list(_merged(before, after, old, new))
    place = {name: at for at, name in enumerate(order)}
    found = Overlay()
    edges: dict[tuple[int, int], set[str]] = {}
    for name in order:
        was, now = old.get(name), new.get(name)
        node = now or was
        if node is None:
            continue
        is_changed = was is not None and now is not None and _call(was, before) != _call(now, after)
        state: State = "added" if was is None else "removed" if now is None else "changed" if is_changed else "same"
        sources: dict[int, None] = {}
        for side, nodes, one in (("before", before, was), ("after", after, now)):
            for source in () if one is None else (nodes[at].name for at in one.inputs):
                if source in place:
                    sources[place[source]] = None
                    edges.setdefault((place[source], place[name]), set()).add(side)
        found.nodes.append(replace(node, inputs=tuple(sources)))
        found.states.append(state)
        found.was.append(f"{was.target}{was.args}" if was is not None and state == "changed" else "")
        made_from = origins.get(name, ()) if origins and state == "added" else ()
        found.replaces.append([one for one in made_from if one in old and one not in new])
    for pair, sides in edges.items():
        found.edges += pair
        found.edge_states.append("same" if len(sides) > 1 else "added" if "after" in sides else "removed")
    return found


def _by_name(nodes: Sequence[Node]) -> dict[str, Node]:
    """Return the first node of each name: a damaged recording may have one twice."""
    found: dict[str, Node] = {}
    for node in nodes:
        found.setdefault(node.name, node)
    return found


def _merged(
    before: Sequence[Node], after: Sequence[Node], old: Mapping[str, Node], new: Mapping[str, Node]
) -> Iterator[str]:
    """Yield the names of both in the order of `after`, each removed node before what followed it."""
    waiting = iter(before)
    given: set[str] = set()
    for node in after:
        if node.name in old and node.name not in given:
            for one in waiting:
                if one.name == node.name:
                    break
                if one.name not in new and one.name not in given:
                    given.add(one.name)
                    yield one.name
        if node.name not in given:
            given.add(node.name)
            yield node.name
    yield from (name for name in old if name not in given)


def _call(node: Node, nodes: Sequence[Node]) -> tuple[object, ...]:
    """What makes a node the same one on both sides: its call, its inputs and its value."""
    inputs = tuple(nodes[at].name for at in node.inputs)
    return node.op, node.target, node.args, inputs, node.dtype, node.shape, node.stride, node.device
