"""A run's figures as OpenMetrics text (1.0), for a monitoring job. What a recording does not say is left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from compilescope.analysis.model import Result

_UNITS = ("seconds", "ratio")
_RECOMPILE = re.compile(r"\d+/[1-9]\d*$")


class _Figure(NamedTuple):
    name: str
    help: str
    value: float | None


def render(result: Result) -> str:
    """Return the figures, each a gauge of the run as docs/metrics.md defines it. Ends in `# EOF` and a newline."""
    lines: list[str] = []
    for name, about, value in _figures(result):
        if value is not None:
            full = f"compilescope_{name}"
            suffix = name.rpartition("_")[2]
            unit = [f"# UNIT {full} {suffix}"] if suffix in _UNITS else []
            lines += [f"# TYPE {full} gauge", *unit, f"# HELP {full} {about}", f"{full} {value!r}"]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _figures(result: Result) -> list[_Figure]:
    metrics = result.metrics
    hits, misses = metrics.get("guard_hits"), metrics.get("guard_misses")
    looked_up = None if hits is None or misses is None else hits + misses
    answered = [one.outcome for one in result.caches if one.outcome in {"hit", "miss", "bypass"}]
    timed = [one for one in result.compiles if "total" in one.seconds]
    again = [one.seconds["total"] for one in timed if _RECOMPILE.search(one.id)]
    return [
        _Figure("compiles", "Compiles, of the process with the most.", metrics.get("compiles")),
        _Figure("graph_breaks", "Graph breaks that torch met, of the process with the most.", metrics["graph_breaks"]),
        _Figure("recompiles", "Recompiles, of the process with the most.", metrics["recompiles"]),
        _Figure(
            "limit_hits",
            "Times that a limit was hit, of the process with the most.",
            metrics.get("limit_hits"),
        ),
        _Figure("failures", "Compiles in which a stage failed, of the process with the most.", metrics.get("failures")),
        _Figure(
            "guard_failure_ratio",
            "Share of the look-ups of guards that found no version.",
            misses / looked_up if looked_up and misses is not None else None,
        ),
        _Figure(
            "compile_seconds",
            "Time of all compiles, added up over processes.",
            sum(one.seconds["total"] for one in timed) if timed or not result.compiles else None,
        ),
        _Figure(
            "recompile_seconds",
            "Time of the compiles that were recompiles, added up over processes.",
            float(sum(again)) if timed or not result.compiles else None,
        ),
        _Figure(
            "cache_hit_ratio",
            "Share of the answers of torch's graph caches that were hits.",
            answered.count("hit") / len(answered) if answered else None,
        ),
    ]
