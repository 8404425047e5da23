"""How far the compile that goes on is, in words for a progress message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Recording

_STEPS = {
    "dynamo_start": "capture",
    "dynamo_output_graph": "differentiation",
    "aot_joint_graph": "differentiation",
    "aot_forward_graph": "graph passes",
    "aot_inference_graph": "graph passes",
    "inductor_post_grad_graph": "code generation",
    "inductor_output_code": "loading the kernels",
    "compilescope_kernels": "loading the kernels",
}


def last_step(recording: Recording, result: Result) -> str | None:
    """Return `denoise [0/0], code generation` for the compile that goes on; None while none does."""
    running = [one for one in result.compiles if one.status == "running"]
    if not running:
        return None
    compile_ = running[-1]
    events = recording.events(*_STEPS, compile_id=compile_.id.rpartition(":")[2])
    step = next((_STEPS[event.name] for event in reversed(list(events))), None)
    return f"{compile_.qualname or compile_.function} [{compile_.id}]" + (f", {step}" if step else "")
