"""The recorded graphs of a run, for the graph panel and the diff editor."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from compilescope.analysis import node_kernels, node_lineage
from compilescope.analysis.graphs import GraphColumns
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.passes import compile_infos, is_eager
from compilescope.lsp.shapes.graphs import (
    FailureInfo,
    GraphDiffParams,
    GraphDiffResult,
    GraphParams,
    GraphResult,
    GraphTextParams,
    GraphTextResult,
    KernelInfo,
    LineageParams,
    LineageResult,
    LineageStep,
    LineInfo,
    StageInfo,
    StagesParams,
    StagesResult,
)

if TYPE_CHECKING:
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.model import Result
    from compilescope.analysis.profile_model import Profile

_FAILURES = ("compile-error", "graph-break-error")
_COLUMNS = [field.name for field in fields(GraphColumns)]


class NoSnapshot(Exception):
    """The recording has no such snapshot."""

    def __init__(self, snapshot: str) -> None:
        super().__init__(f"The recording has no snapshot {snapshot}.")


def stages(opened: OpenRecording, params: StagesParams) -> StagesResult:
    """The recorded stages of one compile, or of all."""
    result = opened.result()
    failure = _failure(result, params.compile_id)
    with opened.graphs() as graphs:
        found = graphs.stages(params.compile_id)
        last = [] if found or failure is None else _last_graph(graphs, params.compile_id, failure.snapshot)
    return StagesResult(
        compiles=compile_infos(result),
        stages=[
            *last,
            *(
                StageInfo(
                    graph=one.graph,
                    stage=one.stage,
                    position=one.position,
                    label=one.label,
                    snapshot=one.snapshot,
                    nodes=one.nodes,
                    edges=one.edges,
                    unavailable=one.unavailable,
                    cause=one.cause,
                )
                for one in found
            ),
        ],
        note=None if found or last else _note(result, params.compile_id),
        failure=failure,
    )


def _last_graph(graphs: Graphs, compile_id: str | None, snapshot: str | None) -> list[StageInfo]:
    """The graph so far of a capture that failed, which no stage came out of."""
    columns = None if snapshot is None else graphs.columns(snapshot)
    if columns is None:
        return []
    sizes = len(columns.names), len(columns.edges) // 2
    return [StageInfo(f"{compile_id}/dynamo", "dynamo", "after", "Dynamo", snapshot, *sizes, unavailable=None)]


def _failure(result: Result, compile_id: str | None) -> FailureInfo | None:
    """What the findings say about why a compile failed."""
    for one in result.findings:
        if one.rule in _FAILURES and compile_id is not None and compile_id in one.compile_ids:
            node = one.detail.get("node") or {}
            return FailureInfo(
                title=one.title,
                reason=one.reason,
                node=node.get("name"),
                snapshot=one.detail.get("snapshot"),
                file=one.file,
                line=one.range.start.line,
                character=one.range.start.character,
            )
    return None


def _note(result: Result, compile_id: str | None) -> str | None:
    """Why there is no stage."""
    return "This function runs in eager, so it has no graph." if is_eager(result, compile_id) else None


def graph(opened: OpenRecording, params: GraphParams) -> GraphResult:
    """One snapshot in columns. Raises NoSnapshot."""
    result = opened.result()
    with opened.graphs() as graphs:
        kernels = node_kernels.of_snapshot(result, graphs.stages(), params.snapshot)
        columns = graphs.columns(params.snapshot, kernels)
    if columns is None:
        raise NoSnapshot(params.snapshot)
    return _result(columns, kernels, result.profile)


def difference(opened: OpenRecording, params: GraphDiffParams) -> GraphDiffResult:
    """Two snapshots laid over each other. Raises NoSnapshot, and NotComparable for two kinds of graphs."""
    with opened.graphs() as graphs:
        found = graphs.difference(params.before, params.after)
    if found is None:
        raise NoSnapshot(f"{params.before} or {params.after}")
    columns, overlay, counts = found
    return GraphDiffResult(
        graph=_result(columns, [], None),
        states=list(overlay.states),
        was=overlay.was,
        replaces=overlay.replaces,
        edge_states=list(overlay.edge_states),
        delta=counts.delta,
        **counts._asdict(),
    )


def lineage(opened: OpenRecording, params: LineageParams) -> LineageResult:
    """What a node came from and became. Raises NoSnapshot."""
    result = opened.result()
    with opened.graphs() as graphs:
        if graphs.nodes(params.snapshot) is None:
            raise NoSnapshot(params.snapshot)
        names = node_lineage.names_of(graphs, params.snapshot, params.node)
        steps = node_lineage.through_stages(graphs, params.snapshot, names)
        stages = graphs.stages()
        last = {one.entry.graph: one for one in steps if one.entry.stage == "post_grad"}
        lines = [
            place for one in last.values() for place in node_lineage.lines(graphs, one.entry.snapshot or "", one.nodes)
        ]
    found: list[Kernel] = []
    for one in last.values():
        kernels = node_kernels.of_snapshot(result, stages, one.entry.snapshot or "")
        places = {place for own in node_kernels.by_node(one.nodes, kernels) for place in own}
        found += [kernels[place] for place in sorted(places)]
    return LineageResult(
        steps=[
            LineageStep(
                graph=one.entry.graph,
                stage=one.entry.stage,
                position=one.entry.position,
                label=one.entry.label,
                snapshot=one.entry.snapshot or "",
                nodes=one.nodes,
                here=one.here,
            )
            for one in steps
        ],
        kernels=[_kernel(one, result.profile) for one in found],
        lines=[LineInfo(*one) for one in dict.fromkeys(lines)],
    )


def _result(columns: GraphColumns, kernels: list[Kernel], profile: Profile | None) -> GraphResult:
    return GraphResult(
        **{name: getattr(columns, name) for name in _COLUMNS}, kernels=[_kernel(one, profile) for one in kernels]
    )


def _kernel(one: Kernel, profile: Profile | None) -> KernelInfo:
    place = one.source
    return KernelInfo(
        name=one.name,
        kind=one.kind,
        language=one.language,
        operator=one.operator,
        nodes=len(one.nodes),
        file=None if place is None else place.file,
        line=None if place is None else place.start_line or place.call_line,
        seconds=node_kernels.seconds(one, profile),
    )


def text(opened: OpenRecording, params: GraphTextParams) -> GraphTextResult:
    """One snapshot as text, one node a line. Raises NoSnapshot."""
    with opened.graphs() as graphs:
        found = graphs.text(params.snapshot)
    if found is None:
        raise NoSnapshot(params.snapshot)
    return GraphTextResult(found)
