"""Fix and verify: run the program again with a fix in place, and say what came of it. No file of the program changes.

    request = Request(job=job_of(result.run), result=result, sources=sources, python=python, env=env)
    with Reaper() as reaper:
        verdict = verify(request, [finding], [fix], reaper=reaper)
    if verdict.proven: ...
    print(words(verdict))

`verify` blocks until it is done: a server calls it in a thread (`asyncio.to_thread`). It raises Problem when the
program can't be started at all; whatever the program then does becomes a `Verdict`.

    verify(
        request: Request,
        findings: Sequence[Finding],          # those that the change is to remove
        fixes: Sequence[Fix],                 # all of them are made at once: see fixes.edits.merged
        *,
        reaper: Reaper,
        standby: Standby | None = None,       # its worker is taken, and the next one prepared, at each run
        progress: Callable[[Step], None],     # called in the same thread when a part of the work begins
        cancellation: Cancellation,           # cancellation.cancel() from any thread; the verdict is then "cancelled"
        output: Callable[[bytes], None],      # what the program prints in all these runs
        recording: Path | None = None,        # an empty folder to keep the trace with the change, if wanted
    ) -> Verdict

A `Verifier` does several for one program: what they share, the run in eager, is made once.

    with Verifier(request, reaper=reaper, …) as verifier:
        for finding in findings:
            verdict = verifier.verify([finding], [fix])

The runs, all of the job that was traced, with what it printed kept from the terminal:
1. the program without the change, in eager, outputs recorded;
2. with the change, traced as deep as before, outputs recorded; both are compared;
3. only if they differ: in eager once more (does it do the same twice?), in eager with the change (is it the change?),
   and, if it is not, compiled without the change (did outputs differ before?).
"""

from compilescope.verify.model import Cancellation, Compared, Difference, Request, Status, Step, Verdict
from compilescope.verify.runs import job_of
from compilescope.verify.verifier import Verifier, verify
from compilescope.verify.words import to_json, words

__all__ = [
    "Cancellation",
    "Compared",
    "Difference",
    "Request",
    "Status",
    "Step",
    "Verdict",
    "Verifier",
    "job_of",
    "to_json",
    "verify",
    "words",
]
