"""What is inside of one compile, for the runs view: its stages with their time, and the kernels that came out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.lsp.shapes.runs import CompileDetailResult, KernelSummary, StepSummary

if TYPE_CHECKING:
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.model import Compile, Result

_LIBRARY = {"extern": "library call", "fallback": "fallback"}


def compile_detail(result: Result, compile_id: str) -> CompileDetailResult:
    """The steps of a compile that took part, in their order, and its kernel calls in theirs; empty when unknown."""
    compiles = [one for one in result.compiles if one.id == compile_id]
    kernels = [one for one in result.kernels if one.compile_id == compile_id]
    if not compiles:
        return CompileDetailResult(steps=[], kernels=[])
    passes = [one for one in result.passes if one.compile_id == compile_id and one.kind == "pass"]
    return CompileDetailResult(
        steps=[
            *_steps(compiles[0], len(passes), sum(one.changed for one in passes)),
            *([] if not kernels else [StepSummary("code", _seconds(compiles[0], *_CODE), _counted(kernels))]),
        ],
        kernels=[_kernel(one) for one in kernels],
    )


_CODE = ("kernel_code", "kernel_compile")
_PASSES = ("pre_grad", "joint", "post_grad")


def _steps(compile_: Compile, passes: int, changed: int) -> list[StepSummary]:
    nodes = compile_.graph.get("nodes", 0)
    found = [StepSummary("capture", _seconds(compile_, "capture"), f"{nodes} nodes" if nodes > 1 else "no graph")]
    if (aot := _seconds(compile_, "aot")) is not None:
        found.append(StepSummary("aot", aot, ""))
    if passes:
        found.append(StepSummary("passes", _seconds(compile_, *_PASSES), f"{passes}, {changed} changed"))
    if (lowering := _seconds(compile_, "lowering", "scheduling")) is not None:
        found.append(StepSummary("lowering", lowering, ""))
    if compile_.guards is not None:
        found.append(StepSummary("guards", _seconds(compile_, "guards"), str(compile_.guards)))
    return found


def _seconds(compile_: Compile, *parts: str) -> float | None:
    """Seconds of parts of the compiler, forward and backward; None when none of them was recorded."""
    names = [name for part in parts for name in (part, f"backward_{part}")]
    known = [compile_.seconds[name] for name in names if name in compile_.seconds]
    return sum(known) if known else None


def _counted(kernels: list[Kernel]) -> str:
    """`3 C++ kernels · 2 library calls`."""
    kinds = Counter(_LIBRARY.get(one.kind, f"{one.language} kernel") for one in kernels)
    return " · ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in kinds.items())


def _kernel(kernel: Kernel) -> KernelSummary:
    place = kernel.places[0] if kernel.places else None
    return KernelSummary(
        name=kernel.name,
        kind=kernel.kind,
        graph=kernel.graph,
        nodes=len(kernel.nodes),
        operator=kernel.operator,
        file=None if place is None else place.file,
        line=None if place is None else place.range.start.line,
    )
