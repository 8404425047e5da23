"""Runs a program with and without a change, and comes to a verdict."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope.analysis import analyse
from compilescope.fixes.edits import edited, merged
from compilescope.recording.error import RecordingError
from compilescope.recording.reader import Recording
from compilescope.runner.launch import signal_name
from compilescope.runner.problem import Problem
from compilescope.verify import judge
from compilescope.verify.model import Cancellation, Compared, Phase, Request, Status, Step, Verdict
from compilescope.verify.runs import Ran, Runs, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from compilescope.analysis.model import Finding, Fix, Result
    from compilescope.fixes.edits import Edited
    from compilescope.runner.reaper import Reaper
    from compilescope.runner.standby import Standby

STEPS: dict[Phase, str] = {
    "eager": "running the program in eager",
    "traced": "tracing it with the change",
    "compared": "comparing outputs",
    "eager again": "running it in eager once more",
    "traced before": "running it compiled, without the change",
    "eager with the change": "running it in eager, with the change",
}
USUAL, ALL = 3, 6


class Verifier:
    """Verifies changes of one program. What it writes is removed at the end of the `with`."""

    def __init__(
        self,
        request: Request,
        *,
        reaper: Reaper,
        standby: Standby | None = None,
        progress: Callable[[Step], None] = lambda _step: None,
        cancellation: Cancellation | None = None,
        output: Callable[[bytes], None] = lambda _piece: None,
    ) -> None:
        self._request = request
        self._progress = progress
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="compilescope-verify-"))
        except OSError as error:
            raise Problem(
                "no-folder", "Can't verify: there is no place for what the runs record.", str(error)
            ) from error
        self._runs = Runs(
            request,
            self._folder,
            reaper=reaper,
            standby=standby,
            cancellation=cancellation or Cancellation(),
            output=output,
        )
        self._shared: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def verify(self, findings: Sequence[Finding], fixes: Sequence[Fix], *, recording: Path | None = None) -> Verdict:
        """Make `fixes`, all at once, and say what became of `findings`. Raises Problem when nothing can be run."""
        verdict = Verdict("not-compared", tuple(findings))
        kept, edits = merged(fixes)
        if not edits or len(kept) < len(fixes):
            return replace(verdict, reason="the changes overlap: make them one by one" if edits else "nothing changes")
        try:
            changed = edited(self._request.sources, edits)
        except KeyError as error:
            return replace(verdict, reason=f"the recording has no text of {error.args[0]}")
        try:
            return self._verify(verdict, changed, recording)
        except Stopped as stopped:
            return replace(verdict, status=stopped.status)
        except (OSError, RecordingError) as error:
            raise Problem("no-folder", "Can't verify: what the runs record can't be kept.", str(error)) from error

    def _verify(self, verdict: Verdict, changed: Mapping[str, Edited], recording: Path | None) -> Verdict:
        reference = self._once("reference", self._eager)
        if reference.outcome.exit_code not in {0, self._request.result.run.exit_code}:
            return replace(verdict, reason=f"the program itself fails in eager: {_end(reference)}")
        self._say("traced", 2)
        traced = self._runs.run(self._changed(changed), eager=False, recording=recording)
        if traced.outcome.exit_code != reference.outcome.exit_code:
            return replace(verdict, status="failed", reason=_end(traced))
        with Recording.open(traced.recording) as opened:
            after = analyse(opened)
        verdict = _with_result(verdict, self._request.result, after, changed)
        verdict = replace(verdict, recording=None if recording is None else str(recording))
        self._say("compared", USUAL)
        try:
            compared = self._runs.compare(reference, traced)
        except Problem as problem:
            return replace(verdict, reason=problem.detail or problem.title)
        verdict = replace(verdict, compared=compared)
        if not compared.calls and compared.first is None:
            return replace(verdict, reason="no compiled function was called")
        if compared.certain:
            return replace(verdict, status=_status(verdict))
        return self._explain(verdict, (reference, traced), changed)

    def _explain(self, verdict: Verdict, ran: tuple[Ran, Ran], changed: Mapping[str, Edited]) -> Verdict:
        """Say whether it is the change, the compiler or the program itself that makes outputs differ."""
        reference, traced = ran
        again = self._once("again", self._eager_again)
        compared = self._runs.compare(reference, traced, again)
        verdict = replace(verdict, compared=compared)
        if compared.unsteady:
            return replace(verdict, status="nondeterministic")
        self._say("eager with the change", 5, ALL)
        alone = self._runs.run(self._changed(changed), eager=True)
        same_end = alone.outcome.exit_code == reference.outcome.exit_code
        if not (same_end and self._runs.compare(reference, alone).certain):
            return replace(verdict, status="differs", compared=compared.strictly, changes_eager=True)
        if compared.equal:  # the compiler computes in 32 bits what becomes a number of 64
            return replace(verdict, status=_status(verdict))
        anyway = self._once("anyway", self._compiled_before)
        status: Status = "differs" if anyway is None or anyway.equal else "differs-anyway"
        return replace(verdict, status=status, anyway=anyway, changes_eager=False)

    def _changed(self, changed: Mapping[str, Edited]) -> dict[str, str]:
        return self._originals() | {file: one.after for file, one in changed.items()}

    def _eager(self) -> Ran:
        self._say("eager", 1)
        return self._runs.run(self._originals(), eager=True)

    def _eager_again(self) -> Ran:
        self._say("eager again", 4, ALL)
        return self._runs.run(self._originals(), eager=True)

    def _compiled_before(self) -> Compared | None:
        """How the program without the change compares with itself in eager; None when it fails."""
        self._say("traced before", ALL)
        before = self._runs.run(self._originals(), eager=False)
        reference: Ran = self._shared["reference"]
        if before.outcome.exit_code != reference.outcome.exit_code:
            return None
        return self._runs.compare(reference, before)

    def _originals(self) -> dict[str, str]:
        """The files as they were traced: they may have changed since."""
        return {file: text for file, text in self._request.sources.items() if not file.startswith("<")}

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._shared:
            self._shared[name] = make()
        return self._shared[name]

    def _say(self, phase: Phase, number: int, total: int = USUAL) -> None:
        self._progress(Step(phase, number, max(number, total), STEPS[phase]))


def verify(
    request: Request,
    findings: Sequence[Finding],
    fixes: Sequence[Fix],
    *,
    recording: Path | None = None,
    **options: Any,
) -> Verdict:
    """Verify one change; `options` are those of `Verifier`."""
    with Verifier(request, **options) as verifier:
        return verifier.verify(findings, fixes, recording=recording)


def _with_result(verdict: Verdict, before: Result, after: Result, changed: Mapping[str, Edited]) -> Verdict:
    return replace(
        verdict,
        left=tuple(judge.left(verdict.findings, before, after, changed)),
        new=tuple(judge.new(before, after, changed)),
        graphs=(_graphs(before), _graphs(after)),
        seconds=(_seconds(before), _seconds(after)),
        result=after,
    )


def _status(verdict: Verdict) -> Status:
    if verdict.left:
        return "stays"
    return "new-problems" if verdict.new else "proven"


def _graphs(result: Result) -> int | None:
    graphs = result.metrics.get("graphs")
    return None if graphs is None else int(graphs)


def _seconds(result: Result) -> float | None:
    """Return the seconds of compiling, without those of the kernels' compiler: their results are cached."""
    if not result.compiles:
        return None
    parts = (("total", 1), ("kernel_compile", -1), ("backward_kernel_compile", -1))
    return max(0.0, sum(sign * one.seconds.get(name, 0.0) for one in result.compiles for name, sign in parts))


def _end(ran: Ran) -> str:
    """How a run ended: the last line that it printed, or its signal."""
    if ran.outcome.exit_code < 0:
        return signal_name(ran.outcome.exit_code) or "a signal"
    lines = ran.printed.decode(errors="replace").strip().splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"{last[:300]} (exit code {ran.outcome.exit_code})" if last else f"exit code {ran.outcome.exit_code}"
