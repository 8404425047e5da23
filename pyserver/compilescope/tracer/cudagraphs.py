"""What became of CUDA graphs where they were asked for: left out and why, recorded, recorded again, cut into pieces.

Relies on what a compiled graph says of itself (`disabled_cudagraphs_reason`, `cudagraph_info`, `partition_maps` of
`CompiledFxGraph`, torch/_inductor/output_code.py), `cudagraph_utils.log_cudagraph_skip_and_bump_counter(msg)` and
`maybe_warning_due_to_dynamic_shape(fn_cache, new_int_key)`, and, of cudagraph_trees.py, 2.6 to 2.14,
`CUDAGraphTreeManager.record_function(new_inputs, function_id)`, `cudagraphify(…, *, is_backward, is_inference,
compile_id, …)` and `get_manager(device)`, whose `mode` and `compile_id` are those of the graph that runs. Without a GPU
nothing is ever recorded.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from compilescope.tracer.hooks import argument

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "what became of CUDA graphs"


class CudaGraphs:
    """Records `compilescope_cudagraph` events."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._inductor = inductor
        self._asked: set[str] = set()
        self._told: set[tuple[str | None, str]] = set()
        self._recorded: Counter[tuple[int, int]] = Counter()
        self._new_size: dict[str, Any] | None = None
        """Another size that came, until it is known for which graph."""
        inductor.given.append(session.hooks.guarded("cudagraphs asked for", self._given, loses=LOSES))
        inductor.compiled.append(session.hooks.guarded("cudagraphs of a graph", self._compiled, loses=LOSES))

    def install(self) -> None:
        """Hook the modules when they are imported."""
        hooks = self._session.hooks
        hooks.after_import("torch._inductor.cudagraph_utils", self._hook_utils, loses=LOSES)
        hooks.after_import("torch._inductor.cudagraph_trees", self._hook_trees, loses=LOSES)

    def _given(self, graph: str, _module: Any, _inputs: list[Any], options: dict[str, Any]) -> None:
        self._told.clear()
        wanted = options.get("cudagraphs")
        if wanted is None:
            wanted = sys.modules["torch._inductor.config"].triton.cudagraphs
        if wanted:
            self._asked.add(graph)

    def _compiled(self, graph: str, result: Any) -> None:
        if graph not in self._asked:
            return
        self._asked.remove(graph)
        reasons = [getattr(result, "disabled_cudagraphs_reason", None)]
        reasons += getattr(getattr(result, "cudagraph_info", None), "cudagraph_fail_reasons", None) or []
        for reason in filter(None, reasons):
            self._skipped(str(reason), graph)
        pieces = getattr(result, "partition_maps", None)
        if pieces:
            self._emit(graph, "partition", None, pieces=len(pieces))

    def _hook_utils(self, module: ModuleType) -> None:
        skipped = self._session.hooks.guarded("cudagraph skip", self._skipped, loses=LOSES)
        running = self._session.hooks.guarded("cudagraph_trees.get_manager", _running, loses=LOSES)
        sized = self._session.hooks.guarded("cudagraph sizes", self._sized, loses=LOSES)

        def make_skip(original: Callable[..., Any]) -> Callable[..., Any]:
            def log_cudagraph_skip_and_bump_counter(msg: str, *args: Any, **kwargs: Any) -> Any:
                skipped(msg, self._inductor.current or running())
                return original(msg, *args, **kwargs)

            return log_cudagraph_skip_and_bump_counter

        def make_warning(original: Callable[..., Any]) -> Callable[..., Any]:
            def maybe_warning_due_to_dynamic_shape(*args: Any, **kwargs: Any) -> Any:
                sized(*args, **kwargs)
                return original(*args, **kwargs)

            return maybe_warning_due_to_dynamic_shape

        hooks = self._session.hooks
        hooks.wrap(module, "log_cudagraph_skip_and_bump_counter", make_skip, loses=LOSES)
        hooks.wrap(module, "maybe_warning_due_to_dynamic_shape", make_warning, loses=LOSES)

    def _hook_trees(self, module: ModuleType) -> None:
        recorded = self._session.hooks.guarded("CUDAGraphTreeManager.record_function", self._record, loses=LOSES)
        begun = self._session.hooks.guarded("cudagraph_trees.cudagraphify", self._begun, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def record_function(self: Any, *args: Any, **kwargs: Any) -> Any:
                recorded(self, args, kwargs)
                return original(self, *args, **kwargs)

            return record_function

        def make_begin(original: Callable[..., Any]) -> Callable[..., Any]:
            def cudagraphify(*args: Any, **kwargs: Any) -> Any:
                begun(kwargs)
                return original(*args, **kwargs)

            return cudagraphify

        self._session.hooks.wrap(module.CUDAGraphTreeManager, "record_function", make, loses=LOSES)
        self._session.hooks.wrap(module, "cudagraphify", make_begin, loses=LOSES)

    def _skipped(self, reason: str, graph: str | None) -> None:
        reason = reason.removeprefix("skipping cudagraphs due to ")
        if (graph, reason) not in self._told:
            self._told.add((graph, reason))
            self._emit(graph, "skip", reason)

    def _sized(self, fn_cache: Any, new_int_key: Any) -> None:
        if fn_cache:
            sizes = new_int_key if isinstance(new_int_key, tuple) else (new_int_key,)
            self._new_size = {"sizes": [str(size) for size in sizes], "graphs": len(fn_cache) + 1}

    def _begun(self, about: dict[str, Any]) -> None:
        """A graph is about to be recorded, for the first or for another size."""
        more, self._new_size = self._new_size, None
        if more is not None:
            inference = "inference" if about.get("is_inference") else "forward"
            direction = "backward" if about.get("is_backward") else inference
            self._emit(_named(about.get("compile_id"), direction), "new-size", None, **more)

    def _record(self, manager: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        function_id = argument(args, kwargs, 1, "function_id")
        number = getattr(function_id, "id", 0)
        times = self._recorded[id(manager), number]
        self._recorded[id(manager), number] += 1
        what = "re-record" if times else "record"
        self._emit(_graph_of(manager), what, _mismatch(manager, times), recordings=times + 1)

    def _emit(self, graph: str | None, what: str, reason: str | None, **more: Any) -> None:
        self._session.emit("cudagraph", {"graph": graph, "what": what, "reason": reason, **more})


def _running() -> str | None:
    """The graph whose call torch is at, as the device's manager of CUDA graphs knows it."""
    trees, cuda = sys.modules.get("torch._inductor.cudagraph_trees"), sys.modules["torch"].cuda
    compiling = sys.modules["torch._guards"].CompileContext.current_compile_id() is not None
    if trees is None or compiling or not cuda.is_initialized():
        return None
    return _graph_of(trees.get_manager(cuda.current_device(), create_if_none_exists=False))


def _graph_of(manager: Any) -> str | None:
    mode = getattr(getattr(manager, "mode", None), "name", "forward")
    return _named(getattr(manager, "compile_id", None), mode.lower())


def _named(compile_id: Any, direction: str) -> str | None:
    return None if compile_id is None else f"{compile_id}/{direction}"


def _mismatch(manager: Any, times: int) -> str | None:
    """Why there is another recording, where torch itself counts it as unexpected."""
    counts = getattr(manager, "num_rerecord", None) if times else None
    return "inputs were at other addresses" if counts and any(any(one.values()) for one in counts.values()) else None
