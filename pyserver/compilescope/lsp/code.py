"""The generated code of a run, for the code panel."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from compilescope.analysis.kernel_lines import KernelLines
from compilescope.analysis.stages import StageEntry
from compilescope.lsp.passes import compile_infos, is_eager
from compilescope.lsp.shapes.code import (
    CodeKernelInfo,
    CodeNodeInfo,
    CodeParams,
    CodeResult,
    CodeTextInfo,
    ExpressionInfo,
    FoldInfo,
    KernelStageInfo,
    KernelStagesParams,
    KernelStagesResult,
    SourceFile,
)

if TYPE_CHECKING:
    from compilescope.analysis.code_model import CodeText
    from compilescope.analysis.model import Result
    from compilescope.lsp.opened import OpenRecording

_T = TypeVar("_T")
_WHY = {
    "left-out": "Generated code was left out of this recording on request.",
    "eager": "This function runs in eager, so no code was generated.",
    "empty": "No operation of this function is in a graph, so no code was generated.",
    "capture": "No generated code: this run stopped at capture.",
    "failed": "No generated code: the compile did not get this far.",
    "backend": "No generated code: the backend is not Inductor.",
}


def code(opened: OpenRecording, params: CodeParams) -> CodeResult:
    """The code of one graph beside its nodes and source; without code the reason."""
    result = opened.result()
    compile_id, wanted = params.compile_id, params.graph
    if wanted is None and params.file is not None and params.line is not None:
        compile_id, wanted = _of_line(result, params.file, params.line + 1, compile_id)
    with opened.code_views() as views, opened.graphs() as graphs:
        view = views.view(compile_id, wanted)
        stages = [] if view.texts else graphs.stages(params.compile_id)
    known = {one.compile_id for one in result.code}
    if known and params.compile_id is not None:
        known.add(params.compile_id)  # it is listed even if it has none, to say why
    every = compile_infos(result)
    note, cause = view.note, None
    if not view.texts:
        cause = "eager" if is_eager(result, params.compile_id) else _cause(stages)
        cause = "empty" if not stages and cause == "nothing" and _is_empty(result, params.compile_id) else cause
        note = _WHY.get(cause, "The recording has no generated code for this compile.")
    places = {file: position for position, file in enumerate(view.files)}
    return CodeResult(
        compiles=[one for one in every if one.id in known] or every,
        compile_id=view.compile_id,
        graph=view.graph,
        graphs=view.graphs,
        expressions=[_copied(ExpressionInfo, one, file=places[one.file]) for one in view.expressions],
        files=[SourceFile(path, lines) for path, lines in view.files.items()],
        nodes=[_copied(CodeNodeInfo, one) for one in view.nodes],
        texts=[_text(one) for one in view.texts],
        note=note,
        cause=cause,
    )


def kernel_stages(opened: OpenRecording, params: KernelStagesParams) -> KernelStagesResult:
    """What Triton made of one kernel."""
    with opened.code_views() as views:
        view = views.view(params.compile_id, params.graph)
        found = views.stages(view, params.kernel, preview=params.preview)
    return KernelStagesResult(
        [_copied(KernelStageInfo, one, data=[line for pair in one.data for line in pair]) for one in found]
    )


def _of_line(result: Result, file: str, line: int, compile_id: str | None) -> tuple[str | None, str | None]:
    """The compile and graph whose kernels compute something of a line; as it was asked where none does."""
    known = [one for one in KernelLines(result).of_line(file, line) if compile_id in {None, one.compile_id}]
    return (known[0].compile_id, known[0].graph) if known else (compile_id, None)


def _cause(stages: list[StageEntry]) -> str:
    return next((one.cause for one in stages if one.cause and one.stage in {"post_grad", "scheduler"}), "nothing")


def _is_empty(result: Result, compile_id: str | None) -> bool:
    """Whether a compile's graph has nothing but its output."""
    return any(
        one.id == compile_id and one.status == "ok" and one.graph.get("nodes", 2) <= 1 for one in result.compiles
    )


def _text(one: CodeText) -> CodeTextInfo:
    kernels = [_copied(CodeKernelInfo, each) for each in one.kernels]
    return _copied(CodeTextInfo, one, kernels=kernels, folds=[_copied(FoldInfo, each) for each in one.folds])


def _copied(kind: type[_T], one: Any, **other: Any) -> _T:
    """The same fields in a class of the protocol, some of them replaced."""
    return kind(**{field.name: getattr(one, field.name) for field in fields(one)} | other)
