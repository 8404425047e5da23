"""Inductor's scheduler before and after fusion, as graphs of kernels.

Relies on `debug.log_ir_pre_fusion(nodes)` and `log_ir_post_fusion(nodes)`, which the scheduler looks up when it calls
them (torch/_inductor/debug.py and scheduler.py, 2.7 to 2.14). Scheduler nodes change later, so they are put into words
at once.
"""

from __future__ import annotations

import sys
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from compilescope.recording.write import to_json
from compilescope.tracer.kernels import extern_kind
from compilescope.tracer.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frame
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.lowering import Lowering
    from compilescope.tracer.session import Session
    from compilescope.tracer.steps import Steps

LOSES = "the scheduler's kernels and fallback operators"


class Scheduler:
    """Records the scheduler's stages, and leaves the library calls of the last schedule with the lowered graph."""

    def __init__(self, session: Session, graphs: Graphs, steps: Steps, lowering: Lowering) -> None:
        self._session = session
        self._graphs = graphs
        self._steps = steps
        self._lowering = lowering
        self._known: dict[Any, Leaf] = {}

    def install(self) -> None:
        """Hook the two functions when their module is imported."""
        self._session.hooks.after_import("torch._inductor.debug", self._hook, loses=LOSES)

    def _hook(self, module: ModuleType) -> None:
        for name, position in (("log_ir_pre_fusion", "before"), ("log_ir_post_fusion", "after")):
            self._session.hooks.wrap(module, name, self._make(position), loses=LOSES)

    def _make(self, position: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        note = self._session.hooks.guarded(f"scheduler {position} fusion", self._record, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def log_ir(nodes: Any, *args: Any, **kwargs: Any) -> Any:
                note(list(nodes), position)
                return original(nodes, *args, **kwargs)

            return log_ir

        return make

    def advance(self, nodes: list[Any], step: str) -> int | None:
        """The schedule has come to `nodes` by `step`, and a custom pass gets it. Returns the pass's place in the order.

        None when nothing is known of the graph.
        """
        lowered = self._lowering.here()
        if lowered is None:
            return None
        self._step(lowered.name, self._snapshot(nodes)[0], step)
        self._graphs.write()  # a pass of the user's may end the process
        return self._steps.next()

    def passed(self, nodes: list[Any], slot: str, *, order: int, error: BaseException | None, **about: Any) -> None:
        """A custom pass made the schedule `nodes`."""
        lowered = self._lowering.here()
        before = None if lowered is None else self._graphs.last.get(lowered.name)
        if lowered is None or before is None:
            return
        self._known.clear()  # it may have changed nodes in place
        after = before if error is not None else self._snapshot(nodes)[0]
        self._steps.record(
            lowered.name, "scheduler", slot, before, after, kind="pass", order=order, slot=slot, error=error, **about
        )
        self._graphs.last[lowered.name] = after

    def _record(self, nodes: list[Any], position: str) -> None:
        lowered = self._lowering.here()
        if lowered is None:
            return
        now, leaves = self._snapshot(nodes)
        lowered.leaves.update({part.name: part.origins for parts in leaves for part in parts})
        if position == "after":
            lowered.externs = [
                (part.node, part.kind) for parts in leaves for part in parts if part.kind in ("extern", "fallback")
            ]
            lowered.buffers = {buffer for parts in leaves for part in parts for buffer in part.buffers}
            lowered.defined.clear()
            lowered.calls.clear()  # what was generated before was for a trial, or for an earlier schedule
            self._known.clear()
        self._step(lowered.name, now, "lowering" if position == "before" else "fusion")
        self._graphs.stage(lowered.name, "scheduler", position, now)

    def _step(self, graph: str, now: Snapshot, step: str) -> None:
        last = self._graphs.last.get(graph)
        if last is not None:
            seconds = self._steps.since(graph)
            self._steps.record(graph, "scheduler", step, last, now, kind="phase", seconds=seconds)
        self._graphs.last[graph] = now

    def _snapshot(self, nodes: list[Any]) -> tuple[Snapshot, list[list[Leaf]]]:
        leaves = [[self._leaf(leaf) for leaf in _leaves(node)] for node in nodes]
        producers = {buffer: number for number, parts in enumerate(leaves) for part in parts for buffer in part.buffers}
        kernels = [
            self._kernel(node, parts, producers, number)
            for number, (node, parts) in enumerate(zip(nodes, leaves, strict=True))
        ]
        edges = sum(len(kernel["inputs"]) for kernel in kernels)
        content = ", ".join([to_json(kernel) for kernel in kernels])
        return Snapshot.of_text("", len(kernels), edges, content), leaves

    def _leaf(self, node: Any) -> Leaf:
        """What is known of an unfused node, which is the same before and after fusion."""
        if node not in self._known:
            self._known[node] = Leaf(node)
        return self._known[node]

    def _kernel(self, node: Any, parts: list[Leaf], producers: dict[str, int], number: int) -> dict[str, Any]:
        inputs = dict.fromkeys(producers[name] for part in parts for name in part.reads if name in producers)
        inputs.pop(number, None)
        origins = parts[0].origins
        if len(parts) > 1:
            origins = _in_order({origin for part in parts for origin in part.origins})
        fused = "template" if any(part.kind == "template" for part in parts) else "fused"
        return {
            "name": node.get_name(),
            "op": "kernel",
            "target": fused if getattr(node, "snodes", None) else parts[0].kind,
            "args": f"({', '.join(part.name for part in parts)})" if len(parts) > 1 else "()",
            "inputs": list(inputs),
            "parts": [part.name for part in parts],
            "group": _group(node),
            **parts[-1].layout,
            "module": None,
            "frame": self._frame(origins),
            "from": [origin.name for origin in origins],
        }

    def _frame(self, origins: list[Any]) -> Frame | None:
        for origin in reversed(origins):  # the last is the operation itself, the others lead to it
            text = origin.meta.get("stack_trace")
            if text:
                return self._graphs.stacks.user_frame(text)
        return None


class Leaf:
    """One unfused scheduler node in words."""

    def __init__(self, node: Any) -> None:
        self.name: str = node.get_name()
        self.node = node.node
        self.kind = _kind(node)
        self.buffers = [str(buffer) for buffer in node.get_buffer_names()]
        self.reads = [str(dependency.name) for dependency in node.read_writes.reads]
        self.origins = _in_order(set(getattr(node.node, "origins", None) or ()))
        self.layout = _layout(node.node)


def _leaves(node: Any) -> list[Any]:
    parts = getattr(node, "snodes", None)
    return [leaf for part in parts for leaf in _leaves(part)] if parts else [node]


def _kind(node: Any) -> str:
    kind = type(node).__name__
    if kind == "ExternKernelSchedulerNode":
        ir = sys.modules["torch._inductor.ir"]
        return extern_kind(node.node, type(node.node).__name__, ir)
    if kind == "NopKernelSchedulerNode":
        return "nop"
    return "template" if node.is_template() else "single"


def _group(node: Any) -> list[str] | None:
    """Device and loop sizes that nodes must share to be fused without more ado; None for a library call."""
    group = getattr(node, "group", None)
    if not isinstance(group, tuple) or len(group) != 2:  # noqa: PLR2004 - device and sizes
        return None
    device, sizes = group
    flat = [each for part in sizes for each in (part if isinstance(part, (tuple, list)) else (part,))]
    return [str(device), *map(_number, flat)]


def _in_order(origins: set[Any]) -> list[Any]:
    """FX nodes in the order of their graph."""
    try:
        return sorted(origins, key=attrgetter("_sort_key"))
    except AttributeError:  # up to 2.6
        return sorted(origins, key=attrgetter("name"))


def _layout(buffer: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"dtype": None, "shape": None, "stride": None, "device": None}
    try:
        layout = buffer.get_layout()
        fields["device"] = str(layout.device)
        fields["dtype"] = str(layout.dtype)[6:]
        fields["shape"] = [_number(size) for size in layout.size]
        fields["stride"] = [_number(step) for step in layout.stride]
    except Exception:  # kernels with several outputs have no layout of their own
        return fields
    return fields


def _number(expression: Any) -> str:
    """A size in words; sympy's own printer takes dozens of calls for a plain integer."""
    return f"{expression.p}" if getattr(expression, "is_Integer", False) else str(expression)
