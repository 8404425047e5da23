"""What two runs, or two groups of runs, differ in: the shapes of `compilescope diff --format json` (docs/comparing.md).

`before` and `after` are the groups; a value is None where a recording does not say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding, Result, Run

DIFF_SCHEMA_VERSION = 1

State = Literal["fixed", "new", "moved", "changed", "same", "unreached"]
Verdict = Literal["slower", "faster", "within-noise", "undecided"]
KernelState = Literal["new", "gone", "changed"]
PassState = Literal["new", "gone", "takes-effect", "inert", "changed"]


@dataclass(frozen=True)
class Side:
    """What is compared of one recording.

    By compile id: `operators`, the operations of a captured graph and of the graph after all passes by name and count;
    `kernels`, pairs of a name without its number and a hash of the code (empty for a library call).
    """

    result: Result
    sources: dict[str, str] = field(default_factory=dict)
    operators: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    kernels: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class FindingChange:
    """What became of a finding. `unreached`: the later run did not compile the function, which fixes nothing.

    `note`: what else differs, or why the state is what it is.
    """

    state: State
    before: Finding | None
    after: Finding | None
    note: str = ""


@dataclass(frozen=True)
class OperatorChange:
    """How often an operator is in the graphs of a function at a stage, `dynamo` (captured) or `post_grad`."""

    stage: str
    name: str
    before: int
    after: int


@dataclass(frozen=True)
class KernelChange:
    """A kernel by its name without numbers. `calls` before and after; `changed`: called as often, by other code."""

    state: KernelState
    name: str
    before: int
    after: int


@dataclass(frozen=True)
class PassChange:
    """A pass of a function: new, gone, takes effect or is inert where it was not, or removes something else.

    `before` and `after`: Δ over its runs, as in `Pass.delta`.
    """

    state: PassState
    phase: str
    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class TimeChange:
    """Seconds of each run before and after. `p`: how likely times that only vary would be as far apart; None: unknown.

    `slower` and `faster` need a `p` small enough; `undecided`: there are too few runs to say.
    """

    name: str
    before: list[float]
    after: list[float]
    verdict: Verdict
    p: float | None
    note: str


@dataclass(frozen=True)
class FunctionChange:
    """One compiled function. `graphs`, `nodes`, `recompiles`: before and after; `state`: in which run it was compiled.

    `nodes` are those of the first version of each graph, so that a recompile does not count as a larger graph.
    `kernels` is None where a recording has no generated code.
    """

    name: str
    file: str
    state: Literal["both", "before", "after"]
    graphs: tuple[int, int]
    nodes: tuple[list[int], list[int]]
    recompiles: tuple[int, int]
    operators: list[OperatorChange] = field(default_factory=list)
    passes: list[PassChange] = field(default_factory=list)
    kernels: list[KernelChange] | None = None
    time: TimeChange | None = None

    @property
    def changed(self) -> bool:
        """Whether anything but its time differs."""
        counts = any(one[0] != one[1] for one in (self.graphs, self.nodes, self.recompiles))
        return self.state != "both" or counts or bool(self.operators or self.passes or self.kernels)


@dataclass(frozen=True)
class MetricChange:
    """A total that is no time, of the first run before and after."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class RunDiff:
    """Everything that differs. `notes`: what limits the comparison."""

    before: list[Run]
    after: list[Run]
    findings: list[FindingChange]
    functions: list[FunctionChange]
    metrics: list[MetricChange]
    times: list[TimeChange]
    notes: list[str]
