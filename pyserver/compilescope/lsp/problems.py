"""What can go wrong with a run, with the commands of the buttons that mend it. The first button is the primary one."""

from __future__ import annotations

from compilescope.analysis.model import Result
from compilescope.lsp.shapes.running import Problem
from compilescope.report.ending import ended_by_itself, ending
from compilescope.runner.launch import Outcome
from compilescope.runner.problem import Problem as RunnerProblem

SELECT = "compilescope.selectInterpreter"
INSTALL = "compilescope.copyInstallCommand"
OUTPUT = "compilescope.showOutput"
TRACE = "compilescope.trace"
TARGET = "compilescope.changeInputs"
CANCEL = "compilescope.cancel"
LOGS = "compilescope.showLogs"
LAST_STEP = "compilescope.showLastStep"
LOCATE = "compilescope.locateRecording"

ACTIONS = {
    "no-torch": [SELECT, INSTALL],
    "broken-torch": [SELECT],
    "old-python": [SELECT],
    "bad-interpreter": [SELECT],
    "no-target": [TARGET],
    "bad-target": [TARGET],
    "no-inputs": [TARGET],
    "bad-inputs": [TARGET],
}
WAYS_OUT = {
    "no-torch": "Install torch there, or choose the interpreter that runs this script.",
    "bad-interpreter": "Choose another interpreter.",
    "old-python": "Choose another interpreter.",
    "no-inputs": "Say what it is called with.",
}


def from_runner(problem: RunnerProblem) -> Problem:
    """Why a run could not start, and the way out."""
    gap = "\n" if "\n" in problem.detail else " "
    detail = gap.join(filter(None, [problem.detail, WAYS_OUT.get(problem.code)]))
    return Problem(problem.code, problem.title, detail, ACTIONS.get(problem.code, []))


def busy(script: str) -> Problem:
    """Another run goes on."""
    return Problem("busy", f"{script} is still being traced.", "One run goes on at a time.", [CANCEL])


def unreadable(path: str, why: str) -> Problem:
    """A recording that can't be opened."""
    return Problem("bad-recording", f"Can't open {path}.", why, [])


def gone(path: str) -> Problem:
    """A recording that was removed, or moved."""
    detail = f"{path} was moved or removed. Say where it is now, or trace again."
    return Problem("recording-gone", "This recording is not there any more.", detail, [LOCATE, TRACE])


def unwritable(path: str, why: str) -> Problem:
    """A file that can't be written."""
    return Problem("bad-file", f"Can't write {path}.", why, [])


def internal(error: BaseException) -> Problem:
    """A failure of ours."""
    return Problem("internal", "Compilescope met an error of its own.", f"{type(error).__name__}: {error}", [LOGS])


def of_outcome(outcome: Outcome, result: Result) -> Problem | None:
    """What to say about a run that ended in another way than by itself; null for one that did."""
    refused = result.run.refused
    if refused is not None:
        return from_runner(RunnerProblem(refused.code, refused.title, refused.detail))
    words = ending(result)
    if words is None or ended_by_itself(result.run):
        return None
    if outcome.status == "cancelled":
        return Problem("cancelled", words, "", [TRACE])
    if outcome.status == "timed-out":
        return Problem("timed-out", words, "", [LAST_STEP, OUTPUT, TRACE])
    return Problem("crashed", words, "", [LAST_STEP, OUTPUT, TRACE])


def text(problem: Problem) -> str:
    """The problem as one message."""
    return " ".join(part for part in (problem.title, problem.detail) if part)
