"""Compile coverage: what became of each line of the functions that torch.compile had to do with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.model import Finding

State = Literal["captured", "eager", "skipped", "not_run"]
Reason = Literal[
    "",
    "break",
    "after-break",
    "nothing-to-compile",
    "frame-skipped",
    "recompile-limit",
    "disabled",
    "failed",
    "maybe-run",
]
STATES: tuple[State, ...] = ("captured", "eager", "skipped", "not_run")


@dataclass(frozen=True)
class CoveredLine:
    """One statement by its first line; of a compound one the head. Lines count from 1.

    `reason`: why the state is what it is (docs/coverage.md), empty for a captured line. `compile_ids`: compiles that
    captured it. `because`: the finding to blame. `calls`: how often the graphs of those compiles ran.
    """

    line: int
    end_line: int
    state: State
    reason: Reason = ""
    compile_ids: tuple[str, ...] = ()
    because: Finding | None = None
    calls: int = 0


@dataclass(frozen=True)
class FunctionCoverage:
    """The lines of one function, those of functions within it left out. `line`: of its `def`.

    `function` has a method's class. `recorded`: the recording says which lines were gone through; else they are
    inferred from where there are operations.
    """

    file: str
    function: str
    line: int
    end_line: int
    recorded: bool
    lines: list[CoveredLine] = field(default_factory=list)

    def count(self, state: State) -> int:
        """How many of its lines are in a state."""
        return sum(one.state == state for one in self.lines)

    @property
    def percent(self) -> float | None:
        """Captured lines of 100 that ran, or may have run in eager; None when there are none."""
        return share(one.state for one in self.lines)

    def at(self, line: int) -> CoveredLine | None:
        """What became of a line; of one that a statement goes on over, of that. None for a line without code."""
        return next((one for one in self.lines if one.line <= line <= one.end_line), None)


def share(states: Iterable[State]) -> float | None:
    """Captured lines of 100 that ran, or may have run in eager; None when there are none."""
    ran = [one for one in states if one != "not_run"]
    return round(100 * ran.count("captured") / len(ran), 1) if ran else None
