"""The counts that people read of a run: one number for each name, in every text and view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.report.functions import BREAKS, CompiledFunction, compiled_functions

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result

_OF_COMPILES = {"pass-inert", "slow-compile"}


@dataclass(frozen=True)
class Counts:
    """What a run has; `metrics` in the JSON are torch's own counts, which differ (docs/metrics.md).

    `graphs`: those that were compiled, of all processes together, as `recompiles` are. `breaks`: places where a graph
    ended, on `break_lines` lines. `recompiles`: of all functions, those that torch refused left out; `recompiled`
    functions have one. `forward` and `backward`: graphs that ran at least once; `backward_made`: backward graphs that
    were compiled.
    """

    graphs: int
    breaks: int
    break_lines: int
    recompiles: int
    recompiled: int
    skipped: int
    errors: int
    forward: int
    backward: int
    backward_made: int


def counts(result: Result, functions: list[CompiledFunction] | None = None) -> Counts:
    """Return the counts of a run. `functions`: its compiled functions, if they are at hand."""
    functions = compiled_functions(result) if functions is None else functions
    again = [one.recompiles for one in functions]
    broken = [one for one in result.findings if one.rule in BREAKS]
    ran = [direction for one in result.compiles for direction, calls in one.calls.items() if calls > 0]
    backward = ran.count("backward")
    return Counts(
        graphs=_graphs(result, functions),
        breaks=len(broken),
        break_lines=len({(one.file, one.range.start.line) for one in broken}),
        recompiles=sum(again),
        recompiled=sum(one > 0 for one in again),
        skipped=sum(one.rule == "frame-skipped" for one in result.findings),
        errors=sum(one.severity == "error" for one in result.findings),
        forward=len(ran) - backward,
        backward=backward,
        backward_made=sum(map(has_backward, result.compiles)),
    )


def together(result: Result) -> str:
    """`2 ranks together`, `3 processes together` where counts are of several; else empty."""
    ranks = len(result.run.ranks)
    if ranks > 1:
        return f"{ranks} ranks together"
    first = (one.id.partition(":")[0] for one in result.compiles)
    processes = len({one if one.startswith(("rank", "pid")) else "" for one in first})
    return f"{processes} processes together" if processes > 1 else ""


def _graphs(result: Result, functions: list[CompiledFunction]) -> int:
    """Return torch's count for one process. For several there is only that of the one with the most: they are added."""
    value = result.metrics.get("graphs")
    return sum(one.graphs for one in functions) if value is None or together(result) else int(value)


def has_backward(one: Compile) -> bool:
    """Whether a compile made a backward graph, with the forward one or when that was first needed."""
    return "backward" in one.seconds or "backward" in one.calls


def torch_counts(result: Result, metric: str, shown: int) -> str:
    """`torch counts 11` where torch's own count is another one than what is shown; else empty."""
    value = result.metrics.get(metric)
    return "" if value is None or value == shown else f"torch counts {value:,.0f}"


def spent_s(result: Result) -> float | None:
    """Seconds of all compiles; None where none is recorded."""
    each = [result.metrics.get(key) for key in ("capture_s", "compile_s", "guard_s")]
    known = [one for one in each if one is not None]
    return sum(known) if known else None


def met(finding: Finding) -> str:
    """`met once`, `met 4 times`; empty for what is about whole compiles, which no call meets."""
    if finding.rule in _OF_COMPILES:
        return ""
    return "met once" if finding.count == 1 else f"met {finding.count} times"
