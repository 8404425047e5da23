"""`compilescope trace --fix-verify`: the preferred fix of each finding, verified after the trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.cli.signals import cancelled_by_signals
from compilescope.cli.streams import say
from compilescope.runner.problem import Problem
from compilescope.runner.reaper import Reaper
from compilescope.verify import Cancellation, Request, Verifier, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        cancellation, at = Cancellation(), 0

        def progress(step: Step) -> None:
            say(f"verifying fix {at} of {len(wanted)}: {step.text}")

        with (
            cancelled_by_signals(cancellation),
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
