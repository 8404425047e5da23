"""Failures: of a compile, and of the program."""

from __future__ import annotations

import traceback
from typing import Any

from compilescope.tracer.sources import TRACER


def describe_exit(error: BaseException | None) -> dict[str, Any] | None:
    """The uncaught exception of a program with its frames, outermost first, without ours."""
    if error is None:
        return None
    frames = [
        {
            "file": frame.filename,
            "line": frame.lineno or 1,
            "end_line": getattr(frame, "end_lineno", None) or frame.lineno or 1,
            "col": getattr(frame, "colno", None),
            "end_col": getattr(frame, "end_colno", None),
            "function": frame.name,
        }
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(TRACER) and "runpy" not in frame.filename
    ]
    kind = type(error)
    return {"type": f"{kind.__module__}.{kind.__qualname__}", "message": _text(error), "frames": frames}


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
