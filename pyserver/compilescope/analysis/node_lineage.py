"""One node through all stages of its compile: what it came from, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.stages import StageEntry


@dataclass
class LineageStep:
    """The node's own at one recorded state of a graph; none where it went on in no node, or came from none."""

    entry: StageEntry
    nodes: list[str] = field(default_factory=list)
    here: bool = False


def names_of(graphs: Graphs, snapshot: str, node: str) -> list[str]:
    """Return the nodes of a snapshot that one is: itself, or the scheduler's nodes that are in one kernel call."""
    nodes = graphs.nodes(snapshot) or []
    if any(one.name == node for one in nodes):
        return [node]
    parts = set(node.split("_"))
    return [one.name for one in nodes if one.op == "kernel" and parts.issuperset(one.name.split("_"))]


def lines(graphs: Graphs, snapshot: str, names: Iterable[str]) -> list[tuple[str, int, str]]:
    """Return the distinct lines (file, line from 1, text) that nodes of a snapshot come from, in their order."""
    wanted = set(names)
    found: dict[tuple[str, int], str] = {}
    for node in graphs.completed(snapshot) if wanted else ():
        if node.name in wanted and node.frame is not None:
            found.setdefault((node.frame.file, node.frame.line), graphs.code(node).strip())
    return [(*place, text) for place, text in found.items()]


def through_stages(graphs: Graphs, snapshot: str, names: list[str]) -> list[LineageStep]:
    """Return the states of the graphs that `snapshot` was made from or became, in order, with the node's own in each.

    Of a stage with a state before and one after only the last is given, unless `snapshot` is the first.
    """
    chain = _chain(graphs, snapshot)
    entries = [one for one in graphs.stages() if one.snapshot is not None]
    here = [one for one in entries if one.snapshot in chain]
    if not here:
        return []
    compile_id = here[-1].compile_id
    own = _last_states([one for one in entries if one.compile_id == compile_id], snapshot)
    back = dict(zip(chain, _back(graphs, chain, names), strict=True))
    steps: list[LineageStep] = []
    for entry in own:
        at = entry.snapshot or ""
        if at in back:
            steps.append(LineageStep(entry, back[at], here=at == snapshot))
        elif snapshot in (later := _chain(graphs, at)):
            steps.append(LineageStep(entry, _forward(graphs, later[: later.index(snapshot) + 1], names)))
    return steps


def _chain(graphs: Graphs, snapshot: str) -> list[str]:
    """Return the snapshot and those that it was made from, one step after the other."""
    found = [snapshot]
    while (before := graphs.lineage.before(found[-1])) is not None and before not in found:
        found.append(before)
    return found


def _back(graphs: Graphs, chain: Sequence[str], names: list[str]) -> list[list[str]]:
    """Return what nodes came from in each snapshot of their chain."""
    found = [names]
    for at in chain[:-1]:
        step = graphs.lineage.step(at)
        names = [] if step is None else _sources(step[1], names)
        found.append(names)
    return found


def _forward(graphs: Graphs, chain: Sequence[str], names: list[str]) -> list[str]:
    """Return what became of nodes of the last snapshot of a chain in its first."""
    for at in reversed(chain[:-1]):
        step = graphs.lineage.step(at)
        wanted = set(names)
        names = [] if step is None else [name for name, sources in step[1].items() if not wanted.isdisjoint(sources)]
    return names


def _sources(origins: Mapping[str, tuple[str, ...]], names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(source for name in names for source in origins.get(name, ())))


def _last_states(entries: Iterable[StageEntry], snapshot: str) -> list[StageEntry]:
    """Return one state of each stage of each graph: the one that is looked at, else the last."""
    found: dict[tuple[str, str], StageEntry] = {}
    for one in entries:
        key = (one.stage, one.graph)
        known = found.get(key)
        if known is None or snapshot not in {known.snapshot} - {one.snapshot}:
            found[key] = one
    return list(found.values())
