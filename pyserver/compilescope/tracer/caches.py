"""What torch's graph caches did for each graph: a graph that comes out of a cache went through no pass.

Read from torch's own trace events (`fx_graph_cache_hit` and its kin, 2.6 to 2.14) and, for caches that are off, from
the configuration. Since 2.13 torch works out the components of AOTAutograd's keys only when it logs them
(`_get_debug_lines_for_cache_key`, torch/_functorch/_aot_autograd/autograd_cache.py); who observes caches gets them.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.settings import keeps_caches

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session
    from compilescope.tracer.structured import Structured

LOSES = "what entered the keys of AOTAutograd's cache"
NAMED = "_get_debug_lines_for_cache_key"
EVENT = re.compile(r"(fx_graph|aotautograd)_cache_(hit|miss|bypass)")


def install(session: Session, structured: Structured, inductor: Inductor) -> None:
    """Record an event for each answer of a cache."""

    def answered(artifact: str, payload: str | None) -> None:
        match = EVENT.fullmatch(artifact)
        if match:
            details = _details(payload)
            _emit(session, inductor.current, match[1], match[2], details)

    def entered(graph: str) -> None:
        off: dict[str, Any] = {"key": None, "reason": "switched off"}
        if not getattr(sys.modules.get("torch._inductor.config"), "fx_graph_cache", True):
            _emit(session, graph, "fx_graph", "off", off)
        if not getattr(sys.modules.get("torch._functorch.config"), "enable_autograd_cache", True):
            _emit(session, graph, "aotautograd", "off", off)

    components = session.hooks.guarded(NAMED, lambda pickler, details: pickler.debug_lines(details), loses=LOSES)

    def make(original: Callable[..., list[str]]) -> Callable[..., list[str]]:
        def _get_debug_lines_for_cache_key(pickler: Any, details: Any, *args: Any, **kwargs: Any) -> list[str]:
            return original(pickler, details, *args, **kwargs) or components(pickler, details) or []

        return _get_debug_lines_for_cache_key

    def hook(module: ModuleType) -> None:
        if keeps_caches() and hasattr(module, NAMED):
            session.hooks.wrap(module, NAMED, make, loses=LOSES)

    structured.artifact.append(answered)
    inductor.entered.append(entered)
    session.at_start.append(
        lambda: session.hooks.after_import("torch._functorch._aot_autograd.autograd_cache", hook, loses=LOSES)
    )


def _emit(session: Session, graph: str | None, cache: str, outcome: str, details: dict[str, Any]) -> None:
    session.emit(
        "cache",
        {
            "graph": graph,
            "cache": cache,
            "outcome": outcome,
            "key": details.get("key") or details.get("cache_key"),
            "reason": details.get("reason") or details.get("cache_bypass_reason"),
        },
    )


def _details(payload: str | None) -> dict[str, Any]:
    try:
        details = json.loads(payload or "")
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}
