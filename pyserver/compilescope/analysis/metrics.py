"""The run's totals (design 4.2). A value is None where the recording does not say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis import recompile_limits
from compilescope.analysis.ours import integer, mapping
from compilescope.analysis.parts import parts
from compilescope.analysis.progress import DONE
from compilescope.analysis.running import lookups

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Exit
    from compilescope.analysis.operations import Operations
    from compilescope.analysis.profile_model import Profile
    from compilescope.recording.reader import Recording

Metrics = dict[str, float | int | None]


def metrics(recording: Recording, context: Context, operations: Operations, profile: Profile | None) -> Metrics:
    """Return the totals, each as docs/metrics.md says."""
    spent = parts(context.compiles)
    exits = [process.exit for process in context.facts.processes.values() if process.exit is not None]
    looked_up = lookups(recording)
    return {
        "graphs": _graphs(recording, context),
        "graph_breaks": _most(fact.where.process for fact in context.facts.breaks if fact.kind != "recompile-limit"),
        "recompiles": _most(fact.where.process for fact in context.facts.recompiles),
        "limit_hits": _most(one.process for one in recompile_limits.hits(context.facts)),
        "failures": _most(
            one.process for one in {fact.where for fact in context.facts.failures if not recompile_limits.went_on(fact)}
        ),
        "compiles": _most(one.where.process for one in context.compiles),
        "fallback_ops": operations.fallback,
        "compiled_ops": operations.compiled,
        "total_ops": operations.total,
        "graph_share": None if profile is None else profile.graph_share,
        "op_coverage": operations.coverage,
        **spent,
        "execute_s": _rest(context),
        "calls": _calls(context, exits),
        "guard_hits": sum(hits for hits, _ in looked_up) if looked_up else None,
        "guard_misses": sum(misses for _, misses in looked_up) if looked_up else None,
        "tracing_overhead": _overhead(exits),
    }


def _calls(context: Context, exits: list[Exit]) -> int | None:
    """Return the calls of compiled graphs in the process with the most; None where none were counted."""
    calls = Counter[int]()
    for one in context.compiles:
        if one.calls:
            calls[one.where.process] += sum(one.calls.values())
    return max([*calls.values(), *(sum(one.calls.values()) for one in exits if one.calls)], default=None)


def _rest(context: Context) -> float | None:
    """Return the seconds of the programs without those of their compiles; None unless each one's end is recorded.

    A process that compiled nothing (a worker that was forked to load data) runs beside the one that did: it has no
    part in it. Where none compiled, it is the time of the longest one.
    """
    compiling: dict[int, float] = {}
    for one in context.compiles:
        compiling[one.where.process] = compiling.get(one.where.process, 0.0) + one.total
    exits = {number: process.exit for number, process in context.facts.processes.items()}
    own = compiling or exits
    seconds = [one.seconds["script"] for one in map(exits.get, own) if one is not None and "script" in one.seconds]
    if not own or len(seconds) < len(own):
        return None
    if not compiling:
        return round(max(seconds), 6)
    rest = (max(script - spent, 0.0) for script, spent in zip(seconds, compiling.values(), strict=True))
    return round(sum(rest), 6)


def _overhead(exits: list[Exit]) -> float | None:
    """Return the tracer's own time as a share of what the programs would have taken without it."""
    known = [one.seconds for one in exits if one.seconds.keys() >= {"script", "overhead"}]
    own = sum(one["overhead"] for one in known)
    without = sum(one["script"] for one in known) - own
    return round(own / without, 6) if without > 0 else None


def _graphs(recording: Recording, context: Context) -> int:
    """Return how many graphs were compiled: torch's own counter where a process ended by itself, else counted."""
    made = Counter(map(context.compiles.where, recording.events("dynamo_output_graph")))
    lost = {fact.where for fact in context.facts.failures if fact.stage != "guard"}
    ended = set(map(context.compiles.where, recording.events(*DONE)))
    lost |= {one.where for one in context.compiles if one.metrics is None and one.where not in ended}
    counted = Counter[int]()
    for where, times in made.items():
        counted[where.process] += 0 if where in lost else times
    found = [0]
    for number, process in context.facts.processes.items():
        stats = mapping(process.exit.counters.get("stats")) if process.exit else {}
        torch_count = integer(stats.get("unique_graphs"))
        empty = process.exit is not None and bool(process.exit.counters)
        found.append(torch_count if torch_count is not None else 0 if empty else counted[number])
    return max(found)


def _most(processes: Iterable[int]) -> int:
    return max(Counter(processes).values(), default=0)
