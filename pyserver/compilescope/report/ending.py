"""How a run ended, in words, when it did not simply finish."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from compilescope.recording.command import read

if TYPE_CHECKING:
    from compilescope.analysis.model import Result, Run

_MEANING = {
    "SIGSEGV": "native code touched memory it may not",
    "SIGBUS": "native code touched memory it may not",
    "SIGILL": "this processor does not have an instruction that the code uses",
    "SIGFPE": "an integer was divided by zero in native code",
    "SIGABRT": "native code gave up",
    "SIGKILL": "often: the system ran out of memory",
    "SIGTERM": "something asked it to end",
    "SIGHUP": "its terminal went away",
}
_CUT_OFF = "The log ends while"
_MOST = 3
_CRASHES = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT"}


def ending(result: Result) -> str | None:
    """Sentences for a run that was killed, crashed or timed out, or whose log ends in a compile; None for others."""
    what = _what(result.run) or _cut_off(result)
    if what is None or result.run.refused is not None:
        return what
    count = len(result.findings)
    kept = (
        "No findings up to then."
        if count == 0
        else "The 1 finding up to then is kept."
        if count == 1
        else f"The {count} findings up to then are kept."
    )
    last = "" if what.startswith(_CUT_OFF) else _last_step(result)
    return " ".join(filter(None, [what, kept, last]))


def ended_by_itself(run: Run) -> bool:
    """Whether a run was not crashed, killed, cancelled or timed out, as far as its recording says."""
    return _what(run) is None


def seconds(value: float) -> str:
    """Two decimals below 10 s, one from there on."""
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"  # noqa: PLR2004 - the rule itself


def _what(run: Run) -> str | None:
    if run.refused is not None:
        return "\n".join(filter(None, [run.refused.title, run.refused.detail]))
    command = read(run.command)
    name = command.script or (f"-m {command.module}" if command.module else "The run")
    after = f" after {seconds(run.wall_s)}" if run.wall_s is not None else ""
    if run.status == "timed-out":
        return f"{name} was stopped at the time limit{after}."
    if run.status == "cancelled":
        return f"{name} was cancelled{after}."
    if run.status == "running":
        return f"{name} has not ended, or its end was not recorded."
    if run.exit_code is None or run.exit_code >= 0:
        return None
    number = _signal_name(run.exit_code)
    meaning = f" ({_MEANING[number]})" if number in _MEANING else ""
    verb = "crashed with" if number in _CRASHES else "was killed by"
    return f"{name} {verb} {number}{meaning}{after}."


def _cut_off(result: Result) -> str | None:
    """Return in which compiles the log ends, where it tells of no end: those of all processes that were compiling."""
    steps = [
        f"{one.id} `{one.qualname or one.function}` was being compiled, in {one.step}"
        for one in result.compiles
        if one.step is not None
    ]
    if not steps:
        return None
    more = f", and {len(steps) - _MOST} more" if len(steps) > _MOST else ""
    return f"{_CUT_OFF} {'; '.join(steps[:_MOST])}{more}."


def _signal_name(exit_code: int) -> str:
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def _last_step(result: Result) -> str:
    last = next((compile_ for compile_ in reversed(result.compiles) if compile_.status == "running"), None)
    step = f", {last.step}" if last and last.step else ""
    return f"Last step: compiling {last.qualname or last.function} [{last.id}]{step}." if last else ""
