"""A preview of the Triton that a GPU would run, on a machine without one, for programs that are traced with a target.

Each graph is kept as Inductor got it. When the program has run, a forked process generates and compiles the code
(`child.py`); this one only passes on what it says. What crashes there costs the one graph it was at.
"""

from __future__ import annotations

import atexit
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session
    from compilescope.tracer.triton.kept import Kept

LIMITS = (
    "generated from the CPU graph: its decompositions and its choice of attention kernel",
    "not autotuned: the first of Inductor's candidate configurations",
    "no templates and no tensor memory accelerator: matrix products are library calls",
    "layouts and heuristics of the CPU; the number of multiprocessors is unknown",
    "compiled, never run",
)
NO_GRAPH = "Inductor compiled no graph in this process"
ON_A_GPU = "no preview of graphs that are on a GPU already: the kernels that it ran are recorded"


class Preview:
    """Keeps the graphs of this process and writes their preview at its end, when the session names a target."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._kept: list[Kept] = []
        self._registered = self._done = False
        self._elsewhere = False
        inductor.given.append(session.hooks.guarded("Triton preview", self._keep, loses="the preview of a graph"))
        session.at_end.append(self._finish)
        session.at_fork.append(self._forget)

    def _keep(self, name: str, module: Any, inputs: list[Any], options: dict[str, Any]) -> None:
        if self._session.triton_preview is None:
            return
        if not _on_cpu(inputs):
            self._elsewhere = True
            return
        if not self._registered:
            self._registered = True
            atexit.register(self._finish)  # now: it runs before torch lets go of its operators at exit
        from compilescope.tracer.triton.kept import Kept

        self._kept.append(Kept(name, module, inputs, options))

    def _finish(self) -> dict[str, Any]:
        """Make the preview, unless that was done. A forked child of `multiprocessing` has no other end than ours."""
        target = self._session.triton_preview
        kept, self._kept = self._kept, []
        began = time.monotonic()
        try:
            if target is None or self._done:
                return {}
            self._done = True
            if self._session.interrupted:
                self._fail(None, "the program was interrupted")
            elif kept:
                self._make(kept, target)
            elif "torch._inductor.compile_fx" in sys.modules and not self._session.is_forked:
                self._fail(None, ON_A_GPU if self._elsewhere else NO_GRAPH)
        except Exception as error:
            self._fail(None, f"{type(error).__name__}: {error}")
        self._session.seconds_after += time.monotonic() - began
        return {}

    def _forget(self) -> None:
        self._kept = []
        self._done = False

    def _make(self, kept: list[Kept], target: str) -> None:
        from compilescope.tracer.triton.forked import LONGEST_SECONDS, Child, impossible

        reason = impossible()
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


def _on_cpu(inputs: list[Any]) -> bool:
    tensor = sys.modules["torch"].Tensor
    return all(value.device.type == "cpu" for value in inputs if isinstance(value, tensor))
