"""Errors of graphs whose cache a trace has turned off, raised as torch raises them with the cache on.

Torch 2.9 wraps what fails in Inductor's lowering and code generation in an `InductorError` where the graph could be
cached, and not otherwise (`_compile_fx_inner`, torch/_inductor/compile_fx.py); 2.13 and later always do.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.settings import has_turned_off_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from compilescope.tracer.hooks import Hooks

COMPILING = ("_compile_fx_inner", "fx_codegen_and_compile")


def as_if_cached(hooks: Hooks) -> Callable[[Exception, Any], None]:
    """Raises what torch would in place of an error that left `_compile_fx_inner`; returns if it is the same."""
    replacement = hooks.guarded("compile_fx._compile_fx_inner", _replacement, loses="nothing; errors have other types")

    def raise_as_if_cached(error: Exception, graph_module: Any) -> None:
        other = replacement(error, graph_module)
        if other is not None:
            raise other.with_traceback(error.__traceback__) from None

    return raise_as_if_cached


def _replacement(error: Exception, graph_module: Any) -> BaseException | None:
    exceptions = sys.modules.get("torch._inductor.exc")
    wrapper, dynamo = getattr(exceptions, "InductorError", None), sys.modules["torch._dynamo.exc"]
    if wrapper is None or not has_turned_off_cache():
        return None
    if isinstance(error, (dynamo.ShortenTraceback, dynamo.SkipFrame)):
        return None
    frames = _frames(error)
    if any(name not in frames for name in COMPILING) or not _could_be_cached(graph_module):
        return None
    wrapped: BaseException = wrapper(error, frames[COMPILING[0]])
    return wrapped


def _could_be_cached(graph_module: Any) -> bool:
    cache = sys.modules["torch._inductor.codecache"].FxGraphCache
    try:
        cache._check_can_cache(graph_module)
    except Exception:
        return False
    return True


def _frames(error: BaseException) -> dict[str, FrameType]:
    """The frames of Inductor's `compile_fx` that `error` went through, by name."""
    found: dict[str, FrameType] = {}
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename.endswith("compile_fx.py"):
            found.setdefault(code.co_name, entry.tb_frame)
        entry = entry.tb_next
    return found
