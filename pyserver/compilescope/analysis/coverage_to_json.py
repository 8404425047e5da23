"""Compile coverage as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis.coverage_model import STATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
    from compilescope.analysis.model import Finding


def covered(one: FunctionCoverage, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the coverage of a function; a finding by its number among `findings`."""
    numbers = {id(finding): number for number, finding in enumerate(findings)}
    return {
        "file": one.file,
        "function": one.function,
        "line": one.line,
        "end_line": one.end_line,
        "percent": one.percent,
        "counts": {state: one.count(state) for state in STATES},
        "recorded": one.recorded,
        "lines": [_line(line, numbers) for line in one.lines],
    }


def _line(one: CoveredLine, numbers: dict[int, int]) -> dict[str, Any]:
    return {
        "line": one.line,
        "end_line": one.end_line,
        "state": one.state,
        "reason": one.reason or None,
        "finding": numbers.get(id(one.because)),
        "compile_ids": list(one.compile_ids),
        "calls": one.calls,
    }
