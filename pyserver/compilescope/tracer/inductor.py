"""Inductor's compile of one graph: the boundaries of its groups of passes, and which graph it is at.

Relies on the functions named below in torch/_inductor/compile_fx.py, 2.6 to 2.14.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.uncached import as_if_cached

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.passes import Passes
    from compilescope.tracer.session import Session
    from compilescope.tracer.snapshots import Snapshot
    from compilescope.tracer.steps import Steps

LOSES = "stages of graphs in Inductor"


class Inductor:
    """Follows Inductor through a graph. `current` names the graph that it is at, None outside of it."""

    def __init__(self, session: Session, graphs: Graphs, steps: Steps, passes: Passes) -> None:
        self.compiled: list[Callable[[str, Any], None]] = []
        """Called with the graph's name and Inductor's result."""
        self.given: list[Callable[[str, Any, list[Any], dict[str, Any]], None]] = []
        """Called with the graph's name, its module, its inputs and Inductor's options when Inductor begins with it."""
        self.entered: list[Callable[[str], None]] = []
        """Called with the graph's name when Inductor begins with it."""
        self.lowering: list[Callable[[str, Any], None]] = []
        """Called with the graph's name and module after the last pass over it."""
        self._session = session
        self._graphs = graphs
        self._steps = steps
        self._passes = passes
        self._thread = threading.local()

    @property
    def current(self) -> str | None:
        """The name of the graph that is being compiled by this thread."""
        stack = self._stack()
        return stack[-1][1] if stack else None

    @property
    def nested(self) -> bool:
        """Whether that graph is compiled inside of another one's compile."""
        return len(self._stack()) > 1

    def install(self) -> None:
        """Hook Inductor when it is imported."""
        self._session.hooks.after_import("torch._inductor.compile_fx", self._hook, loses=LOSES)

    def _hook(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        phases: dict[str, tuple[str, Callable[[Any], str]]] = {
            "_recursive_pre_grad_passes": ("pre_grad", lambda _graph: "dynamo"),
            "_recursive_joint_graph_passes": ("joint", _joint_direction),
            "_recursive_post_grad_passes": ("post_grad", lambda _graph: self._direction()),
        }
        for name, (stage, direction) in phases.items():
            hooks.wrap(module, name, self._make_phase(name, stage, direction), loses=f"passes of the {stage} stage")
        hooks.wrap(module, "_compile_fx_inner", self._make_compile(), loses=LOSES)
        hooks.wrap(module, "view_to_reshape", self._make_step("view_to_reshape", _first_argument), loses=LOSES)
        hooks.after_import("torch._inductor.freezing", self._hook_freezing, loses=LOSES)

    def _hook_freezing(self, module: ModuleType) -> None:
        self._session.hooks.wrap(module, "freeze", self._make_step("freeze", _second_argument), loses=LOSES)

    def _make_phase(
        self, function: str, stage: str, direction: Callable[[Any], str]
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        hooks, passes = self._session.hooks, self._passes

        def entered(gm: Any) -> bool:
            passes.enter_phase(stage, direction(gm.graph), gm)
            return True

        def left(entered: bool | None, result: Any, gm: Any) -> None:  # noqa: FBT001 - what `entered` gave
            if not entered:
                return
            passes.leave_phase(gm if result is None else result)
            if stage == "post_grad" and self.current is not None:
                for callback in self.lowering:
                    callback(self.current, gm)
            if not passes.busy:
                self._graphs.write()

        enter = hooks.guarded(function, entered, loses=f"passes of the {stage} stage")
        leave = hooks.guarded(function, left, loses=f"passes of the {stage} stage")

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def phase(gm: Any, *args: Any, **kwargs: Any) -> Any:
                entered = enter(gm)
                result = None
                try:
                    result = original(gm, *args, **kwargs)
                finally:
                    leave(entered, result, gm)
                return result

            return phase

        return make

    def _make_compile(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        hooks = self._session.hooks

        def entered(gm: Any, given: tuple[Any, ...], options: dict[str, Any]) -> None:
            self._graphs.enter()
            kind = "backward" if options.get("is_backward") else "forward"
            direction = "inference" if options.get("is_inference") else kind
            name = self._graphs.name(gm.graph, direction, "post_grad")
            self._stack().append((direction, name))
            for callback in self.entered:
                callback(name)
            for keep in self.given:
                keep(name, gm, list(given[0] if given else options["example_inputs"]), options)

        def left(result: Any) -> None:
            _direction, name = self._stack().pop()
            if result is not None:
                for callback in self.compiled:
                    callback(name, result)
            self._graphs.leave()

        enter = hooks.guarded("compile_fx._compile_fx_inner", entered, loses=LOSES)
        leave = hooks.guarded("compile_fx._compile_fx_inner", left, loses=LOSES)
        raise_as_if_cached = as_if_cached(hooks)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def _compile_fx_inner(gm: Any, *args: Any, **kwargs: Any) -> Any:
                enter(gm, args, kwargs)
                result = None
                try:
                    result = original(gm, *args, **kwargs)
                except Exception as error:
                    raise_as_if_cached(error, gm)
                    raise
                finally:
                    leave(result)
                return result

            return _compile_fx_inner

        return make

    def _make_step(self, name: str, graph_of: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A change of a graph that runs under no observer; a function that returns a module first gives a new graph."""
        hooks = self._session.hooks

        def begun(*args: Any) -> tuple[str, Snapshot] | None:
            graph = graph_of(*args).graph
            label = self._graphs.known(graph)
            return None if label is None else (label, self._steps.arrive(graph, label, "inductor"))

        def ended(label: str, before: Snapshot, result: Any, seconds: float, *args: Any) -> None:
            new = result[0].graph if isinstance(result, tuple) else graph_of(*args).graph
            self._graphs.rename(new, label)
            after = self._graphs.last[label] = self._steps.take(new, before)
            self._steps.record(label, "inductor", name, before, after, kind="phase", seconds=seconds)

        begin = hooks.guarded(name, begun, loses=LOSES)
        end = hooks.guarded(name, ended, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def step(*args: Any, **kwargs: Any) -> Any:
                known = begin(*args)
                started = time.perf_counter()
                result = original(*args, **kwargs)
                if known is not None:
                    end(*known, result, time.perf_counter() - started, *args)
                return result

            return step

        return make

    def _direction(self) -> str:
        stack = self._stack()
        return stack[-1][0] if stack else "forward"

    def _stack(self) -> list[tuple[str, str]]:
        if not hasattr(self._thread, "stack"):
            self._thread.stack = []
        stack: list[tuple[str, str]] = self._thread.stack
        return stack


def _joint_direction(graph: Any) -> str:
    """Joint passes also run over graphs that have no backward: those have no tangents among their inputs."""
    for node in graph.nodes:
        if node.op != "placeholder":
            break
        if node.name.startswith("tangents"):
            return "joint"
    return "inference"


def _first_argument(gm: Any, *_others: Any) -> Any:
    return gm


def _second_argument(_dynamos: Any, gm: Any, *_others: Any) -> Any:
    return gm
