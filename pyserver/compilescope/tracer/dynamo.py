"""Dynamo's hand-over of a graph to a backend, whatever the backend is; and the depth at which a run stops.

Relies on `OutputGraph.call_user_compiler(gm, example_inputs)` and its `compiler_fn` (torch/_dynamo/output_graph.py,
2.6 to 2.14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.aot import Aot
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.session import Session
    from compilescope.tracer.unrun import Unrun

LOSES = "the graphs that Dynamo captured"


def install(session: Session, graphs: Graphs, aot: Aot, unrun: Unrun) -> None:
    """Record each graph that Dynamo captured; at depth `capture`, run it as it is instead of compiling it."""
    hooks = session.hooks

    def captured(module: Any, backend: Any) -> None:
        graphs.enter()
        graphs.begin()
        name = graphs.name(module.graph, "dynamo", "dynamo")
        for each, graph in ((name, module.graph), *graphs.subgraphs(name, module)):
            graphs.last[each] = Snapshot(graph)
            graphs.stage(each, "dynamo", "after", graphs.last[each])
        aot.captured(name)
        unrun.captured(backend)

    enter = hooks.guarded("OutputGraph.call_user_compiler", captured, loses=LOSES)
    leave = hooks.guarded("OutputGraph.call_user_compiler", graphs.leave, loses=LOSES)

    def hook(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def call_user_compiler(self: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
                programs_backend = self.compiler_fn
                enter(gm, programs_backend)
                if session.active and session.depth == "capture":
                    self.compiler_fn = _uncompiled(programs_backend)
                try:
                    return original(self, gm, *args, **kwargs)
                finally:
                    self.compiler_fn = programs_backend
                    leave()

            return call_user_compiler

        hooks.wrap(module.OutputGraph, "call_user_compiler", make, loses=LOSES)

    hooks.after_import("torch._dynamo.output_graph", hook, loses=LOSES)


def _uncompiled(backend: Any) -> Callable[..., Any]:
    """A backend that runs the graph as it is, under the name of the program's own."""

    def run_as_captured(gm: Any, _example_inputs: Any, **_options: Any) -> Any:
        return gm.forward

    run_as_captured.__name__ = getattr(backend, "__name__", type(backend).__name__)
    return run_as_captured
