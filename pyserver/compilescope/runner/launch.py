"""One run of a job: start, wait, time out, cancel, and say how it ended. Used by the command line and the server."""

from __future__ import annotations

import contextlib
import datetime as dt
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Literal

from compilescope.runner.folder import RunFile
from compilescope.runner.problem import Problem
from compilescope.runner.worker import BOOT, Streams, Worker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from compilescope.runner.job import Job
    from compilescope.runner.reaper import Reaper
    from compilescope.runner.standby import Standby

Status = Literal["finished", "cancelled", "timed-out", "killed"]
Request = Literal["cancelled", "timed-out"]

ENDING = ((signal.SIGINT, 2.0), (signal.SIGTERM, 1.0), (signal.SIGKILL, 10.0))
"""What is sent to a program that is to end, and the seconds that it gets after each."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `exit_code` is the script's own; negative is the number of the signal that ended it.

    `unwritten`: why `run.json` does not say so; the recording may lack more then.
    """

    status: Status
    exit_code: int
    wall_s: float
    unwritten: OSError | None = None


class Run:
    """A run that goes on. `wait` must be called, from any one thread; `cancel` may be called from any other."""

    def __init__(self, worker: Worker, run_file: RunFile, recording: Path) -> None:
        self.recording = recording
        self._worker = worker
        self._run_file = run_file
        self._started = time.monotonic()
        self._events: SimpleQueue[int | Literal["cancel"]] = SimpleQueue()  # put is safe in a signal handler

    def cancel(self) -> None:
        """Ask for the end of the run; asking again makes it quicker. `wait` sees to it. Safe in a signal handler."""
        self._events.put("cancel")

    def wait(self, timeout_s: float | None = None) -> Outcome:
        """Block until the run has ended and nothing of it is left; complete `run.json` if it can be written."""
        threading.Thread(target=self._watch, daemon=True).start()
        request: Request | None = None
        steps = iter(ENDING)
        left = timeout_s
        while True:
            try:
                event = self._events.get(timeout=left)
            except Empty:  # the time is over: the whole of it, or what the last signal allowed
                request = request or "timed-out"
            else:
                if event != "cancel":
                    break
                request = request or "cancelled"
            step = next(steps, ENDING[-1])
            self._worker.signal(step[0])
            left = step[1]
        return self._end(event, request)

    def _watch(self) -> None:
        while (change := self._worker.wait_for_change()) == "stopped":
            self._worker.resume()
        self._events.put(change)

    def _end(self, exit_code: int, request: Request | None) -> Outcome:
        wall_s = time.monotonic() - self._started
        self._worker.collect()
        status: Status = request or _natural_status(exit_code)
        try:
            replace(self._run_file, status=status, exit_code=exit_code, wall_s=wall_s).write(self.recording)
        except OSError as error:
            return Outcome(status, exit_code, wall_s, error)
        return Outcome(status, exit_code, wall_s)


def start(
    job: Job,
    *,
    python: str,
    env: Mapping[str, str],
    recording: Path,
    streams: Streams,
    reaper: Reaper,
    standby: Standby | None = None,
) -> Run:
    """Start `job` under the tracer in `python`, in the waiting worker of `standby` if it fits, and write `run.json`.

    Raises Problem when the job or the interpreter can't be run, or nothing can be written into `recording`.
    """
    job.check()
    started = dt.datetime.now().astimezone().isoformat(timespec="milliseconds")
    run_file = RunFile(command=job.command, cwd=job.cwd, python=python, depth=job.depth, started=started)
    try:
        run_file.write(recording)
    except OSError as error:
        raise Problem("bad-folder", f"Can't record to {recording}: {error.strerror}.") from error
    worker = standby.take(job, python, env, recording, streams) if standby else None
    if worker is None:
        try:
            worker = Worker(
                [python, BOOT, job.message(recording)],
                cwd=job.cwd,
                env=env,
                streams=streams,
                reaper=reaper,
                stdin=None if streams.output is None else subprocess.DEVNULL,
            )
        except OSError as error:
            with contextlib.suppress(OSError):
                replace(run_file, status="finished").write(recording)
            raise Problem("bad-interpreter", f"Can't run {python}: {error.strerror or error}.") from error
    run_file = replace(run_file, pid=worker.pid)
    with contextlib.suppress(OSError):  # the disk is full by now: the run goes on
        run_file.write(recording)
    return Run(worker, run_file, recording)


def _natural_status(exit_code: int) -> Status:
    if exit_code >= 0:
        return "finished"
    return "cancelled" if -exit_code == signal.SIGINT else "killed"


def signal_name(exit_code: int) -> str | None:
    """`SIGSEGV` for -11; None when the exit code is not a signal's."""
    try:
        return signal.Signals(-exit_code).name if exit_code < 0 else None
    except ValueError:
        return f"signal {-exit_code}"


def shell_exit_code(exit_code: int) -> int:
    """The exit code by which a shell reports it: 128 + n for signal n."""
    return exit_code if exit_code >= 0 else 128 - exit_code
