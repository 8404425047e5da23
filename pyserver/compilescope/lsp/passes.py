"""The passes of a run, for the pass panel."""

from __future__ import annotations

import attrs

from compilescope.analysis.model import Match, Pass, Result, UnrunPass
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.graphs import CompileInfo
from compilescope.lsp.shapes.passes import MatchInfo, PassesParams, PassesResult, PassInfo, UnrunInfo
from compilescope.report.functions import compile_seconds

_STAGES_WITH_PASSES = {"pre_grad", "joint", "post_grad"}
_WHY = {
    "left-out": "Passes were left out of this recording on request.",
    "eager": "This function runs in eager, so no pass ran.",
    "capture": "This run stopped at capture, before the passes.",
    "cache": "The graph came out of a cache, so no pass ran.",
    "failed": "The compile failed before its first pass.",
    "backend": "The backend is not Inductor, and only Inductor runs passes that can be traced.",
    "foreign": "TORCH_TRACE does not record passes. Compile and trace the program to see them.",
}


def passes(opened: OpenRecording, params: PassesParams) -> PassesResult:
    """The passes of one compile, or of all, in the order in which they ran."""
    result = opened.result()
    wanted = [one for one in result.passes if params.compile_id in {None, one.compile_id}]
    compiles = [one for one in result.compiles if params.compile_id in {None, one.id}]
    of_compile = {None, params.compile_id}
    ran = any(one.kind == "pass" for one in wanted)
    why = _why_inert(result)
    note, cause = (None, None) if ran else _why_none(opened, result, params.compile_id)
    return PassesResult(
        compiles=compile_infos(result),
        passes=[_info(one, why.get((one.compile_id, one.order))) for one in sorted(wanted, key=lambda one: one.order)],
        compile_seconds=sum(map(compile_seconds, compiles)) or None,
        overhead=result.metrics.get("tracing_overhead"),
        note=note,
        cause=cause,
        unrun=[_unrun(one) for one in result.unrun if params.compile_id is None or one.compile_id in of_compile],
    )


def compile_infos(result: Result) -> list[CompileInfo]:
    """All compiles, as a picker names them: `0/1  denoise`."""
    return [CompileInfo(one.id, f"{one.id}  {one.qualname or one.function}") for one in result.compiles]


def is_eager(result: Result, compile_id: str | None) -> bool:
    """Whether nothing of this compile (of any, without an id) is compiled."""
    statuses = {one.status for one in result.compiles if compile_id in {None, one.id}}
    return bool(statuses) and statuses <= {"skipped"}


def _why_none(opened: OpenRecording, result: Result, compile_id: str | None) -> tuple[str, str | None]:
    """Why there are no passes: for people, and in a word."""
    if is_eager(result, compile_id):
        return _WHY["eager"], "eager"
    with opened.graphs() as graphs:
        stages = graphs.stages(compile_id)
    missing = [one for one in stages if one.stage in _STAGES_WITH_PASSES and one.cause is not None]
    cause = missing[0].cause if missing else None
    return _WHY.get(cause or "", "The recording has no passes for this compile."), cause


def _why_inert(result: Result) -> dict[tuple[str, int], str]:
    """What the findings say about passes that ran and changed nothing, by compile and order."""
    return {
        (graph["compile_id"], graph["order"]): finding.explanation
        for finding in result.findings
        if finding.rule == "pass-inert"
        for graph in finding.detail.get("graphs") or ()
    }


def _info(one: Pass, why: str | None) -> PassInfo:
    values = {field.name: getattr(one, field.name) for field in attrs.fields(PassInfo) if field.name != "why"}
    return PassInfo(**{**values, "matches": [_match(match) for match in one.matches]}, why=why)


def _match(one: Match) -> MatchInfo:
    first = one.places[0] if one.places else None
    return MatchInfo(
        pattern=one.pattern,
        target=one.target,
        nodes=one.nodes,
        created=one.created,
        file=None if first is None else first.file,
        line=None if first is None else first.range.start.line + 1,
    )


def _unrun(one: UnrunPass) -> UnrunInfo:
    return UnrunInfo(**{field.name: getattr(one, field.name) for field in attrs.fields(UnrunInfo)})
