"""Kernels and library calls of a compiled graph, each with its nodes and the lines that it came from.

Relies on the map that Inductor keeps at provenance level 2 (`debug._inductor_triton_kernel_to_post_grad_node_info`,
2.9 to 2.14), read where Inductor publishes it (`debug.dump_inductor_provenance_info`): its published form is empty for
a backward graph that is compiled later. The map may hold earlier graphs' kernels (Inductor starts a new one for each
forward graph only), so what was in it when a graph's lowering began is left out; its keys end in a call's own number.
Library calls come from the scheduler too, for their operator.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.snapshots import target_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from compilescope.tracer.frames import Frame
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.scheduler import Scheduler
    from compilescope.tracer.session import Session

LOSES = "which nodes became which kernel"


class Kernels:
    """Records `compilescope_kernels` for each graph that Inductor compiled."""

    def __init__(self, session: Session, graphs: Graphs, inductor: Inductor, scheduler: Scheduler) -> None:
        self._session = session
        self._graphs = graphs
        self._inductor = inductor
        self._scheduler = scheduler
        self._earlier: dict[str, frozenset[str]] = {}
        self._maps: dict[str, dict[str, list[str]]] = {}
        inductor.lowering.append(self._keep_nodes)
        inductor.compiled.append(self._compiled)
        self._nodes: dict[str, dict[str, Any]] = {}

    def install(self) -> None:
        """Hook the publication of the map."""
        hooks = self._session.hooks

        def published(module: ModuleType) -> None:
            graph = self._inductor.current
            if graph is not None:
                earlier = self._earlier.get(graph, frozenset())
                self._maps[graph] = {name: list(nodes) for name, nodes in _map(module).items() if name not in earlier}

        def hook(module: ModuleType) -> None:
            note = hooks.guarded("debug.dump_inductor_provenance_info", published, loses=LOSES)

            def make(original: Callable[..., Any]) -> Callable[..., Any]:
                def dump_inductor_provenance_info(*args: Any, **kwargs: Any) -> Any:
                    result = original(*args, **kwargs)
                    note(module)
                    return result

                return dump_inductor_provenance_info

            hooks.wrap(module, "dump_inductor_provenance_info", make, loses=LOSES)

        hooks.after_import("torch._inductor.debug", hook, loses=LOSES)

    def _keep_nodes(self, graph: str, module: Any) -> None:
        self._nodes[graph] = {node.name: node for node in module.graph.nodes}
        self._earlier[graph] = frozenset(_map(sys.modules.get("torch._inductor.debug")))

    def _compiled(self, graph: str, _result: Any) -> None:
        mapped = self._maps.pop(graph, {})
        externs = self._scheduler.externs.pop(graph, [])
        nodes = self._nodes.pop(graph, {})
        self._earlier.pop(graph, None)
        if not mapped and not externs:
            return

        def body() -> dict[str, Any]:
            left = list(externs)
            kernels = []
            for handle, names in mapped.items():
                extern = _take(left, handle, names)
                kernels.append(self._kernel(handle.rpartition(":")[0] or handle, names, nodes, extern))
            kernels += [
                self._kernel(extern["name"], [node.name for node in extern["origins"]], nodes, extern)
                for extern in left
                if extern["origins"] and extern["operator"] is not None
            ]
            return {"graph": graph, "kernels": kernels}

        self._graphs.later("kernels", body)

    def _kernel(
        self, name: str, names: list[str], nodes: dict[str, Any], extern: dict[str, Any] | None
    ) -> dict[str, Any]:
        behind = [nodes[each] for each in names if each in nodes] or (extern["origins"] if extern else [])
        operator = extern["operator"] if extern else None
        if extern and extern["kind"] == "extern" and len(behind) == 1 and behind[0].op == "call_function":
            operator = target_name(behind[0].target)  # the schedule has the variant with an output argument
        return {
            "name": name,
            "kind": extern["kind"] if extern else _generated_kind(name),
            "nodes": names,
            "operator": operator,
            "frames": self._frames(behind),
        }

    def _frames(self, nodes: Iterable[Any]) -> list[Frame]:
        frames: list[Frame] = []
        for text in {node.meta["stack_trace"]: None for node in nodes if "stack_trace" in node.meta}:
            frame = self._graphs.stacks.user_frame(text)
            if frame is not None and frame not in frames:
                frames.append(frame)
        return frames


def _map(debug: ModuleType | None) -> dict[str, list[str]]:
    """Inductor's map from kernel calls to post-grad nodes; empty where there is none."""
    return getattr(debug, "_inductor_triton_kernel_to_post_grad_node_info", {})


def _take(externs: list[dict[str, Any]], handle: str, names: list[str]) -> dict[str, Any] | None:
    """The library call that the map calls `handle`, taken out of the list; None for a generated kernel."""
    if _generated_kind(handle) != "extern":
        return None
    wanted = set(names)
    found = next((extern for extern in externs if not wanted.isdisjoint(extern["names"])), None)
    if found is not None:
        externs.remove(found)
        return found
    return {"name": handle, "kind": "extern", "operator": None, "origins": [], "names": []}


def _generated_kind(name: str) -> str:
    if name.startswith(("extern_kernels.", "torch.ops.", "aten.")):
        return "extern"
    if name.startswith("triton_tem") or "template" in name:
        return "template"
    if name.startswith("triton"):
        return "triton"
    if name.startswith(("cpp_fused", "cpp_")):
        return "template" if "gemm" in name or "flex" in name else "cpp"
    return "extern"
