"""The kernels that graphs became, and `fallback-op` for operators without a lowering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.context import Context, add_once
from compilescope.analysis.model import Finding, Kernel
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from compilescope.analysis.facts import Frame
    from compilescope.recording.reader import Recording

_LANGUAGES = {"cpp": "C++", "triton": "Triton", "template": "Triton"}


def table(recording: Recording, context: Context) -> tuple[list[Kernel], list[Finding]]:
    """Return the kernels, and one finding for each operator on each line that has no code generation."""
    kernels: list[Kernel] = []
    found: dict[tuple[str, int, str], Finding] = {}
    for event in recording.events("compilescope_kernels"):
        data = recording.json(event)
        if not isinstance(data, dict):
            continue
        graph = ours.text(data.get("graph")) or ""
        compile_id = compile_of(context, event, graph)
        for one in ours.items(data.get("kernels")):
            if isinstance(one, dict):
                frames = ours.frames(one.get("frames"))
                kernel = _kernel(context, compile_id, graph, one, frames)
                kernels.append(kernel)
                if kernel.kind == "fallback":
                    _fallback(context, found, kernel, ours.text(one.get("operator")), frames)
    return kernels, list(found.values())


def _kernel(context: Context, compile_id: str, graph: str, data: dict[str, Any], frames: tuple[Frame, ...]) -> Kernel:
    kind = ours.text(data.get("kind")) or "other"
    own = [frame for frame in frames if context.rules.in_user_code(frame.file)] or list(frames)
    places = dict.fromkeys((frame.file, frame.line) for frame in own)
    return Kernel(
        compile_id=compile_id,
        graph=graph,
        name=ours.text(data.get("name")) or "?",
        kind=kind,
        language=_LANGUAGES.get(kind, "library"),
        nodes=list(ours.strings(data.get("nodes"))),
        lines=[{"file": file, "line": line} for file, line in places],
    )


def _fallback(
    context: Context,
    found: dict[tuple[str, int, str], Finding],
    kernel: Kernel,
    operator: str | None,
    frames: tuple[Frame, ...],
) -> None:
    operator = operator or kernel.name
    place = next((frame for frame in reversed(frames) if context.rules.in_user_code(frame.file)), None)
    place = place or (frames[-1] if frames else None)
    if place is None:
        return
    key = (place.file, place.line, operator)
    if key in found:
        found[key].count += 1
        add_once(found[key].compile_ids, [kernel.compile_id])
        return
    found[key] = Finding(
        rule="fallback-op",
        severity="hint",
        file=place.file,
        range=context.ranges.of(place),
        title=f"`{operator}` runs through its own kernel",
        explanation="Inductor has no code generation for this operator with these types, so it calls the kernel that "
        "eager uses. It can't be fused with its neighbours.",
        reason=f"FallbackKernel: {operator}",
        class_="backend-operator",
        stage="compile",
        code="fallback-op",
        href=None,
        compile_ids=[kernel.compile_id],
        frames=context.rules.shown(frames, context.ranges),
        detail={"label": "not fused with its neighbours", "operator": operator, "kernel": kernel.name},
    )
