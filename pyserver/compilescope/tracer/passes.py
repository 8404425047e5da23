"""Inductor's passes over FX graphs: name, order, time, and the graph before and after.

Every pass that runs under `GraphTransformObserver` is seen (torch/fx/passes/graph_transform_observer.py, `__enter__`,
`__exit__` and `apply_*_pass`, 2.6 to 2.14); what changes a graph between them shows as a gap.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.environment import torch_root
from compilescope.tracer.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.session import Session

LOSES = "passes"
SLOTS = (
    "pre_grad_custom_pass",
    "joint_custom_pre_pass",
    "joint_custom_post_pass",
    "post_grad_custom_pre_pass",
    "post_grad_custom_post_pass",
)
MATCHED = ("LoweringPatternEntry", "GraphPatternEntry", "ReplacementPatternEntry")


class Phase:
    """One run of a group of passes over one graph."""

    def __init__(self, name: str, graph: str) -> None:
        self.name = name
        self.graph = graph
        self.last: dict[int, Snapshot] = {}


class RunningPass:
    """A pass that has begun and not ended."""

    def __init__(self, name: str, before: Snapshot, function: Any) -> None:
        self.name = name
        self.before = before
        self.function = function
        self.matches = 0
        self.order = 0
        self.started = 0.0


class Passes:
    """Follows phases and passes, each thread on its own."""

    def __init__(self, session: Session, graphs: Graphs) -> None:
        self._session = session
        self._graphs = graphs
        self._thread = threading.local()
        self._functions: dict[int, Any] = {}
        self._count = 0

    def install(self) -> None:
        """Hook the observer and the pattern matcher when they are imported."""
        hooks = self._session.hooks
        hooks.after_import("torch.fx.passes.graph_transform_observer", self._hook_observer, loses=LOSES)
        hooks.after_import("torch._inductor.pattern_matcher", self._hook_matcher, loses="matches of patterns")

    def enter_phase(self, name: str, direction: str, graph: Any) -> None:
        """Passes of phase `name` begin over `graph`."""
        label = self._graphs.name(graph, direction, name)
        phase = Phase(name, label)
        phase.last[id(graph)] = snapshot = Snapshot(graph)
        self._phases().append(phase)
        self._graphs.stage(label, name, "before", snapshot)

    def leave_phase(self, entered: Any, left: Any) -> None:
        """The passes of the current phase have run: they got the graph `entered` and gave `left`."""
        phase = self._phases().pop()
        previous = phase.last.get(id(left)) or phase.last.get(id(entered))
        now = self._take(left, previous)
        if previous is not None and now is not previous and not now.same_as:
            self._record(phase, "", None, previous, now, gap=True)
        self._graphs.stage(phase.graph, phase.name, "after", now)

    def _hook_observer(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        begin = hooks.guarded("GraphTransformObserver.__enter__", self._begin, loses=LOSES)
        end = hooks.guarded("GraphTransformObserver.__exit__", self._end, loses=LOSES)
        functions = self._functions

        def make_enter(original: Callable[..., Any]) -> Callable[..., Any]:
            def __enter__(self: Any) -> Any:
                entered = original(self)
                begin(self)
                return entered

            return __enter__

        def make_exit(original: Callable[..., Any]) -> Callable[..., Any]:
            def __exit__(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
                end(self, kind)
                return original(self, kind, error, traceback)

            return __exit__

        def make_apply(original: Callable[..., Any]) -> Callable[..., Any]:
            def apply(self: Any, pass_fn: Any, *args: Any, **kwargs: Any) -> Any:
                functions[id(self)] = pass_fn
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

    def _hook_matcher(self, module: ModuleType) -> None:
        def matched() -> None:
            running = self._running()
            if running:
                running[-1].matches += 1

        note = self._session.hooks.guarded("pattern match", matched, loses="matches of patterns")

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def apply(*args: Any, **kwargs: Any) -> Any:
                note()
                return original(*args, **kwargs)

            return apply

        for name in MATCHED:
            self._session.hooks.wrap(getattr(module, name, None), "apply", make, loses="matches of patterns")

    def _begin(self, observer: Any) -> None:
        graph = observer.gm.graph
        phase = self._phase(observer, graph)
        previous = phase.last.get(id(graph))
        before = self._take(graph, previous)
        if previous is not None and before is not previous and not before.same_as and not self._running():
            self._record(phase, "", None, previous, before, gap=True)
        running = RunningPass(observer.passname, before, self._functions.get(id(observer)))
        running.order = self._next()
        self._running().append(running)
        running.started = time.perf_counter()

    def _end(self, observer: Any, error: type[BaseException] | None) -> None:
        ended = time.perf_counter()
        running = self._running().pop()
        graph = observer.gm.graph
        phase = self._phase(observer, graph)
        after = self._take(graph, running.before)
        phase.last[id(graph)] = after
        self._record(phase, running.name, running, running.before, after, seconds=ended - running.started, error=error)

    def _take(self, graph: Any, previous: Snapshot | None) -> Snapshot:
        """A snapshot of `graph`; `previous` itself, or one that refers to it, when nothing changed."""
        now = Snapshot(graph)
        if previous is not None and now.equals(previous):
            now.same_as = previous
        return now

    def _record(
        self,
        phase: Phase,
        name: str,
        running: RunningPass | None,
        before: Snapshot,
        after: Snapshot,
        *,
        seconds: float = 0.0,
        gap: bool = False,
        error: type[BaseException] | None = None,
    ) -> None:
        fixed: dict[str, Any] = {
            "graph": phase.graph,
            "phase": phase.name,
            "name": name,
            "order": self._next() if running is None else running.order,
            "depth": len(self._running()),
            "seconds": round(seconds, 7),
            **describe_function(None if running is None else running.function),
            "matches": 0 if running is None else running.matches,
            "gap": gap,
            "error": None if error is None else error.__name__,
        }

        def body() -> dict[str, Any]:
            first, second = self._graphs.renderer.render(before), self._graphs.renderer.render(after)
            return {
                **fixed,
                "changed": first is not second,
                "before": first.id,
                "after": second.id,
                "nodes_before": first.nodes,
                "nodes_after": second.nodes,
                "edges_before": first.edges,
                "edges_after": second.edges,
            }

        self._graphs.later("pass", body)

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def _phase(self, observer: Any, graph: Any) -> Phase:
        """The current phase; a pass outside of all of them gets one of its own, named after its subsystem."""
        if self._phases():
            return self._phases()[-1]
        name = str(getattr(observer, "subsystem", None) or "other").removesuffix("_passes")
        return Phase(name, self._graphs.name(graph, "dynamo", name))

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


def describe_function(function: Any) -> dict[str, Any]:
    """`function`, `file`, `line` and `custom` of a pass: custom when it is the user's, by its file or by its slot."""
    if function is None:
        return {"custom": False, "function": None, "file": None, "line": None}
    slot = _in_custom_slot(function)
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    named = function if hasattr(function, "__qualname__") else type(function)
    custom = slot or (code is not None and not code.co_filename.startswith(torch_root() or "\0"))
    return {
        "custom": custom,
        "function": f"{named.__module__}.{named.__qualname__}",
        "file": code.co_filename if custom and code is not None else None,
        "line": code.co_firstlineno if custom and code is not None else None,
    }


def _in_custom_slot(function: Any) -> bool:
    config = sys.modules.get("torch._inductor.config")
    inner = function.func if isinstance(function, functools.partial) else function
    for name in SLOTS:
        value = getattr(config, name, None)
        if value is not None and any(inner is each for each in (value if isinstance(value, list) else [value])):
            return True
    return False
