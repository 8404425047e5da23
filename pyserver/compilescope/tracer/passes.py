"""Inductor's passes over FX graphs: name, order, time, and the graph before and after.

Every pass that runs under `GraphTransformObserver` is seen (torch/fx/passes/graph_transform_observer.py, `__enter__`,
`__exit__` and `apply_*_pass`, 2.6 to 2.14); what changes a graph between them shows as a gap.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.environment import torch_root
from compilescope.tracer.slots import INDUCTOR, bare, held

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.matches import Matches
    from compilescope.tracer.session import Session
    from compilescope.tracer.snapshots import Snapshot
    from compilescope.tracer.steps import Steps

LOSES = "passes"


class Phase:
    """One run of a group of passes over one graph."""

    def __init__(self, name: str, graph: str, module: Any) -> None:
        self.name = name
        self.graph = graph
        self.module = module


class RunningPass:
    """A pass that has begun and not ended."""

    def __init__(self, phase: Phase, graph: str, before: Snapshot, order: int, function: Any) -> None:
        self.phase = phase
        self.graph = graph
        self.before = before
        self.order = order
        self.function = function
        self.started = 0.0


class Passes:
    """Follows phases and passes, each thread on its own."""

    def __init__(self, session: Session, graphs: Graphs, steps: Steps, matches: Matches) -> None:
        self.left: list[Callable[[Phase], None]] = []
        """Called when the passes of a phase have run."""
        self._session = session
        self._graphs = graphs
        self._steps = steps
        self._matches = matches
        self._thread = threading.local()
        self._functions: dict[int, Any] = {}

    @property
    def busy(self) -> bool:
        """Whether passes are running in this thread: what torch traces meanwhile are patterns of its own."""
        return bool(self._phases())

    def install(self) -> None:
        """Hook the observer when it is imported."""
        name = "torch.fx.passes.graph_transform_observer"
        self._session.hooks.after_import(name, self._hook_observer, loses=LOSES)

    def enter_phase(self, name: str, direction: str, module: Any) -> None:
        """Passes of phase `name` begin over the graph of `module`."""
        graph = module.graph
        outer = self._phases()[-1] if self._phases() else None
        if outer is not None and self._graphs.known(graph) is None:
            attributes = (attribute for attribute, child in outer.module._modules.items() if child is module)
            attribute = next(attributes, None)
            if attribute is not None:
                self._graphs.rename(graph, f"{outer.graph}{'.' if '#' in outer.graph else '#'}{attribute}")
        label = self._graphs.name(graph, direction, name)
        self._phases().append(Phase(name, label, module))
        self._graphs.stage(label, name, "before", self._steps.arrive(graph, label, name))

    def leave_phase(self, module: Any) -> None:
        """The passes of the current phase have run and gave `module`."""
        phase = self._phases().pop()
        now = self._steps.arrive(module.graph, phase.graph, phase.name)
        if module is not phase.module or self._graphs.known(module.graph) is None:
            self._graphs.rename(module.graph, phase.graph)
        self._graphs.stage(phase.graph, phase.name, "after", now)
        for callback in self.left:
            callback(phase)

    def _hook_observer(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        begin = hooks.guarded("GraphTransformObserver.__enter__", self._begin, loses=LOSES)
        end = hooks.guarded("GraphTransformObserver.__exit__", self._end, loses=LOSES)
        note = hooks.guarded(
            "GraphTransformObserver.apply_graph_pass", self._note_function, loses="functions of passes"
        )
        functions = self._functions

        def make_enter(original: Callable[..., Any]) -> Callable[..., Any]:
            def __enter__(self: Any) -> Any:
                entered = original(self)
                begin(self)
                return entered

            return __enter__

        def make_exit(original: Callable[..., Any]) -> Callable[..., Any]:
            def __exit__(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
                end(self, error)
                return original(self, kind, error, traceback)

            return __exit__

        def make_apply(original: Callable[..., Any]) -> Callable[..., Any]:
            def apply(self: Any, pass_fn: Any, *args: Any, **kwargs: Any) -> Any:
                note(self, pass_fn)
                try:
                    return original(self, pass_fn, *args, **kwargs)
                finally:
                    functions.pop(id(self), None)

            return apply

        observer = module.GraphTransformObserver
        hooks.wrap(observer, "__enter__", make_enter, loses=LOSES)
        hooks.wrap(observer, "__exit__", make_exit, loses=LOSES)
        for name in ("apply_gm_pass", "apply_graph_pass"):
            hooks.wrap(observer, name, make_apply, loses="functions of passes")

    def _note_function(self, observer: Any, function: Any) -> None:
        self._functions[id(observer)] = function
        code = getattr(bare(function), "__code__", None)
        if code is None or not code.co_filename.startswith(torch_root() or "\0"):
            self._graphs.write()  # a pass of the user's may end the process

    def _begin(self, observer: Any) -> None:
        phase = self._phase(observer)
        graph = observer.gm.graph
        name = self._name(phase, observer.gm)
        function = self._functions.get(id(observer))
        if function is None and observer.passname in INDUCTOR:  # called under the observer, not by it: up to 2.9
            function = held(observer.passname)
            self._graphs.write()
        running = self._running()
        if any(one.graph == name for one in running):  # what an outer pass did before is that pass's
            before = self._steps.take(graph, self._graphs.last.get(name))
            self._graphs.last[name] = before
        else:
            before = self._steps.arrive(graph, name, phase.name)
        started = RunningPass(phase, name, before, self._steps.next(), function)
        running.append(started)
        self._matches.begin()
        started.started = time.perf_counter()

    def _end(self, observer: Any, error: BaseException | None) -> None:
        ended = time.perf_counter()
        running = self._running().pop()
        after = self._steps.take(observer.gm.graph, running.before)
        self._graphs.last[running.graph] = after
        self._steps.record(
            running.graph,
            running.phase.name,
            observer.passname,
            running.before,
            after,
            kind="pass",
            order=running.order,
            depth=len(self._running()),
            seconds=ended - running.started,
            started=running.started,
            function=running.function,
            matches=self._matches.end(),
            error=error,
        )

    def _name(self, phase: Phase, module: Any) -> str:
        """The name of a pass's graph: the phase's own, or that of another graph which a pass made or looks at."""
        if module is phase.module:
            return phase.graph
        known = self._graphs.known(module.graph)
        direction = phase.graph.partition("#")[0].rpartition("/")[2]
        return known or self._graphs.name(module.graph, direction, f"{phase.name} inside")

    def _phase(self, observer: Any) -> Phase:
        """The current phase; a pass outside of all of them gets one of its own, named after its subsystem."""
        if self._phases():
            return self._phases()[-1]
        name = str(getattr(observer, "subsystem", None) or "other").removesuffix("_passes").removesuffix("_graph")
        graph = observer.gm.graph
        return Phase(name, self._graphs.known(graph) or self._graphs.name(graph, "dynamo", name), observer.gm)

    def _phases(self) -> list[Phase]:
        if not hasattr(self._thread, "phases"):
            self._thread.phases = []
        phases: list[Phase] = self._thread.phases
        return phases

    def _running(self) -> list[RunningPass]:
        if not hasattr(self._thread, "running"):
            self._thread.running = []
        running: list[RunningPass] = self._thread.running
        return running
