"""The recorded graphs of a run, for the graph panel and the diff editor."""

from __future__ import annotations

from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.passes import compile_infos
from compilescope.lsp.protocol import (
    GraphParams,
    GraphResult,
    GraphTextParams,
    GraphTextResult,
    StagesParams,
    StagesResult,
)


def stages(opened: OpenRecording, params: StagesParams) -> StagesResult:
    """The recorded stages of one compile, or of all."""
    return StagesResult(compiles=compile_infos(opened.result()), stages=[])


def graph(opened: OpenRecording, params: GraphParams) -> GraphResult:
    """One snapshot in columns."""
    raise NotImplementedError


def text(opened: OpenRecording, params: GraphTextParams) -> GraphTextResult:
    """One snapshot as text."""
    raise NotImplementedError
