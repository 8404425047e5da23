"""Graphs while Inductor lowers them: what each node became in its IR, and what the scheduler and the generators added.

Relies on `GraphLowering.run_node`, through which every node passes, subgraphs' too (torch/_inductor/graph.py, 2.6 to
2.14), and on `V.graph`, the lowering that is going on. IR is kept by reference until the graph has its code.
"""

from __future__ import annotations

import operator
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "why nodes have no kernel"


class Call(NamedTuple):
    """One call in the generated code: which IR it runs, and torch's number of the call."""

    name: str
    is_extern: bool
    parts: list[Any]
    handle: int | None


class Lowered:
    """One graph from its last pass to its code."""

    def __init__(self, name: str, module: Any, inductors: str) -> None:
        self.name = name
        self.module = module
        self.inductors = inductors
        """Name of the graph that Inductor was asked to compile: another than `name` for a subgraph."""
        self.externs: list[tuple[Any, str]] = []
        """IR and kind of every library call, from the last schedule."""
        self.calls: list[Call] = []
        self.defined: list[Call] = []
        """Kernels that were generated, as if each were called once."""
        self.selections: list[Any] = []
        """Selections among several algorithms."""
        self.leaves: dict[str, list[Any]] = {}
        """The nodes behind each unfused node of the scheduler."""
        self.buffers: set[str] = set()
        """Every buffer that the last schedule computes."""
        self.decisions: dict[tuple[str, str, str], list[Any]] = {}
        """Of two scheduler nodes and a reason against fusing them (none: they were fused): the text, how often."""
        self.code: str | None = None
        self.times: dict[Any, tuple[float, float]] = {}
        """When the lowering of each node began and ended."""
        self.generated: list[tuple[float, float, list[Any]]] = []
        """When code was generated, and for which IR."""


class Lowering:
    """Follows graphs through Inductor. `graphs` has those that are not written yet."""

    def __init__(self, session: Session, graphs: Graphs, inductor: Inductor) -> None:
        self.done: list[Callable[[Lowered], None]] = []
        """Called with each graph that has its code."""
        self._lowered: dict[int, Lowered] = {}
        self._values: dict[Any, Any] = {}
        self._times: dict[Any, tuple[float, float]] = {}
        self._session = session
        self._graphs = graphs
        self._inductor = inductor
        inductor.entered.append(self._entered)
        inductor.lowering.append(session.hooks.guarded("graph to be lowered", self._begin, loses=LOSES))
        inductor.compiled.append(session.hooks.guarded("graph with its code", self._compiled, loses=LOSES))

    def install(self) -> None:
        """Hook the lowering of nodes when its module is imported."""
        self._session.hooks.after_import("torch._inductor.graph", self._hook, loses=LOSES)

    def here(self) -> Lowered | None:
        """The graph that is being lowered, scheduled or turned into code."""
        handler = sys.modules["torch._inductor.virtualized"].V.graph
        module = getattr(handler, "module", None)
        found = self._lowered.get(id(getattr(module, "graph", None)))
        if found is None:
            current = self._inductor.current
            found = next((one for one in self._lowered.values() if one.name == current), None)
        return found

    def selections(self) -> list[Any]:
        """Every selection for graphs without code, newest first."""
        return [one for lowered in self._lowered.values() for one in lowered.selections][::-1]

    def fate(self, node: Any, buffers: set[str], seen: set[int]) -> tuple[str, str | None]:
        """Why `node`, which is in no kernel, needs none, and the node whose data it has where that is known.

        `buffers`: those that the schedule computes. `seen`: ids of the IR whose kernels are known.
        """
        ir = sys.modules["torch._inductor.ir"]
        if node not in self._values:
            return "not-lowered", None
        value = self._values[node]
        if node.target is operator.getitem:
            return "item", _first_input(node)
        if getattr(getattr(node.target, "_schema", None), "is_mutable", False):
            return "mutation", _first_input(node)
        if isinstance(value, ir.IRNode):
            return _fate_of_data(node, value, (buffers, seen), ir)
        return ("check" if value is None else "value"), None

    def _hook(self, module: ModuleType) -> None:
        values, times, clock = self._values, self._times, time.perf_counter

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def run_node(self: Any, n: Any) -> Any:
                begun = clock()
                values[n] = result = original(self, n)
                times[n] = begun, clock()
                return result

            return run_node

        self._session.hooks.wrap(module.GraphLowering, "run_node", make, loses=LOSES)

    def _entered(self, _current: str) -> None:
        if not self._inductor.nested:
            self._lowered.clear()  # a compile that failed left it
            self._values.clear()
            self._times.clear()

    def _begin(self, current: str, module: Any) -> None:
        direction = current.rpartition("/")[2].partition("#")[0]
        name = self._graphs.name(module.graph, direction, "post_grad")
        self._lowered[id(module.graph)] = Lowered(name, module, current)

    def _compiled(self, current: str, result: Any) -> None:
        key = getattr(result, "cache_key", None)
        for lowered in [one for one in self._lowered.values() if one.inductors == current]:
            lowered.code = f"{key}.py" if key else None
            lowered.times = self._times
            for callback in self.done:
                callback(lowered)
            del self._lowered[id(lowered.module.graph)]
        if not self._lowered:
            self._values.clear()
            self._times.clear()


def _fate_of_data(node: Any, value: Any, known: tuple[set[str], set[int]], ir: ModuleType) -> tuple[str, str | None]:
    buffers, seen = known
    is_view = False
    while isinstance(value, (ir.MutableBox, ir.BaseView)):
        is_view = is_view or isinstance(value, ir.BaseView)
        value = value.data
    source = _node_of(value, ir)
    if source in (None, node.name):  # a buffer is named after the last of the nodes that it is
        source = _first_input(node)
    if is_view:
        return "view", source
    if isinstance(value, ir.NopKernel):
        return "in-place", None
    if not isinstance(value, ir.Buffer):
        return "inlined", None
    if isinstance(value, ir.InputBuffer) or id(value) in seen:
        return "same", source
    return ("unknown" if value.name in buffers else "dead"), None


def _first_input(node: Any) -> str | None:
    inputs = node.all_input_nodes
    return inputs[0].name if inputs else None


def _node_of(value: Any, ir: ModuleType) -> str | None:
    """The name of the node whose data a buffer is; an input's buffer has its name."""
    if isinstance(value, ir.InputBuffer):
        return str(value.get_name())
    origin = getattr(value, "origin_node", None)
    return None if origin is None else str(origin.name)
