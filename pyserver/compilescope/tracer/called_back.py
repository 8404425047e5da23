"""Which code of the program's a failing compile was running: a callback, a fake kernel, a pass, a backend.

What Dynamo traces is not run, so each frame of the program's in a traceback, below the compiler's, is code that torch
called while it compiled.
"""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.tracer.frames import Frames
    from compilescope.tracer.sources import Sources

COMPILER = re.compile(r"[\\/]torch[\\/](?:_dynamo[\\/](?!eval_frame|external_utils)|_inductor[\\/]|_functorch[\\/])")
TORCH = re.compile(r"[\\/](?P<file>torch[\\/].+\.py)$")


def called_back(chain: Sequence[BaseException], frames: Frames, sources: Sources) -> dict[str, Any] | None:
    """The innermost code of the program's that torch called, and the file of torch's that did; None for none."""
    for link in reversed(chain):
        stack = traceback.extract_tb(link.__traceback__)
        start = next((index for index, frame in enumerate(stack) if COMPILER.search(frame.filename)), len(stack))
        users = [index for index in range(start, len(stack)) if sources.is_user(stack[index].filename)]
        if not users:
            continue
        last = users[-1]
        by = next(index for index in range(last, -1, -1) if index == start or TORCH.search(stack[index].filename))
        own = [stack[index] for index in users if index > by]
        match = TORCH.search(stack[by].filename)
        return {"by": match["file"].replace("\\", "/") if match else None, "frames": frames.of_summary(own)}
    return None
