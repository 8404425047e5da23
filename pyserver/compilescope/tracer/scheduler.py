"""Inductor's scheduler before and after fusion, as graphs of kernels.

Relies on `debug.log_ir_pre_fusion(nodes)` and `log_ir_post_fusion(nodes)`, which the scheduler looks up when it calls
them (torch/_inductor/debug.py and scheduler.py, 2.7 to 2.14). Scheduler nodes change later, so they are put into words
at once.
"""

from __future__ import annotations

import json
import sys
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import target_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "the scheduler's kernels and fallback operators"


class Scheduler:
    """Records the scheduler's stages. `externs` holds, for each graph, the library calls of its last schedule."""

    def __init__(self, session: Session, graphs: Graphs, inductor: Inductor) -> None:
        self.externs: dict[str, list[dict[str, Any]]] = {}
        self._session = session
        self._graphs = graphs
        self._inductor = inductor

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

    def _record(self, nodes: list[Any], position: str) -> None:
        graph = self._inductor.current
        if graph is None:
            return
        producers: dict[str, int] = {}
        for number, node in enumerate(nodes):
            for buffer in node.get_buffer_names():
                producers[str(buffer)] = number
        kernels = [self._kernel(node, producers, number) for number, node in enumerate(nodes)]
        if position == "after":
            self.externs[graph] = [
                _extern(part) for node in nodes for part in _parts(node) if _kind(part) in ("extern", "fallback")
            ]
        edges = sum(len(kernel["inputs"]) for kernel in kernels)

        def body() -> dict[str, Any]:
            id_ = self._graphs.renderer.write(", ".join(json.dumps(kernel, default=str) for kernel in kernels))
            return {
                "graph": graph,
                "stage": "scheduler",
                "position": position,
                "snapshot": id_,
                "nodes": len(kernels),
                "edges": edges,
            }

        self._graphs.later("stage", body)

    def _kernel(self, node: Any, producers: dict[str, int], number: int) -> dict[str, Any]:
        reads = [str(dep.name) for dep in node.read_writes.reads]
        inputs = dict.fromkeys(producers[name] for name in reads if name in producers)
        inputs.pop(number, None)
        origins = _origins(node)
        parts = [part.get_name() for part in _parts(node)]
        return {
            "name": node.get_name(),
            "op": "kernel",
            "target": _kind(node),
            "args": f"({', '.join(parts)})" if len(parts) > 1 else "()",
            "inputs": list(inputs),
            **_layout(node),
            "module": None,
            "frame": next(
                filter(None, (self._graphs.stacks.user_frame(o.meta.get("stack_trace")) for o in origins)), None
            ),
            "from": [origin.name for origin in origins],
        }


def _parts(node: Any) -> list[Any]:
    return list(getattr(node, "snodes", None) or [node])


def _kind(node: Any) -> str:
    if getattr(node, "snodes", None):
        return "template" if node.is_template() else "fused"
    kind = type(node).__name__
    if kind == "ExternKernelSchedulerNode":
        ir = sys.modules["torch._inductor.ir"]
        return "fallback" if isinstance(node.node, ir.FallbackKernel) else "extern"
    if kind == "NopKernelSchedulerNode":
        return "nop"
    return "template" if node.is_template() else "single"


def _origins(node: Any) -> list[Any]:
    """The post-grad FX nodes behind a scheduler node, in the order of the graph."""
    origins = {origin for part in _parts(node) for origin in getattr(part.node, "origins", None) or ()}
    try:
        return sorted(origins, key=attrgetter("_sort_key"))
    except AttributeError:  # up to 2.6
        return sorted(origins, key=attrgetter("name"))


def _layout(node: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"dtype": None, "shape": None, "stride": None, "device": None}
    buffer = getattr(_parts(node)[-1], "node", None)
    try:
        fields["device"] = str(node.get_device())
        fields["dtype"] = str(buffer.get_dtype())[6:]  # type: ignore[union-attr]
        fields["shape"] = [_number(size) for size in buffer.get_size()]  # type: ignore[union-attr]
        fields["stride"] = [_number(step) for step in buffer.get_stride()]  # type: ignore[union-attr]
    except Exception:  # kernels with several outputs have no layout of their own
        return fields
    return fields


def _number(expression: Any) -> str:
    """A size in words; sympy's own printer takes dozens of calls for a plain integer."""
    return f"{expression.p}" if getattr(expression, "is_Integer", False) else str(expression)


def _extern(node: Any) -> dict[str, Any]:
    kernel, origins = node.node, _origins(node)
    operator = getattr(kernel, "op_overload", None)
    name = getattr(kernel, "python_kernel_name", None) or getattr(kernel, "kernel", None)
    return {
        "name": str(name or (operator and target_name(operator)) or type(kernel).__name__),
        "kind": _kind(node),
        "operator": None if operator is None else target_name(operator),
        "origins": origins,
        "names": [origin.name for origin in origins],
    }
