"""The run's totals (design 4.2). A value is None where the recording does not say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis.ours import integer, mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Finding
    from compilescope.recording.reader import Recording

Metrics = dict[str, float | int | None]


def metrics(recording: Recording, context: Context, findings: list[Finding]) -> Metrics:
    """Return the totals. Counts are those of the process (rank) that has the most: torch's counters are per process."""
    compiles = list(context.compiles)
    capture = sum(one.seconds.get("capture", 0.0) for one in compiles)
    total = sum(one.total for one in compiles)
    exits = [process.exit for process in context.facts.processes.values() if process.exit is not None]
    script = _sum(one.seconds.get("script") for one in exits)
    overhead = _sum(one.seconds.get("overhead") for one in exits)
    calls = [sum(one.calls.values()) for one in exits if one.calls]
    guards = [one.seconds["guards"] for one in exits if "guards" in one.seconds]
    return {
        "graphs": _graphs(recording, context),
        "graph_breaks": _most(fact.where.process for fact in context.facts.breaks if fact.kind != "recompile-limit"),
        "recompiles": _most(fact.where.process for fact in context.facts.recompiles),
        "fallback_ops": sum(one.count for one in findings if one.rule == "fallback-op"),
        "compiled_ops": None,
        "total_ops": None,
        "graph_share": None,
        "op_coverage": None,
        "capture_s": round(capture, 6),
        "compile_s": round(total, 6),
        "guard_s": round(sum(guards), 6) if guards else None,
        "execute_s": None if script is None else round(max(script - total, 0.0), 6),
        "calls": max(calls) if calls else None,
        "tracing_overhead": None
        if script is None or overhead is None or script <= overhead
        else round(overhead / (script - overhead), 6),
    }


def _graphs(recording: Recording, context: Context) -> int:
    """Return how many graphs were compiled: torch's own counter where a process ended by itself, else counted."""
    counted = Counter(event.process for event in recording.events("dynamo_output_graph"))
    failed = Counter(
        fact.where.process
        for fact in context.facts.failures
        if fact.stage in {"aot", "compile"} and not fact.suppressed
    )
    found = [0]
    for number, process in context.facts.processes.items():
        stats = mapping(process.exit.counters.get("stats")) if process.exit else {}
        torch_count = integer(stats.get("unique_graphs"))
        ended = process.exit is not None and bool(process.exit.counters)
        guess = max(counted[number] - failed[number], 0)
        found.append(torch_count if torch_count is not None else 0 if ended else guess)
    return max(found)


def _most(processes: Iterable[int]) -> int:
    return max(Counter(processes).values(), default=0)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
