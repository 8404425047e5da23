"""A preview of the Triton that a GPU would run, on a machine without one, for programs that are traced with a target.

Each graph is kept as Inductor got it. When the program has run, a forked process generates and compiles the code
(`child.py`); this one only passes on what it says. What crashes there costs the one graph it was at.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import select
import signal
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

from compilescope.tracer.triton.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LONGEST_SECONDS = 300.0
LIMITS = (
    "generated from the CPU graph: its decompositions and its choice of attention kernel",
    "not autotuned: the first of Inductor's candidate configurations",
    "no templates and no tensor memory accelerator: matrix products are library calls",
    "layouts and heuristics of the CPU; the number of multiprocessors is unknown",
    "compiled, never run",
)


class Kept:
    """A graph as Inductor got it."""

    def __init__(self, name: str, module: Any, inputs: list[Any], options: dict[str, Any]) -> None:
        self.name = name
        self.shell = Shell(module)
        self.inputs = self.shell.inputs(inputs)
        self.options = options
        self.trace = sys.modules["torch._guards"].CompileContext.current_trace_id()


class Preview:
    """Keeps the graphs of this process and writes their preview at its end, when the session names a target."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._kept: list[Kept] = []
        self._registered = False
        inductor.given.append(self._keep)
        session.at_end.append(self._finish)
        session.at_fork.append(self._forget)

    def _keep(self, name: str, module: Any, inputs: list[Any], options: dict[str, Any]) -> None:
        if self._session.triton_preview is None or not _on_cpu(inputs):
            return
        if not self._registered:
            self._registered = True
            atexit.register(self._finish)  # now: it runs before torch lets go of its operators at exit
        self._kept.append(Kept(name, module, inputs, options))

    def _finish(self) -> dict[str, Any]:
        """Make the preview, unless that was done. A forked child of `multiprocessing` has no other end than ours."""
        target = self._session.triton_preview
        kept, self._kept = self._kept, []
        began = time.monotonic()
        if target is not None and kept:
            self._make(kept, target)
        elif target is not None and not self._registered and "torch._inductor.compile_fx" in sys.modules:
            self._fail(None, "no graph on a CPU came to Inductor in this process")
        self._session.seconds_after += time.monotonic() - began
        return {}

    def _forget(self) -> None:
        self._kept = []

    def _make(self, kept: list[Kept], target: str) -> None:
        reason = _impossible()
        if reason is not None:
            self._fail(None, reason)
            return
        left = list(enumerate(kept))
        deadline = time.monotonic() + LONGEST_SECONDS
        while left:
            done, why = Child(left, target, self._session).relay(deadline, self._pass_on(kept, target))
            left = left[done:]
            if left and why is not None:
                self._fail(left.pop(0)[1], why.reason)
                if why.final:
                    for _, graph in left:
                        self._fail(graph, why.reason)
                    return

    def _pass_on(self, kept: list[Kept], target: str) -> Callable[[dict[str, Any]], bool]:
        """What to do with a message of the child. True: its graph is done."""

        def pass_on(message: dict[str, Any]) -> bool:
            event = message["event"]
            body = {**message["body"], "preview": True, "target": target, "limits": LIMITS}
            self._session.emit(event, body, trace_id=kept[message["number"]].trace)
            return bool(event == "triton_preview")

        return pass_on

    def _fail(self, graph: Kept | None, reason: str) -> None:
        body: dict[str, Any] = {
            "graph": None if graph is None else graph.name,
            "wrapper": None,
            "kernels": [],
            "error": reason,
            "seconds": 0.0,
            "preview": True,
            "target": self._session.triton_preview,
            "limits": LIMITS,
        }
        self._session.emit("triton_preview", body, trace_id=None if graph is None else graph.trace)


class Ended:
    """Why a child ended before it was done. `final`: no other one is to be started."""

    def __init__(self, reason: str, *, final: bool) -> None:
        self.reason = reason
        self.final = final


class Child:
    """One forked process at work on some graphs."""

    def __init__(self, graphs: list[tuple[int, Kept]], target: str, session: Session) -> None:
        self._interrupted = False
        self._pipe, theirs = os.pipe()
        with warnings.catch_warnings():  # Python 3.12 warns of forks beside threads
            warnings.simplefilter("ignore")
            self._pid = os.fork()
        if self._pid == 0:
            try:
                session.active = False
                os.close(self._pipe)
                from compilescope.tracer.triton import child

                child.work(theirs, graphs, target)
            finally:
                os._exit(0)
        os.close(theirs)

    def relay(self, deadline: float, pass_on: Callable[[dict[str, Any]], bool]) -> tuple[int, Ended | None]:
        """Give each message to `pass_on` until the child ends. Returns how many graphs are done, and why it stopped.

        An interrupt ends the preview and not the program, which is done.
        """
        done, rest, late = 0, b"", False
        before = _handle_interrupt(self._interrupt)
        try:
            while not late:
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
            _handle_interrupt(before)
        if self._interrupted:
            return done, Ended("interrupted", final=True)
        if late:
            return done, Ended(f"not done within {LONGEST_SECONDS:g} seconds", final=True)
        code = os.waitstatus_to_exitcode(status)
        return done, Ended(f"the process that made the preview crashed (exit code {code})", final=False)

    def _interrupt(self, *_signal: Any) -> None:
        self._interrupted = True
        os.kill(self._pid, signal.SIGKILL)


def _on_cpu(inputs: list[Any]) -> bool:
    tensor = sys.modules["torch"].Tensor
    return all(value.device.type == "cpu" for value in inputs if isinstance(value, tensor))


def _impossible() -> str | None:
    """Why there can be no preview in this process, or None."""
    if not hasattr(os, "fork"):
        return "a preview needs Linux"
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed in the program's environment: pip install triton (Linux)"
    return None


def _handle_interrupt(handler: Any) -> Any:
    """Set what SIGINT does; returns what it did. Only the main thread may."""
    try:
        return signal.signal(signal.SIGINT, handler)
    except (TypeError, ValueError):
        return None
