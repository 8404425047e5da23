"""The recorded graphs of a run, for the graph panel and the diff editor."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from compilescope.analysis.graphs import GraphColumns
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.passes import compile_infos, is_eager
from compilescope.lsp.protocol import (
    GraphParams,
    GraphResult,
    GraphTextParams,
    GraphTextResult,
    StageInfo,
    StagesParams,
    StagesResult,
)

if TYPE_CHECKING:
    from compilescope.analysis.model import Result

_COLUMNS = [field.name for field in fields(GraphColumns)]


class NoSnapshot(Exception):
    """The recording has no such snapshot."""

    def __init__(self, snapshot: str) -> None:
        super().__init__(f"The recording has no snapshot {snapshot}.")


def stages(opened: OpenRecording, params: StagesParams) -> StagesResult:
    """The recorded stages of one compile, or of all."""
    result = opened.result()
    with opened.graphs() as graphs:
        found = graphs.stages(params.compile_id)
    return StagesResult(
        compiles=compile_infos(result),
        stages=[
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
        ],
        note=None if found else _note(result, params.compile_id),
    )


def _note(result: Result, compile_id: str | None) -> str | None:
    """Why there is no stage."""
    return "This function runs in eager, so it has no graph." if is_eager(result, compile_id) else None


def graph(opened: OpenRecording, params: GraphParams) -> GraphResult:
    """One snapshot in columns. Raises NoSnapshot."""
    with opened.graphs() as graphs:
        columns = graphs.columns(params.snapshot)
    if columns is None:
        raise NoSnapshot(params.snapshot)
    return GraphResult(**{name: getattr(columns, name) for name in _COLUMNS})


def text(opened: OpenRecording, params: GraphTextParams) -> GraphTextResult:
    """One snapshot as text, one node a line. Raises NoSnapshot."""
    with opened.graphs() as graphs:
        found = graphs.text(params.snapshot)
    if found is None:
        raise NoSnapshot(params.snapshot)
    return GraphTextResult(found)
