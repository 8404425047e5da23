"""`compilescope trace --fix-verify`: the preferred fix of each finding, verified after the trace."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.cli.output import say
from compilescope.runner.problem import Problem
from compilescope.runner.reaper import Reaper
from compilescope.verify import Cancellation, Request, Verifier, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from compilescope.analysis.model import Finding, Fix, Result
    from compilescope.runner.job import Job
    from compilescope.verify import Step


def prover(
    job: Job, python: str, env: Mapping[str, str], timeout_s: float | None
) -> Callable[[Result, Mapping[str, str]], None]:
    """What verifies the preferred fix of each finding of a result, and notes the verdict in the fix."""

    def prove(result: Result, sources: Mapping[str, str]) -> None:
        wanted = [(one, fix) for one in result.findings for fix in one.fixes if fix.preferred]
        if not wanted:
            return
        request = Request(job, result, sources, python, env, timeout_s)
        at = 0

        def progress(step: Step) -> None:
            say(f"verifying fix {at} of {len(wanted)}: {step.text}")

        with (
            _cancelled_by_signals() as cancellation,
            Reaper() as reaper,
            Verifier(request, reaper=reaper, progress=progress, cancellation=cancellation) as verifier,
        ):
            for at, (finding, fix) in enumerate(wanted, 1):  # noqa: B007 - the progress says it
                if not _prove(verifier, finding, fix):
                    break
        if cancellation.asked:
            raise KeyboardInterrupt

    return prove


def _prove(verifier: Verifier, finding: Finding, fix: Fix) -> bool:
    """Note the verdict on one fix. False when there is none to expect of the others either."""
    try:
        verdict = verifier.verify([finding], [fix])
    except Problem as problem:
        say(str(problem))
        return False
    if verdict.status == "cancelled":
        return False
    verified = replace(fix, verified=to_json(verdict, refusal="Not proven"))
    finding.fixes = [verified if one is fix else one for one in finding.fixes]
    return True


@contextlib.contextmanager
def _cancelled_by_signals() -> Iterator[Cancellation]:
    """A cancellation that signals to end ask for."""
    cancellation = Cancellation()
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: cancellation.cancel())
    try:
        yield cancellation
    finally:
        for number in numbers:
            signal.signal(number, before[number])
