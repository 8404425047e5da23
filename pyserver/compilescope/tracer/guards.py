"""Guards of a compiled frame, each with the line that made it necessary.

Relies on `CheckFunctionManager.compile_check_fn(builder, guards_out, ...)` (torch/_dynamo/guards.py, 2.6 to 2.14):
torch's own `dynamo_guards` event is never filled from 2.9 on.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session
    from compilescope.tracer.sources import Sources

LOSES = "guards"
LONGEST = 400


def install(session: Session, frames: Frames) -> None:
    """Record the guards of every compile that succeeds."""

    def record(code: CodeType | None, builder: Any, guards: Any) -> None:
        shapes = [text for group in getattr(builder, "shape_env_code", ()) for text in group.code_list]
        session.emit(
            "guards",
            {
                "code": None if code is None else frames.code(code),
                "guards": [_describe(guard, shapes, frames, session.sources) for guard in guards],
                "latency_us": None,
            },
        )

    note = session.hooks.guarded("guards.compile_check_fn", record, loses=LOSES)

    def hook(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def compile_check_fn(self: Any, builder: Any, guards_out: Any, *args: Any, **kwargs: Any) -> Any:
                result = original(self, builder, guards_out, *args, **kwargs)
                note(sys._getframe(1).f_locals.get("f_code"), builder, guards_out)
                return result

            return compile_check_fn

        session.hooks.wrap(module.CheckFunctionManager, "compile_check_fn", make, loses=LOSES)

    session.hooks.after_import("torch._dynamo.guards", hook, loses=LOSES)


def _describe(guard: Any, shapes: list[str], frames: Frames, sources: Sources) -> dict[str, Any]:
    kind = guard.create_fn_name()
    code = shapes if kind == "SHAPE_ENV" else guard.code_list or []
    return {
        "name": guard.name,
        "kind": kind,
        "code": [str(text)[:LONGEST] for text in code],
        "frame": _innermost(guard.user_stack, frames, sources),
    }


def _innermost(stack: Any, frames: Frames, sources: Sources) -> Frame | None:
    """The innermost frame of the user's, else the innermost of all."""
    if not stack:
        return None
    for summary in reversed(stack):
        if sources.is_user(summary.filename):
            return frames.of_summary((summary,))[0]
    return next(reversed(frames.of_summary(stack[-1:])), None)
