"""The graphs of a compile: their names, their stages, and what waits to be written.

While torch works on a graph only references are kept. They are turned into text when a group of passes has run, before
a pass of the user's (which may take the process down), and when a compile ends: on the way out of Dynamo's call of the
backend, or of Inductor when it compiles a backward graph later.
"""

from __future__ import annotations

import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import Renderer, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.tracer.session import Session
    from compilescope.tracer.stacktext import StackTexts


class Graphs:
    """Names graphs, remembers how each was last seen, and collects events about them until `write`."""

    def __init__(self, session: Session, stacks: StackTexts) -> None:
        self.stacks = stacks
        self.renderer = Renderer(session.emit_json, stacks)
        self.last: dict[str, Snapshot] = {}
        """How each graph, by its name, was after its last step."""
        self.ended: list[Callable[[], None]] = []
        """Called when the outermost compile of a thread ends, before its events are written."""
        self._session = session
        self._thread = threading.local()
        self._names: dict[str, dict[str, set[str]]] = {}
        self._named: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._objects: dict[str, weakref.ref[Any]] = {}
        session.at_fork.append(self._forked)
        session.at_end.append(self._end)

    def enter(self) -> None:
        """A compile begins, perhaps inside of another one."""
        self._thread.depth = getattr(self._thread, "depth", 0) + 1

    def leave(self) -> None:
        """A compile ends; the outermost one lets go of the graphs."""
        self._thread.depth = getattr(self._thread, "depth", 1) - 1
        if self._thread.depth > 0:
            self.write()
            return
        for callback in self.ended:
            callback()
        self.write()
        self.renderer.release()
        for name, snapshot in list(self.last.items()):
            written = snapshot.origin()
            if written.id:
                self.last[name] = Snapshot.of_text(written.id, written.nodes, written.edges)

    def begin(self) -> None:
        """Dynamo captured a graph: if an earlier one had this compile id, torch was reset, and names start anew."""
        start = f"{_compile()}/"
        for whole in [whole for whole in self._names if whole.startswith(start)]:
            del self._names[whole]
        for name in [name for name in self.last if name.startswith(start)]:
            del self.last[name]

    def name(self, graph: Any, direction: str, stage: str) -> str:
        """`<compile id>/<direction>`, with `#n` for a further graph of this direction in one compile.

        A graph keeps its name from stage to stage. One that was never seen may be a copy of one that has not come to
        `stage` yet: that which has the same content, else that which is gone.
        """
        compile_ = _compile()
        whole = f"{compile_}/{direction}"
        known = self._named.get(graph)
        if known is not None and known.startswith(f"{compile_}/") and ("/dynamo" in known) is (direction == "dynamo"):
            self._names.get(known.partition("#")[0], {}).get(known, set()).add(stage)
            return known
        names = self._names.setdefault(whole, {})
        waiting = [name for name, stages in names.items() if stage not in stages and name in self.last]
        found = self._copied(graph, waiting) if waiting else None
        name = found or whole + (f"#{len(names)}" if names else "")
        names.setdefault(name, set()).add(stage)
        self.rename(graph, name)
        return name

    def known(self, graph: Any) -> str | None:
        """The name of a graph that was seen before."""
        return self._named.get(graph)

    def rename(self, graph: Any, name: str) -> None:
        """`graph` is what became of the one that is called `name`."""
        self._named[graph] = name
        self._objects[name] = weakref.ref(graph)

    def subgraphs(self, name: str, module: Any) -> Iterator[tuple[str, Any]]:
        """Name the bodies of higher-order operators in `module`: `0/0/forward#true_graph_0`, deeper ones after dots."""
        kind = sys.modules["torch.fx"].GraphModule
        for attribute, child in module._modules.items():
            if isinstance(child, kind):
                inner = f"{name}{'.' if '#' in name else '#'}{attribute}"
                self.rename(child.graph, inner)
                yield inner, child.graph
                yield from self.subgraphs(inner, child)

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

    def later(self, event: str, body: Callable[[], dict[str, Any] | None]) -> None:
        """Record `event` with the next `write`; `body` is asked for its content then, None for no event at all."""
        trace = sys.modules["torch._guards"].CompileContext.current_trace_id()
        self._pending().append((event, body, trace))

    def write(self) -> None:
        """Write what this thread has collected."""
        pending, self._thread.pending = self._pending(), []
        for event, body, trace in pending:
            content = self._session.hooks.guarded(f"{event} event", body, loses=f"{event} events")()
            if content is not None:
                self._session.emit(event, content, trace_id=trace)

    def _copied(self, graph: Any, waiting: list[str]) -> str | None:
        copy = self.renderer.render(Snapshot(graph)).id
        same = (name for name in waiting if self.renderer.render(self.last[name]).id == copy)
        gone = (name for name in waiting if self._objects[name]() is None)
        return next(same, None) or next(gone, None)

    def _pending(self) -> list[tuple[str, Callable[[], dict[str, Any] | None], Any]]:
        if not hasattr(self._thread, "pending"):
            self._thread.pending = []
        pending: list[tuple[str, Callable[[], dict[str, Any] | None], Any]] = self._thread.pending
        return pending

    def _forked(self) -> None:
        self._thread = threading.local()
        self.last.clear()
        self.renderer.forget()

    def _end(self) -> dict[str, Any]:
        self.write()
        return {}


def _compile() -> str:
    """The current compile id and attempt, `0/0_1`; `-` outside of Dynamo."""
    trace = sys.modules["torch._guards"].CompileContext.current_trace_id()
    return "-" if trace is None else str(trace)
