"""Running a program, and opening what a run recorded."""

from __future__ import annotations

import threading
from typing import Any

from attrs import Attribute, field, frozen, validators


def _waiting_time(_: Any, attribute: Attribute[float | None], value: float | None) -> None:
    if value is not None and not 0 < value <= threading.TIMEOUT_MAX:
        raise ValueError(f"'{attribute.name}' must be a number of seconds above 0 (got {value})")


@frozen
class TraceParams:
    """Run a script (or module) under the tracer. `python`: null for the server's own choice."""

    script: str | None
    module: str | None = None
    args: list[str] = field(factory=list)
    cwd: str | None = None
    python: str | None = None
    depth: str = field(default="full", validator=validators.in_(("full", "capture")))
    timeout_s: float | None = field(default=None, validator=_waiting_time)
    env: dict[str, str] = field(factory=dict)
    target: str | None = None
    inputs: list[str] = field(factory=list)
    profile: bool = False
    logs: str | None = None


@frozen
class TargetAtParams:
    """A place in a Python file: its path or URI, and a line from 0."""

    file: str
    line: int


@frozen
class TargetInfo:
    """A function or nn.Module class that can be traced by itself.

    `made`, `inputs`: expressions to propose for `TraceParams.target` and `TraceParams.inputs`. `signature`: its own.
    """

    file: str
    name: str
    made: str
    inputs: str
    signature: str


@frozen
class TargetAtResult:
    """The target at that place; null when there is none."""

    target: TargetInfo | None


@frozen
class Problem:
    """Something that went wrong: what, why, and the commands of the buttons that mend it."""

    code: str
    title: str
    detail: str
    actions: list[str]


@frozen
class TraceResult:
    """How the run ended. `problem` when it could not be run or ended in another way than by itself.

    `difference`: to the run of the script before it, `2 fixed, 1 new`; null when there was none, or it ended early.
    """

    recording: str | None
    exit_code: int | None
    status: str
    findings: int
    problem: Problem | None
    difference: str | None = None


@frozen
class OpenRecordingParams:
    """A recording folder, or a TORCH_TRACE file or folder."""

    path: str


@frozen
class OpenRecordingResult:
    """`problem` when it can't be read. No recording and no problem: the user gave up waiting."""

    recording: str | None
    findings: int
    problem: Problem | None


@frozen
class CancelParams:
    """Cancel the run that goes on, if any."""


@frozen
class ClearParams:
    """Take off the findings of all runs, for later sessions too; recordings stay on disk."""


@frozen
class Done:
    """Done; `count` says how many."""

    count: int


@frozen
class InterpreterParams:
    """An interpreter to use from now on; null to go back to the server's own choice."""

    python: str | None


@frozen
class InterpreterResult:
    """What that interpreter is."""

    python: str | None
    version: str | None
    torch: str | None
    problem: Problem | None


@frozen
class StaticHintsParams:
    """Whether to show likely breaks of functions that nothing has traced yet."""

    enabled: bool
