"""The graphs of a recording: which stages there are, and each as columns for the graph panel or as text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import graph_text, node_kernels, ours, output_code, snapshots
from compilescope.analysis.data import load
from compilescope.analysis.graph_diff import Overlay, overlay
from compilescope.analysis.lineage import Lineage
from compilescope.analysis.passes import compile_of
from compilescope.analysis.stages import StageEntry, label, unrecorded
from compilescope.analysis.text_graphs import TEXTS, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.snapshots import Node
    from compilescope.recording.reader import Event, Recording

_ID = re.compile(rb'"id"\s*:\s*"([^"]+)"')
_HEAD = 200
_MOST = 5000
"""Nodes of a graph whose lineage is worked out to show it; larger ones have what torch recorded."""
_STEPS = 4
"""Steps from a graph of the scheduler back to the last one of FX: fusion, lowering, and what may lie between."""
TEXT_ID = "text-"


@dataclass
class GraphColumns:
    """A graph in columns, one entry per node; edges flattened: from, to, from, to. -1 and empty text: unknown."""

    snapshot: str
    names: list[str] = field(default_factory=list)
    ops: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    args: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    strides: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    module: list[int] = field(default_factory=list)
    modules: list[list[str]] = field(default_factory=list)
    file: list[int] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    end_line: list[int] = field(default_factory=list)
    end_column: list[int] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    origins: list[list[str]] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    kernel: list[list[int]] = field(default_factory=list)


class Counts(NamedTuple):
    """Nodes and edges of a graph before and after."""

    nodes_before: int
    nodes_after: int
    edges_before: int
    edges_after: int

    @property
    def delta(self) -> int:
        """(|V1| - |V2|) + (|E1| - |E2|)."""
        return (self.nodes_before - self.nodes_after) + (self.edges_before - self.edges_after)


class NotComparable(Exception):
    """Two snapshots are of different kinds of graphs."""

    def __init__(self) -> None:
        super().__init__("These two are different kinds of graphs, so their nodes can't be compared.")


class Graphs:
    """The graphs of one recording, as it is now; make another after `Recording.refresh`."""

    def __init__(self, recording: Recording, context: Context) -> None:
        self._recording = recording
        self._context = context
        self._events: dict[str, Event] = {}
        self._lineage: Lineage | None = None
        for event in recording.events("compilescope_snapshot"):
            match = _ID.search(recording.raw_payload(event, _HEAD))
            if match:
                self._events.setdefault(match[1].decode(errors="replace"), event)

    @property
    def context(self) -> Context:
        """What the recording says happened."""
        return self._context

    def stages(self, compile_id: str | None = None) -> list[StageEntry]:
        """Return the stages of one compile (of all without an id), in the order in which they were reached.

        Those that the compiler has but the recording has not come last and say why.
        """
        found: list[StageEntry] = []
        own: dict[str, set[str]] = {}
        for event in self._recording.events("compilescope_stage"):
            data = ours.mapping(self._recording.json(event))
            stage, position = ours.text(data.get("stage")) or "", ours.text(data.get("position")) or "after"
            graph = ours.text(data.get("graph")) or ""
            snapshot = ours.text(data.get("snapshot"))
            counts = (ours.integer(data.get("nodes")) or 0, ours.integer(data.get("edges")) or 0)
            entry = self._entry(event, graph, (stage, position), snapshot, counts)
            found.append(entry)
            own.setdefault(entry.compile_id, set()).add(stage)
        names = named(self._recording, self._context, output_code.table(self._recording, self._context))
        for event in self._recording.events(*TEXTS):
            recorded = own.get(compile_of(self._context, event, ""), set())
            stage, position, _ = TEXTS[event.name]
            told = recorded & ({"aot", "joint", "post_grad"} if stage == "aot" else {stage})
            if not told and event.base_id is not None and event.has_payload:
                nodes = self._nodes_of_text(event)
                counts = (len(nodes), sum(len(node.inputs) for node in nodes))
                snapshot = f"{TEXT_ID}{event.id}"
                found.append(self._entry(event, names[event.id], (stage, position), snapshot, counts))
        found += unrecorded(self._recording, self._context, found)
        return [one for one in found if compile_id is None or one.compile_id == compile_id]

    def operations(self, snapshot: str | None) -> int | None:
        """Return how many operations a recorded snapshot has; None when the recording has no such snapshot."""
        event = self._events.get(snapshot or "")
        return None if event is None else snapshots.operations(self._recording.raw_payload(event))

    def nodes(self, snapshot: str) -> list[Node] | None:
        """Return the nodes of a snapshot; None when the recording has no such snapshot."""
        event = self._events.get(snapshot)
        if event is not None:
            return snapshots.from_json(self._recording.json(event))
        if snapshot.startswith(TEXT_ID):
            for one in self._recording.events(*TEXTS):
                if f"{TEXT_ID}{one.id}" == snapshot:
                    return self._nodes_of_text(one)
        return None

    def completed(self, snapshot: str) -> list[Node]:
        """Return the nodes of a snapshot, each at the place of those of Dynamo's that it came from; none without it."""
        nodes = self.nodes(snapshot)
        return [] if nodes is None else self._completed(snapshot, nodes)

    def recorded(self, snapshot: str | None) -> list[dict[str, Any]]:
        """Return the nodes of a snapshot as they stand in the log, which is quicker; none if it is not there."""
        event = self._events.get(snapshot or "")
        nodes = () if event is None else ours.items(ours.mapping(self._recording.json(event)).get("nodes"))
        return [one for one in nodes if isinstance(one, dict)]

    def text(self, snapshot: str) -> str | None:
        """Return a snapshot as text, one node a line; None when the recording has no such snapshot."""
        nodes = self.nodes(snapshot)
        return None if nodes is None else graph_text.text(nodes, [self.code(node).strip() for node in nodes])

    @property
    def lineage(self) -> Lineage:
        """Where the nodes of each recorded graph came from."""
        if self._lineage is None:
            self._lineage = Lineage(self._recording, self.nodes)
        return self._lineage

    def columns(self, snapshot: str, kernels: Sequence[Kernel] = ()) -> GraphColumns | None:
        """Return a snapshot in columns; None when the recording has no such snapshot.

        `kernels` are those of its graph, by which what the scheduler fused becomes one node a kernel call.
        """
        found = self.nodes(snapshot)
        if found is None:
            return None
        nodes = self._completed(snapshot, found)
        if not any(node.op == "kernel" for node in nodes):
            return self._columns(snapshot, nodes, node_kernels.by_node([node.name for node in nodes], kernels))
        of_node = node_kernels.by_group(nodes, kernels)
        if kernels and self.lineage.is_fused(snapshot):
            nodes, of_node = node_kernels.merged(nodes, of_node)
        columns = self._columns(snapshot, nodes, of_node)
        columns.kinds = self._kernel_kinds(snapshot, nodes)
        return columns

    def _kernel_kinds(self, snapshot: str, kernels: list[Node]) -> list[str]:
        """Return the colour group of each scheduler node: reduction when there is one in it."""
        made_from = {node.name: kind(node) for node in self._last_of_fx(snapshot)[1]}
        return [
            kind(node)
            if not made_from or kind(node) != "kernel"
            else "reduction"
            if any(made_from.get(name) == "reduction" for name in node.origins)
            else "pointwise"
            for node in kernels
        ]

    def _last_of_fx(self, snapshot: str) -> tuple[str | None, list[Node]]:
        """Return the last graph of FX that the scheduler's was made from, and its nodes."""
        at: str | None = snapshot
        for _ in range(_STEPS):
            at = self.lineage.before(at) if at is not None else None
            nodes = (self.nodes(at) if at is not None else None) or []
            if nodes and nodes[0].op != "kernel":
                return at, nodes
        return None, []

    def difference(self, before: str, after: str) -> tuple[GraphColumns, Overlay, Counts] | None:
        """Return two snapshots laid over each other, in columns, and their sizes; None when one is not there.

        Raises NotComparable when they are no two states of the same kind of graph.
        """
        sides = [self.nodes(before), self.nodes(after)]
        first, second = sides
        if first is None or second is None:
            return None
        if any(node.op == "kernel" for node in first) != any(node.op == "kernel" for node in second):
            raise NotComparable
        origins = self.lineage.between(before, after) if len(second) <= _MOST else None
        laid = overlay(self._completed(before, first), self._completed(after, second), origins)
        columns = self._columns(f"{before}:{after}", laid.nodes)
        columns.edges = laid.edges
        return columns, laid, Counts(len(first), len(second), _edges(first), _edges(second))

    def _columns(self, snapshot: str, nodes: list[Node], kernel: list[list[int]] | None = None) -> GraphColumns:
        columns = GraphColumns(snapshot, kernel=kernel or [[] for _ in nodes])
        modules: dict[tuple[str, str], int] = {}
        files: dict[str, int] = {}
        for position, node in enumerate(nodes):
            columns.names.append(node.name)
            columns.ops.append(node.op)
            columns.targets.append(node.target)
            columns.args.append(node.args)
            columns.kinds.append(kind(node))
            columns.dtypes.append(node.dtype)
            columns.shapes.append("" if node.shape is None else f"[{', '.join(node.shape)}]")
            columns.strides.append("" if node.stride is None else f"[{', '.join(node.stride)}]")
            columns.devices.append(node.device)
            columns.module.append(-1 if node.module is None else modules.setdefault(node.module, len(modules)))
            columns.origins.append(list(node.origins))
            columns.code.append(self.code(node))
            self._place(columns, node.frame, files)
            columns.edges += [value for source in node.inputs for value in (source, position)]
        columns.modules = [list(module) for module in modules]
        columns.files = list(files)
        return columns

    def _completed(self, snapshot: str, nodes: list[Node]) -> list[Node]:
        """Return the nodes, with what torch recorded of none filled in from those of Dynamo's that they came from."""
        if nodes and all(node.op == "kernel" for node in nodes) and len(nodes) <= _MOST:
            return self._in_modules(snapshot, nodes)
        missing = [node for node in nodes if not node.origins or node.frame is None]
        if not missing or len(nodes) > _MOST or any(node.op == "kernel" for node in nodes):
            return nodes
        found = self.lineage.first(snapshot)
        first = {node.name: node for node in (self.nodes(found[0]) if found else None) or ()}
        return [_from_first(node, found[1].get(node.name, ()), first) for node in nodes] if found else nodes

    def _in_modules(self, snapshot: str, kernels: list[Node]) -> list[Node]:
        """Return scheduler nodes, each in the module that most of the nodes that became it are in."""
        at, nodes = self._last_of_fx(snapshot)
        made_from = self.lineage.between(at, snapshot) if at is not None else None
        if made_from is None:
            return kernels
        modules = {node.name: node.module for node in nodes if node.module is not None}
        classes = dict(modules.values())
        return [
            replace(
                node,
                module=_shared([modules[name][0] for name in made_from.get(node.name, ()) if name in modules], classes),
                origins=made_from.get(node.name, node.origins),
            )
            for node in kernels
        ]

    def _entry(
        self, event: Event, graph: str, stage: tuple[str, str], snapshot: str | None, counts: tuple[int, int]
    ) -> StageEntry:
        known = snapshot is not None and (snapshot in self._events or snapshot.startswith(TEXT_ID))
        return StageEntry(
            compile_id=compile_of(self._context, event, graph),
            graph=f"{self._context.prefix(event.process)}{graph}",
            stage=stage[0],
            position=stage[1],
            label=label(*stage),
            snapshot=snapshot if known else None,
            nodes=counts[0],
            edges=counts[1],
            unavailable=None if known else "This snapshot is not in the recording.",
        )

    def _nodes_of_text(self, event: Event) -> list[Node]:
        return snapshots.from_text(self._recording.payload(event))

    def code(self, node: Node) -> str:
        """Return the line of the program that a node comes from, or what torch printed beside it."""
        if node.frame is None:
            return node.code
        return (self._context.sources.line(node.frame.file, node.frame.line) or node.code).rstrip()

    def _place(self, columns: GraphColumns, frame: Frame | None, files: dict[str, int]) -> None:
        if frame is None:
            for column in (columns.file, columns.line, columns.column, columns.end_line, columns.end_column):
                column.append(-1)
            return
        place = self._context.ranges.of(frame)
        columns.file.append(files.setdefault(frame.file, len(files)))
        columns.line.append(place.start.line)
        columns.column.append(place.start.character)
        columns.end_line.append(place.end.line)
        columns.end_column.append(place.end.character)


_BLOCK = re.compile(r"^(?:L\['self'\]\.?)?[^.\[\]]+(?:\.\d+|\[\d+\])?")


def _shared(modules: list[str], classes: dict[str, str]) -> tuple[str, str] | None:
    """Return the outermost module, or member of a list of modules, that most of some are in; of two the later one."""
    counts: dict[str, int] = {}
    for path in modules:
        match = _BLOCK.match(path)
        if match is not None:
            counts[match[0]] = counts.get(match[0], 0) + 1
    most = max(reversed(counts), key=counts.__getitem__, default=None)
    return None if most is None else (most, classes.get(most, ""))


def _from_first(node: Node, origins: tuple[str, ...], first: dict[str, Node]) -> Node:
    source = first.get(origins[-1]) if origins else None
    if source is None or node.op in {"placeholder", "output"}:
        return node if node.origins or not origins else replace(node, origins=origins)
    frame, module = node.frame or source.frame, node.module or source.module
    return replace(node, origins=node.origins or origins, frame=frame, module=module)


def _edges(nodes: list[Node]) -> int:
    return sum(len(node.inputs) for node in nodes)


def kind(node: Node) -> str:
    """Return a node's colour group, one of those that `lsp.shapes.graphs.GraphResult` names."""
    if node.op in {"placeholder", "get_attr"}:
        return "input"
    if node.op == "output":
        return "output"
    if node.op == "kernel":
        return node.target if node.target in {"extern", "fallback"} else "kernel"
    name = node.target.rpartition("aten.")[2].partition(".")[0] if "aten." in node.target else node.target
    return _kind_of(name.rpartition(".")[2])


@cache
def _kind_of(name: str) -> str:
    kinds = load("operators")["kinds"].items()
    return next((group for group, patterns in kinds if any(re.fullmatch(one, name) for one in patterns)), "other")
