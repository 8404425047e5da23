"""A forked process that makes the preview, seen from the traced program's."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tracer.session import Session
    from compilescope.tracer.triton.kept import Kept

LONGEST_SECONDS = 300.0
FITTING = {"2.6": "3.2", "2.7": "3.3", "2.8": "3.4", "2.9": "3.5", "2.10": "3.6", "2.11": "3.6", "2.12": "3.7"}
FITTING |= {"2.13": "3.7", "2.14": "3.8"}
"""The Triton that each torch for CUDA asks for in its metadata; torch for CPUs asks for none."""


def impossible() -> str | None:
    """Why there can be no preview in this process, or None."""
    if not hasattr(os, "fork"):
        return "a preview needs Linux"
    if importlib.util.find_spec("triton") is None:
        version = ".".join(str(getattr(sys.modules.get("torch"), "__version__", "")).split(".")[:2])
        fitting = FITTING.get(version)
        how = f"triton~={fitting}.0" if fitting else "triton"
        return (
            f"Triton is not installed in the program's environment: pip install {how} (Linux), "
            f"{'which' if fitting else 'in the version that'} belongs to torch {version}"
        )
    return None


class Ended:
    """Why a child ended before it was done. `final`: no other one is to be started."""

    def __init__(self, reason: str, *, final: bool) -> None:
        self.reason = reason
        self.final = final


class Child:
    """One forked process at work on some graphs."""

    def __init__(self, graphs: list[tuple[int, Kept]], target: str, session: Session) -> None:
        self._interrupted = False
        self._pid = 0
        self._before = _handle_interrupt(self._interrupt)
        self._folder = tempfile.mkdtemp(prefix="compilescope-")
        self._pipe, theirs = os.pipe()
        with warnings.catch_warnings():  # Python 3.12 warns of forks beside threads
            warnings.simplefilter("ignore")
            self._pid = os.fork()
        if self._pid == 0:
            try:
                session.active = False
                os.close(self._pipe)
                from compilescope.tracer.triton import child

                child.work(theirs, graphs, target, self._folder)
            finally:
                os._exit(0)
        os.close(theirs)

    def relay(self, deadline: float, pass_on: Callable[[dict[str, Any]], bool]) -> tuple[int, Ended | None]:
        """Give each message to `pass_on` until the child ends. Returns how many graphs are done, and why it stopped.

        An interrupt ends the preview and not the program, which is done.
        """
        done, rest, late = 0, b"", False
        try:
            while not late and not self._interrupted:
                late = not select.select([self._pipe], [], [], max(0.0, deadline - time.monotonic()))[0]
                piece = b"" if late else os.read(self._pipe, 1 << 20)
                if not piece:
                    break
                *lines, rest = (rest + piece).split(b"\n")
                done += sum(pass_on(json.loads(line)) for line in lines)
            os.kill(self._pid, signal.SIGKILL)
        finally:
            os.close(self._pipe)
            status = os.waitpid(self._pid, 0)[1]
            shutil.rmtree(self._folder, ignore_errors=True)
            _handle_interrupt(self._before)
        if self._interrupted:
            return done, Ended("interrupted", final=True)
        if late:
            return done, Ended(f"not done within {LONGEST_SECONDS:g} seconds", final=True)
        code = os.waitstatus_to_exitcode(status)
        return done, Ended(f"the process that made the preview crashed (exit code {code})", final=False)

    def _interrupt(self, *_signal: Any) -> None:
        self._interrupted = True
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)


def _handle_interrupt(handler: Any) -> Any:
    """Set what SIGINT does; returns what it did. Only the main thread may."""
    try:
        return signal.signal(signal.SIGINT, handler)
    except (TypeError, ValueError):
        return None
