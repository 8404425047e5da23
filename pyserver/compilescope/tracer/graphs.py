"""The graphs of a compile: their names, their stages, and what waits for the end of the compile to be written.

During a compile only references are kept. When the outermost compile ends (on the way out of Dynamo's call of the
backend, or of Inductor when it compiles a backward graph later) everything is turned into text at once.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import Renderer, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tracer.session import Session
    from compilescope.tracer.stacktext import StackTexts


class Graphs:
    """Names graphs and collects events about them until `leave` writes them."""

    def __init__(self, session: Session, stacks: StackTexts) -> None:
        self.stacks = stacks
        self.renderer = Renderer(session.emit_json, stacks)
        self._session = session
        self._thread = threading.local()
        self._names: Counter[tuple[str, str, str]] = Counter()
        session.at_fork.append(self._forked)
        session.at_end.append(self._end)

    def enter(self) -> None:
        """A compile begins, perhaps inside of another one."""
        self._thread.depth = getattr(self._thread, "depth", 0) + 1

    def leave(self) -> None:
        """A compile ends; the outermost one writes what was collected."""
        self._thread.depth = getattr(self._thread, "depth", 1) - 1
        if self._thread.depth == 0:
            self.write()

    def name(self, graph: Any, direction: str, stage: str) -> str:
        """`<compile id>/<direction>`, with `#n` for a further graph of this direction and stage in one compile."""
        trace = sys.modules["torch._guards"].CompileContext.current_trace_id()
        compile_ = "-" if trace is None else str(trace)
        known = self._known()
        key = (compile_, direction, stage, id(graph))
        if key not in known:
            number = self._names[compile_, direction, stage]
            self._names[compile_, direction, stage] += 1
            known[key] = (f"{compile_}/{direction}" + (f"#{number}" if number else ""), graph)
        return str(known[key][0])

    def stage(self, name: str, stage: str, position: str, snapshot: Snapshot) -> None:
        """Record a graph at a boundary of a stage."""

        def body() -> dict[str, Any]:
            rendered = self.renderer.render(snapshot)
            return {
                "graph": name,
                "stage": stage,
                "position": position,
                "snapshot": rendered.id,
                "nodes": rendered.nodes,
                "edges": rendered.edges,
            }

        self.later("stage", body)

    def later(self, event: str, body: Callable[[], dict[str, Any]]) -> None:
        """Record `event` when the compile ends; `body` is asked for its content then."""
        trace = sys.modules["torch._guards"].CompileContext.current_trace_id()
        self._pending().append((event, body, trace))

    def write(self) -> None:
        """Write what this thread has collected and let go of the graphs."""
        pending, self._thread.pending = self._pending(), []
        for event, body, trace in pending:
            content = self._session.hooks.guarded(f"{event} event", body, loses=f"{event} events")()
            if content is not None:
                self._session.emit(event, content, trace_id=trace)
        self._known().clear()
        self.renderer.release()

    def _pending(self) -> list[tuple[str, Callable[[], dict[str, Any]], Any]]:
        if not hasattr(self._thread, "pending"):
            self._thread.pending = []
        pending: list[tuple[str, Callable[[], dict[str, Any]], Any]] = self._thread.pending
        return pending

    def _known(self) -> dict[tuple[str, str, str, int], tuple[str, Any]]:
        if not hasattr(self._thread, "known"):
            self._thread.known = {}
        known: dict[tuple[str, str, str, int], tuple[str, Any]] = self._thread.known
        return known

    def _forked(self) -> None:
        self._thread = threading.local()
        self.renderer.forget()

    def _end(self) -> dict[str, Any]:
        self.write()
        return {}
