"""What torch's graph caches did for each graph: a graph that comes out of a cache went through no pass.

Read from torch's own trace events (`fx_graph_cache_hit` and its kin, 2.6 to 2.14) and, for caches that are off, from
the configuration.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session
    from compilescope.tracer.structured import Structured

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

    structured.artifact.append(answered)
    inductor.entered.append(entered)


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
