"""What tracing cost, and where the program's own time went, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Profile, Result

_LEAST = 0.001
_SHOWN = 6


def tracing_cost(result: Result) -> str:
    """`tracing cost 0.8 %` (of the program's time without it); empty where the recording does not say."""
    share = result.metrics.get("tracing_overhead")
    if share is None:
        return ""
    return f"tracing cost {f'{share:.1%}'.replace('%', ' %') if share >= _LEAST else 'less than 0.1 %'}"


def profile(found: Profile | None) -> list[str]:
    """What ran in eager and what in compiled graphs, one thing a line; nothing for a run without `--profile`."""
    if found is None:
        return []
    compiled = found.compiled_operations
    ran = "" if compiled is None else f", {_counted(compiled, 'operation')} in compiled graphs"
    share = "" if found.graph_share is None else f" ({found.graph_share:.0%} of the time)".replace("%", " %")
    guards = f"{_counted(found.lookups, 'look-up')} of guards, {found.guard_s * 1000:.2f} ms"
    said = [f"profile: {_counted(found.eager_operations, 'operator')} in eager{ran}{share}; {guards}"]
    if found.eager:
        most = ", ".join(f"{one.operator} {one.calls}" for one in found.eager[:_SHOWN])
        said.append(f"profile: most time in eager: {most}")
    if found.ended:
        said.append(f"profile: {found.ended}")
    return said


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
