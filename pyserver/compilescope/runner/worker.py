"""The process that runs the user's program, and the process group that it leads."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from compilescope.runner.reaper import Reaper, kill_family

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from compilescope.runner.terminal import Terminal

BOOT = str(Path(__file__).parents[1] / "tracer" / "boot.py")


@dataclass(frozen=True)
class Streams:
    """Where the program's output goes.

    `output` gets stdout and stderr in the order in which they were written. Without it both are inherited, stdout as
    our stderr when `stdout_to_stderr`. `terminal`: hand this terminal to the program.
    """

    output: Callable[[bytes], None] | None = None
    stdout_to_stderr: bool = False
    terminal: Terminal | None = None


class Worker:
    """A started interpreter. The reaper watches its group until `collect`.

    A worker whose launcher is killed before that sees to itself (`tracer/orphan.py`).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        streams: Streams,
        reaper: Reaper,
        stdin: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        piped, terminal = streams.output is not None, streams.terminal
        reaper.start()  # first, so that no more than one write lies between the start and the watch
        self._process = subprocess.Popen(  # noqa: S603 - running the user's program is what we are for
            list(command),
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=subprocess.PIPE if piped else 2 if streams.stdout_to_stderr else None,
            stderr=subprocess.STDOUT if piped else None,
            start_new_session=terminal is None,
            preexec_fn=terminal.enter_child if terminal else None,  # noqa: PLW1509 - only system calls, no locks
            pass_fds=pass_fds,
        )
        self._reaper = reaper
        self._terminal = terminal
        self._reader: threading.Thread | None = None
        self.pid = self._process.pid
        reaper.watch(self.pid)
        if streams.output is not None:
            self._reader = threading.Thread(target=self._read, args=(streams.output,), daemon=True)
            self._reader.start()

    def send(self, line: str) -> None:
        """Write one line to stdin and close it. Raises BrokenPipeError when the process is gone."""
        stdin = self._process.stdin
        assert stdin is not None
        with stdin:
            stdin.write(line.encode() + b"\n")

    def wait_for_change(self) -> int | Literal["stopped"]:
        """Block until the process ends (its exit code, negative for a signal) or is stopped."""
        try:
            _, status = os.waitpid(self.pid, os.WUNTRACED)
        except ChildProcessError:  # reaped elsewhere: nothing is known but that it ended
            return self._process.returncode or 0
        if os.WIFSTOPPED(status):
            return "stopped"
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode

    @property
    def running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; SIGKILL also to what left the group."""
        if number == signal.SIGKILL:
            kill_family(self.pid)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def resume(self) -> None:
        """Called when the process was stopped: give way to the shell, if there is one, until we go on."""
        if self._terminal:
            self._terminal.suspend_with(self.pid)

    def collect(self) -> None:
        """The process has ended: kill what it left behind, take the terminal back, wait for the last output."""
        self.signal(signal.SIGKILL)
        if self._terminal:
            self._terminal.take_back()
        self._reaper.forget(self.pid)
        if self._reader:
            self._reader.join(timeout=2)  # a process that left the group may hold the pipe for ever

    def discard(self) -> None:
        """End the process and its group at once."""
        self.signal(signal.SIGKILL)
        self._process.wait()
        self.collect()

    def _read(self, output: Callable[[bytes], None]) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with pipe:
            while piece := os.read(pipe.fileno(), 1 << 16):
                output(piece)
