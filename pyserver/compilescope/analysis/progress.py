"""How far the compile that goes on is, in words for a progress message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.compiles import Compiles
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled
    from compilescope.analysis.model import Compile, Result
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
DONE = ("dynamo_cpp_guards_str", "dynamo_guards", "compilescope_guards")
"""What is written when a compile is as good as done: one without metrics after them did not end the log."""


def last_step(recording: Recording, result: Result) -> str | None:
    """Return `denoise [0/0], code generation` for the compile that goes on; None while none does."""
    running = [one for one in result.compiles if one.status == "running"]
    if not running:
        return None
    compile_ = running[-1]
    step = _last(recording, compile_.id.rpartition(":")[2])
    return f"{compile_.qualname or compile_.function} [{compile_.id}]" + (f", {step}" if step else "")


def with_steps(recording: Recording, context: Context, compiles: Sequence[Compile]) -> list[Compile]:
    """Return the compiles; the one in which the log of a process ends has its `step`."""
    ends = {context.name(where): where.process for where in _latest(context.compiles)}
    last = {one.id: index for index, one in enumerate(compiles)}  # ids start anew when a program resets torch
    return [
        replace(one, step=_last(recording, one.id.rpartition(":")[2], ends[one.id]))
        if one.status == "running" and one.id in ends and last[one.id] == index
        else one
        for index, one in enumerate(compiles)
    ]


def _latest(compiles: Compiles) -> list[Compiled]:
    """Return the compile of each process that started last."""
    found: dict[int, Compiled] = {}
    for one in sorted(compiles, key=lambda one: one.order):
        found[one.where.process] = one.where
    return list(found.values())


def _last(recording: Recording, compile_id: str, process: int | None = None) -> str | None:
    """Return what was done last in a compile; None where it is done or nothing is known of it."""
    events = recording.events(*_STEPS, *DONE, compile_id=compile_id)
    own = [event.name for event in events if process in {None, event.process}]
    return _STEPS.get(own[-1]) if own else None
