"""AOTAutograd's graphs, whatever the backend: as it traced them, and as the partitioner split the joint one.

Relies on torch/_functorch/_aot_autograd/graph_compile.py: `aot_dispatch_autograd_graph` and `aot_dispatch_base_graph`,
which trace the graph anew into functional ATen operators and return it first (2.9 to 2.14), `_aot_stage2a_partition`,
which returns the forward and the backward first (2.11 and newer), and `aot_config.partition_fn`, which
`aot_stage2_autograd` calls where there is no such function (2.9); up to 2.8 both are in `jit_compile_runtime_wrappers`.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.observed import Observed, with_observed
from compilescope.tracer.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.passes import Passes, Phase
    from compilescope.tracer.session import Session
    from compilescope.tracer.steps import Steps

LOSES = "the graphs of AOTAutograd"
PACKAGE = "torch._functorch._aot_autograd"
SLOT = "joint_custom_pass"
PARTITIONER = "custom_partitioner_fn"

Begun = tuple[str, Snapshot, int, float]
"""A pass that has begun: its graph, how that was, its place in the order, and when it began."""


class Aot:
    """Records each trace and each partition of a graph. `source` is the graph that the next trace is made from."""

    def __init__(self, session: Session, graphs: Graphs, steps: Steps, passes: Passes) -> None:
        self.traced: list[Callable[[str], None]] = []
        """Called with `joint` or `inference` when a graph was traced."""
        self.sees_joint_pass = True
        """Whether a run of `joint_custom_pass` is observed; without, it shows as a gap."""
        self._session = session
        self._graphs = graphs
        self._steps = steps
        self._passes = passes
        self._thread = threading.local()
        passes.left.append(self._left)
        graphs.ended.append(self._ended)

    def install(self) -> None:
        """Hook AOTAutograd when it is imported."""
        self._session.hooks.after_import(f"{PACKAGE}.graph_compile", self._hook, loses=LOSES)

    def captured(self, name: str) -> None:
        """Dynamo captured the graph `name`: what is traced next comes from it."""
        self._thread.source = name

    def _hook(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        for name, direction in (("aot_dispatch_autograd_graph", "joint"), ("aot_dispatch_base_graph", "inference")):
            hooks.wrap(module, name, self._make_trace(direction), loses=LOSES)
        if hasattr(module, "_aot_stage2a_partition"):
            hooks.wrap(module, "_aot_stage2a_partition", self._make_partition(bodies=False), loses=LOSES)
        else:
            hooks.wrap(module, "aot_stage2_autograd", self._make_second_stage(), loses=LOSES)
        if hasattr(sys.modules.get("torch._functorch.config"), SLOT):
            name = "_partition_joint_graph_into_fw_bw"
            name = name if hasattr(module, name) else "_aot_stage2a_partition"  # up to 2.12
            self.sees_joint_pass = hooks.wrap(module, name, self._make_custom(), loses=f"runs of {SLOT}")

    def _make_trace(self, direction: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        hooks = self._session.hooks
        traced = hooks.guarded("aot_dispatch", self._traced, loses=LOSES)
        failed = hooks.guarded("aot_dispatch", self._failed, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def aot_dispatch(*args: Any, **kwargs: Any) -> Any:
                if self._passes.busy:  # a pattern of the pattern matcher
                    return original(*args, **kwargs)
                started = time.perf_counter()
                try:
                    result = original(*args, **kwargs)
                except BaseException as error:
                    failed("aot_trace", self._source(), started, error)
                    raise
                traced(direction, _first(result), started)
                return result

            return aot_dispatch

        return make

    def _make_partition(self, *, bodies: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """`bodies`: the wrapped function also splits joint graphs of bodies, which were never traced for themselves."""
        hooks = self._session.hooks
        begin = hooks.guarded("partition", self._begin_partition, loses=LOSES)
        split = hooks.guarded("partition", self._split, loses=LOSES)
        failed = hooks.guarded("partition", self._failed, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def partition(joint: Any, *args: Any, **kwargs: Any) -> Any:
                if not begin(joint, bodies):
                    return original(joint, *args, **kwargs)
                try:
                    result = original(joint, *args, **kwargs)
                except BaseException as error:
                    failed("partition", self._graphs.known(joint.graph), self._since(), error)
                    raise
                split(joint, result)
                return result

            return partition

        return make

    def _make_second_stage(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        make_partition = self._make_partition(bodies=True)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def aot_stage2_autograd(state: Any, *args: Any, **kwargs: Any) -> Any:
                config = state.aot_config
                programs = config.partition_fn
                config.partition_fn = make_partition(programs)
                try:
                    return original(state, *args, **kwargs)
                finally:
                    config.partition_fn = programs

            return aot_stage2_autograd

        return make

    def _make_custom(self) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Torch calls `joint_custom_pass` of torch/_functorch/config.py (2.10+) in the wrapped function."""

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def partition_joint(*args: Any, **kwargs: Any) -> Any:
                run = functools.partial(original, *args, **kwargs)
                return with_observed(run, sys.modules["torch._functorch.config"], (SLOT,), self._observed)

            return partition_joint

        return make

    def _observed(self, slot: str, function: Callable[..., Any]) -> Observed:
        guarded = self._session.hooks.guarded
        begin = guarded(slot, self._begin_custom, loses=LOSES)
        return Observed(function, begin, guarded(slot, self._end_custom, loses=LOSES))

    def _traced(self, direction: str, module: Any, started: float) -> None:
        name = self._graphs.name(module.graph, direction, "aot")
        for callback in self.traced:
            callback(direction)
        self._came(name, module, "aot_trace", self._source(), seconds=time.perf_counter() - started)
        self._graphs.write()

    def _failed(self, step: str, source: str | None, started: float, error: BaseException) -> None:
        before = self._graphs.last.get(source or "")
        if source is not None and before is not None and not self._steps.is_recorded(error):
            about = self._partitioner() if step == "partition" else {}
            seconds = time.perf_counter() - started
            self._steps.record(source, "aot", step, before, before, kind="phase", seconds=seconds, error=error, **about)

    def _begin_partition(self, joint: Any, bodies: bool) -> bool:  # noqa: FBT001 - as it was made for
        known = self._graphs.known(joint.graph)
        if known is None and bodies:
            return False
        self._thread.since = time.perf_counter()
        self._thread.joint = known or self._graphs.name(joint.graph, "joint", "partition")
        self._thread.inductors = False
        return True

    def _split(self, joint: Any, result: Any) -> None:
        source = getattr(self._thread, "joint", None) or self._graphs.known(joint.graph)
        seconds = time.perf_counter() - self._since()
        for direction, module in zip(("forward", "backward"), result, strict=False):
            name = self._graphs.name(module.graph, direction, "aot")
            self._came(name, module, "partition", source, seconds=seconds, **self._partitioner())
            seconds = 0.0
        self._graphs.write()

    def _partitioner(self) -> dict[str, Any]:
        """The program's own partitioner; only Inductor's `partition_fn`, which begins with passes, looks for one."""
        if not getattr(self._thread, "inductors", False):
            return {}
        function = getattr(sys.modules.get("torch._inductor.config"), PARTITIONER, None)
        return {"function": function, "slot": PARTITIONER}

    def _came(self, name: str, module: Any, step: str, source: str | None, **about: Any) -> None:
        """The graph `name` came into being out of `source`, and with it the bodies of its higher-order operators."""
        before = self._graphs.last.get(source or "")
        for each, graph in ((name, module.graph), *self._graphs.subgraphs(name, module)):
            after = self._graphs.last[each] = Snapshot(graph)
            if before is not None:
                self._steps.record(each, "aot", step, before, after, kind="phase", source=source, **about)
                about["seconds"] = 0.0
            self._graphs.stage(each, "aot", "after", after)

    def _begin_custom(self, joint: Any) -> Begun | None:
        name = self._graphs.known(joint.graph)
        if name is None:
            return None
        before = self._steps.arrive(joint.graph, name, "aot")
        self._graphs.write()
        return name, before, self._steps.next(), time.perf_counter()

    def _end_custom(self, begun: Begun, function: Any, result: Any, error: BaseException | None) -> None:
        name, before, order, started = begun
        seconds = time.perf_counter() - started
        after = self._graphs.last[name] = self._steps.take(result.graph, before)
        self._graphs.rename(result.graph, name)
        about = {"order": order, "seconds": seconds, "function": function, "error": error}
        self._steps.record(name, "aot", SLOT, before, after, kind="pass", **about)

    def _left(self, phase: Phase) -> None:
        """Passes have run over a graph: the dynamo graph is what is traced next, the joint what is partitioned."""
        if phase.name == "pre_grad":
            self._thread.source = phase.graph
        elif phase.name == "joint" and phase.graph == getattr(self._thread, "joint", None):
            self._thread.since = time.perf_counter()
            self._thread.inductors = True

    def _source(self) -> str | None:
        return getattr(self._thread, "source", None)

    def _since(self) -> float:
        return float(getattr(self._thread, "since", 0.0))

    def _ended(self) -> None:
        self._thread.source = self._thread.joint = None


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result
