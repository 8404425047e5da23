"""What tracing cost, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Result

_LEAST = 0.001


def tracing_cost(result: Result) -> str:
    """`tracing cost 0.8 %` (of the program's time without it); empty where the recording does not say."""
    share = result.metrics.get("tracing_overhead")
    if share is None:
        return ""
    return f"tracing cost {f'{share:.1%}'.replace('%', ' %') if share >= _LEAST else 'less than 0.1 %'}"
