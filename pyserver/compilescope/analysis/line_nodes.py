"""The nodes of one compile that matter to a line: as Dynamo captured them, and after the last pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.snapshots import Node
    from compilescope.analysis.stages import StageEntry

Place = tuple[str, int]
"""A file and a line that counts from 1."""


@dataclass
class CompileNodes:
    """Nodes of one compile by file and line, in the order of their graphs; one on several lines is on each of them."""

    captured: dict[Place, list[Node]] = field(default_factory=dict)
    forward: dict[Place, list[Node]] = field(default_factory=dict)
    backward: dict[Place, list[Node]] = field(default_factory=dict)


def by_compile(graphs: Graphs) -> dict[str, list[StageEntry]]:
    """Return the recorded stages that `read` needs, by compile id: those of its last attempt."""
    found: dict[str, dict[str, list[StageEntry]]] = {}
    for entry in graphs.stages():
        last = (entry.stage, entry.position) in {("dynamo", "after"), ("post_grad", "after")}
        if last and entry.snapshot is not None:
            attempt = entry.graph.rpartition("/")[0]
            found.setdefault(entry.compile_id, {}).setdefault(attempt, []).append(entry)
    return {compile_id: list(attempts.values())[-1] for compile_id, attempts in found.items()}


def read(graphs: Graphs, stages: Sequence[StageEntry]) -> CompileNodes:
    """Return the nodes of one compile, from its stages."""
    nodes = CompileNodes()
    for entry in stages:
        direction = entry.graph.rpartition("/")[2].partition("#")[0]
        where = nodes.backward if direction == "backward" else nodes.forward
        for node in graphs.completed(entry.snapshot or ""):
            for place in _places(node):
                into = nodes.captured if entry.stage == "dynamo" else where
                into.setdefault(place, []).append(node)
    return nodes


def on_lines(nodes: Mapping[Place, Sequence[Node]], file: str, lines: range) -> list[Node]:
    """Return the nodes on some lines of a file, each once."""
    found = {id(node): node for line in lines for node in nodes.get((file, line), ())}
    return list(found.values())


def _places(node: Node) -> Iterator[Place]:
    if node.frame is None or node.op in {"placeholder", "get_attr", "output"}:
        return
    for line in range(node.frame.line, min(node.frame.end_line or node.frame.line, node.frame.line + _MOST) + 1):
        yield node.frame.file, line


_MOST = 200
"""Lines of one expression."""
