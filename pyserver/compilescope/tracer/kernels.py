"""Kernels and library calls of a compiled graph, each with its nodes and the lines that it came from.

Relies on `debug.set_kernel_post_grad_provenance_tracing(node_schedule, kernel_name, is_extern=False)`, which every
generator calls once for each call that it writes, 2.9 to 2.14; what it returns is the number that Inductor puts into
a comment above that call at provenance level 2. Kernels that it is not called for (C++ templates in 2.9) are known
from `define_kernel(src_code, nodes, …)` of the C++ and Triton generators. Lines of the wrapper (`if` of a `cond`,
reading a number, a copy between devices) are taken from the schedule. Every other call node is listed as eliminated.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.hooks import argument
from compilescope.tracer.lowering import Call
from compilescope.tracer.snapshots import target_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from compilescope.tracer.frames import Frame
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.lowering import Lowered, Lowering
    from compilescope.tracer.session import Session

LOSES = "which nodes became which kernel"
GENERATED = ("triton", "cpp")
COLLECTIVE = ("_CollectiveKernel", "_WaitKernel", "_AllReduceKernel", "_AllReduce_Kernel")
HAVE_EFFECTS = ("check", "mutation")


class Kernels:
    """Records `compilescope_kernels` for each graph that Inductor compiled, subgraphs included."""

    def __init__(self, session: Session, graphs: Graphs, lowering: Lowering) -> None:
        self._session = session
        self._graphs = graphs
        self._lowering = lowering
        lowering.done.append(session.hooks.guarded("kernels of a graph", self._done, loses=LOSES))

    def install(self) -> None:
        """Hook the function when its module is imported; the generators then get ours."""
        hooks = self._session.hooks

        def called(handle: int | None, node_schedule: Any, kernel_name: str, *, is_extern: bool = False) -> None:
            lowered = self._lowering.here()
            if lowered is not None:
                parts = [node_schedule]
                if not is_extern:
                    parts = [part.node for part in node_schedule if getattr(part, "node", None)]
                lowered.calls.append(Call(kernel_name, is_extern, parts, handle))

        note = hooks.guarded("debug.set_kernel_post_grad_provenance_tracing", called, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def set_kernel_post_grad_provenance_tracing(*args: Any, **kwargs: Any) -> Any:
                handle = original(*args, **kwargs)
                note(handle, *args, **kwargs)
                return handle

            return set_kernel_post_grad_provenance_tracing

        def hook(module: ModuleType) -> None:
            hooks.wrap(module, "set_kernel_post_grad_provenance_tracing", make, loses=LOSES)

        hooks.after_import("torch._inductor.debug", hook, loses=LOSES)
        for module, owner in (("cpp", "CppScheduling"), ("triton", "TritonScheduling")):
            self._watch_definitions(f"torch._inductor.codegen.{module}", owner)

    def _watch_definitions(self, module: str, owner: str) -> None:
        def defined(name: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            lowered = self._lowering.here()
            if lowered is not None and isinstance(name, str):
                schedule = argument(args, kwargs, 2, "nodes" if owner == "CppScheduling" else "node_schedule")
                parts = [part.node for part in schedule if getattr(part, "node", None)]
                lowered.defined.append(Call(name, is_extern=False, parts=parts, handle=None))

        note = self._session.hooks.guarded(f"{owner}.define_kernel", defined, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def define_kernel(*args: Any, **kwargs: Any) -> Any:
                name = original(*args, **kwargs)
                note(name, args, kwargs)
                return name

            return define_kernel

        def hook(loaded: ModuleType) -> None:
            self._session.hooks.wrap(getattr(loaded, owner), "define_kernel", make, loses=LOSES)

        self._session.hooks.after_import(module, hook, loses=LOSES)

    def _done(self, lowered: Lowered) -> None:
        described = self._described(lowered)
        if described is not None:
            self._graphs.later("kernels", lambda: described)

    def _described(self, lowered: Lowered) -> dict[str, Any] | None:
        ir = sys.modules["torch._inductor.ir"]
        called = {id(part) for call in lowered.calls for part in call.parts}
        others = [(part, kind) for part, kind in lowered.externs if id(part) not in called]
        silent = [one for one in lowered.defined if one.parts and called.isdisjoint(map(id, one.parts))]
        kernels = [self._kernel(lowered, call, ir) for call in lowered.calls + silent]
        kernels += [self._line(lowered, *other) for other in others if _is_line(other[0], ir)]
        seen = called.union(id(part) for one in silent for part in one.parts)
        seen.update(id(part) for part, _ in others)
        covered = {name for kernel in kernels for name in kernel["nodes"]}
        eliminated = self._eliminated(lowered, covered, seen)
        if not kernels and not eliminated:
            return None
        return {"graph": lowered.name, "code": lowered.code, "kernels": kernels, "eliminated": eliminated}

    def _kernel(self, lowered: Lowered, call: Call, ir: ModuleType) -> dict[str, Any]:
        origins = [_origins(lowered, part, exact=call.is_extern) for part in call.parts]
        if call.is_extern:
            kind = _extern_kind(call.parts[0], ir)
            return self._record(call.name, kind, origins, _operator(call.parts[0], kind, origins[0]), call.handle)
        return self._record(call.name, _generated_kind(call.name, call.parts, ir), origins, None, call.handle)

    def _line(self, lowered: Lowered, part: Any, kind: str) -> dict[str, Any]:
        """A call, or another line of the wrapper, that no kernel was announced for."""
        origins = _origins(lowered, part, exact=True)
        overload = getattr(part, "op_overload", None)
        name = getattr(part, "python_kernel_name", None) or (overload and target_name(overload)) or type(part).__name__
        kind = "wrapper" if kind == "extern" and overload is None else kind
        return self._record(str(name), kind, [origins], _operator(part, kind, origins), None)

    def _record(
        self, name: str, kind: str, origins: list[list[Any]], operator: str | None, handle: int | None
    ) -> dict[str, Any]:
        frames: list[Frame] = []
        parts = []
        for nodes in origins:
            numbers = dict.fromkeys(_number(frames, frame) for frame in self._frames(nodes))
            parts.append({"nodes": [node.name for node in nodes], "frames": list(numbers)})
        return {
            "name": name,
            "kind": kind,
            "nodes": list(dict.fromkeys(node for part in parts for node in part["nodes"])),
            "operator": operator,
            "frames": frames,
            "parts": parts if len(parts) > 1 else [],
            "handle": handle,
        }

    def _frames(self, nodes: Iterable[Any]) -> list[Frame]:
        texts = {node.meta["stack_trace"]: None for node in nodes if "stack_trace" in node.meta}
        return [frame for frame in map(self._graphs.stacks.user_frame, texts) if frame is not None]

    def _eliminated(self, lowered: Lowered, covered: set[str], seen: set[int]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        dead: set[Any] = set()
        for node in reversed(lowered.module.graph.nodes):
            if node.name in covered or node.op not in ("call_function", "call_method", "call_module"):
                continue
            why, of = self._lowering.fate(node, lowered.buffers, seen)
            if why not in HAVE_EFFECTS and dead.issuperset(node.users):
                why, of = "dead", None
            if why == "dead":
                dead.add(node)
            frame = self._graphs.stacks.user_frame(node.meta.get("stack_trace"))
            found.append({"name": node.name, "why": why, "of": of, "frame": frame})
        found.reverse()
        return found


def _number(frames: list[Frame], frame: Frame) -> int:
    if frame not in frames:
        frames.append(frame)
    return frames.index(frame)


def _is_line(part: Any, ir: ModuleType) -> bool:
    """Whether a library call that no kernel was announced for is more than one result of another, or a check."""
    return not isinstance(part, ir.MultiOutput) and bool(getattr(part, "origins", ()))


def _origins(lowered: Lowered, part: Any, *, exact: bool) -> list[Any]:
    """The nodes that went into a piece of IR, the operator's own first; `exact`: the one that it is, where torch knows.

    Without those of the graph around a subgraph: they have other names.
    """
    if exact and getattr(part, "origin_node", None) is not None:
        return [part.origin_node]
    graph = lowered.module.graph
    origins = [origin for origin in getattr(part, "origins", ()) if origin.graph is graph]
    overload = getattr(part, "op_overload", None)
    return origins if overload is None else sorted(origins, key=lambda origin: origin.target is not overload)


def _operator(part: Any, kind: str, origins: list[Any]) -> str | None:
    """The operator that a library call is for; the schedule's own may be the variant with an output argument."""
    overload = getattr(part, "op_overload", None)
    calls = [origin for origin in origins if origin.op == "call_function"]
    if kind == "wrapper" or (len(origins) == 1 and (kind == "extern" or overload is None)):
        return target_name(calls[0].target) if calls else None
    return None if overload is None else target_name(overload)


def _extern_kind(part: Any, ir: ModuleType) -> str:
    name = type(part).__name__
    if name == "UserDefinedTritonKernel":
        return "triton"
    return extern_kind(part, name, ir)


def extern_kind(part: Any, name: str, ir: ModuleType) -> str:
    """`fallback` for want of a lowering, `extern` for a library call that Inductor prefers."""
    if name in COLLECTIVE:
        return "extern"
    return "fallback" if isinstance(part, ir.FallbackKernel) or name.endswith("Fallback") else "extern"


def _generated_kind(name: str, parts: list[Any], ir: ModuleType) -> str:
    if any(isinstance(part, ir.TemplateBuffer) for part in parts):
        return "template"
    if name.startswith("multi_kernel"):
        return "triton"
    return next((kind for kind in GENERATED if kind in name.partition("_fused")[0]), "other")
