"""What is asked of a verification and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Finding, Result
    from compilescope.runner.job import Job
    from compilescope.runner.launch import Run

Status = Literal[
    "proven",  # gone, outputs equal, nothing new
    "differs",  # outputs are not those of the program without the change
    "stays",  # at least one of the findings is still there
    "new-problems",  # gone, outputs equal, but there are warnings or errors that were not there before
    "failed",  # with the change the program fails
    "differs-anyway",  # outputs differ from eager, but without the change they do, too
    "nondeterministic",  # two runs in eager differ from one another
    "not-compared",  # there was nothing to compare, or the comparison could not be made: `reason` says why
    "cancelled",
    "timed-out",
]

Phase = Literal["eager", "traced", "compared", "eager again", "traced before", "eager with the change"]


@dataclass(frozen=True)
class Request:
    """What was traced, and how to run it again.

    `sources`: the texts of the files as they were traced, by path; edits are places in them. `timeout_s`: of each run;
    by default a minute and five times what the traced run took.
    """

    job: Job
    result: Result
    sources: Mapping[str, str]
    python: str
    env: Mapping[str, str]
    timeout_s: float | None = None


@dataclass(frozen=True)
class Step:
    """A part of the work that begins. `number` of `total` counts from 1; `total` grows when outputs differ."""

    phase: Phase
    number: int
    total: int
    text: str


@dataclass(frozen=True)
class Difference:
    """The first difference between two runs.

    `kind`: `value`, `nan` (or infinite, in one run only), `shape`, `dtype`, `structure`, `error`, `missing`. `call`
    counts all calls of the process from 1, `backward` all backwards; one of them is null. `place`: `result[0]`,
    `gradient of up.weight`. `values`: up to eight elements, `{"index", "reference", "other"}`.
    """

    kind: str
    call: int | None
    backward: int | None
    function: str | None
    place: str
    delta: float | None
    message: str
    values: list[dict[str, Any]] = field(default_factory=list)
    process: str = ""


@dataclass(frozen=True)
class Compared:
    """How two runs compare. `delta_max`: the largest difference of two numbers, 0 when there is none.

    `calls`, `backwards`: how many were compared; `tensors`: how many tensors in them, `sampled`: of how many of those
    only a part. `same_bits`: every number is the same. `uncompared`: `{"what", "count"}`. `stopped`: the record ended
    before the program did. `loose`: up to eight values of 64 bits that are equal within the tolerance, and not in the
    way that such numbers are. `unsteady`: up to eight places that differ between two runs in eager and were left out.
    """

    equal: bool
    delta_max: float
    calls: int
    backwards: int
    tensors: int
    sampled: int
    same_bits: bool
    first: Difference | None
    differences: int
    uncompared: list[dict[str, Any]]
    notes: list[str]
    stopped: bool
    loose: list[Difference] = field(default_factory=list)
    unsteady: list[Difference] = field(default_factory=list)

    @property
    def certain(self) -> bool:
        """Whether all that was compared is equal and nobody has to look closer."""
        return self.equal and not self.loose

    @property
    def strictly(self) -> Compared:
        """The same, values of 64 bits compared as such."""
        if self.certain or not self.equal:
            return self
        return replace(self, equal=False, first=self.loose[0], differences=len(self.loose))


@dataclass(frozen=True)
class Verdict:
    """What came of a change.

    `findings`: those that it was to remove; `left`: those of them that are still there; `new`: warnings and errors that
    were not there before, at their places in the changed program. `graphs`, `seconds`: before and after (seconds of
    compiling; both null when unknown). `compared`: the traced program with the change against the program without it in
    eager, what is `unsteady` left out when that was asked; `anyway`: the program without the change, compiled, against
    itself in eager, when that was asked. `changes_eager`: whether the change makes a difference in eager, null when
    that was not asked. `result`: the analysis of the trace with the change, `recording` where it is kept, null when it
    was not to be kept.
    """

    status: Status
    findings: tuple[Finding, ...]
    left: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    graphs: tuple[int | None, int | None] = (None, None)
    seconds: tuple[float | None, float | None] = (None, None)
    compared: Compared | None = None
    anyway: Compared | None = None
    changes_eager: bool | None = None
    reason: str = ""
    result: Result | None = None
    recording: str | None = None

    @property
    def proven(self) -> bool:
        """Whether the change does what it is for, and nothing else: then a program may be changed."""
        return self.status == "proven"


class Cancellation:
    """Ends a verification from another thread, or from a signal handler."""

    def __init__(self) -> None:
        self.asked = False
        self._run: Run | None = None

    def cancel(self) -> None:
        """End the run that goes on, and start no other."""
        self.asked = True
        run = self._run
        if run is not None:
            run.cancel()

    def follow(self, run: Run | None) -> None:
        """`run` goes on now."""
        self._run = run
        if self.asked and run is not None:
            run.cancel()
