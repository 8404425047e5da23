"""The passes of a run, for the pass panel."""

from __future__ import annotations

from dataclasses import fields

from compilescope.analysis.model import Pass, Result
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.protocol import CompileInfo, PassesParams, PassesResult, PassInfo
from compilescope.report.functions import compile_seconds


def passes(opened: OpenRecording, params: PassesParams) -> PassesResult:
    """The passes of one compile, or of all, in the order in which they ran."""
    result = opened.result()
    wanted = [one for one in result.passes if params.compile_id in {None, one.compile_id}]
    compiles = [one for one in result.compiles if params.compile_id in {None, one.id}]
    return PassesResult(
        compiles=compile_infos(result),
        passes=[_info(one) for one in sorted(wanted, key=lambda one: one.order)],
        compile_seconds=sum(map(compile_seconds, compiles)) or None,
        overhead=result.metrics.get("tracing_overhead"),
        note=_note(result, params.compile_id) if not wanted else None,
    )


def compile_infos(result: Result) -> list[CompileInfo]:
    """All compiles, as a picker names them: `0/1  denoise`."""
    return [CompileInfo(one.id, f"{one.id}  {one.function}") for one in result.compiles]


def _note(result: Result, compile_id: str | None) -> str:
    """Why there are no passes."""
    if result.run.depth == "capture":
        return "This run stopped before code generation (depth capture), so no pass ran."
    statuses = {one.status for one in result.compiles if compile_id in {None, one.id}}
    if statuses and statuses <= {"skipped"}:
        return "This function runs in eager, so no pass ran."
    return "The recording has no passes for this compile."


def _info(one: Pass) -> PassInfo:
    return PassInfo(**{field.name: getattr(one, field.name) for field in fields(Pass)})
