"""Choices that Inductor measured: algorithms for matmuls, convolutions and attention, and settings of Triton kernels.

Relies on `select_algorithm.AlgorithmSelectorCache.__call__(name, choices, input_nodes, layout, …)` and its
`feedback_saver_fns`, which get the times in milliseconds (torch/_inductor/select_algorithm.py, 2.6 to 2.14), and on
`CachingAutotuner.benchmark_all_configs` and `coordinate_descent_tuning` (runtime/triton_heuristics.py, 2.6 to 2.14),
which run when a kernel is first called. Work that torch leaves to its own worker processes is not seen.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.hooks import argument
from compilescope.tracer.triton.candidates import has_no_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.lowering import Lowered, Lowering
    from compilescope.tracer.session import Session
    from compilescope.tracer.triton.candidates import Candidates

LOSES = "choices that were measured"
FEW = 2
KINDS = (
    ("ExternKernelCaller", "extern"),
    ("TritonTemplateCaller", "triton"),
    ("CppTemplateCaller", "cpp"),
    ("CUTLASSTemplateCaller", "cutlass"),
    ("CUDATemplateCaller", "cutlass"),
    ("ROCmTemplateCaller", "ck"),
    ("CuteDSLTemplateCaller", "cutedsl"),
    ("SubgraphChoiceCaller", "subgraph"),
)


class Selection:
    """One selection of an algorithm. `times`: milliseconds by choice, once they were measured or found in a cache."""

    def __init__(self, node: Any, name: str, choices: list[Any], inputs: list[Any]) -> None:
        self.node, self.name, self.choices, self.inputs = node, name, choices, inputs
        self.times: dict[Any, float] = {}
        self.winner: Any = None


class Autotune:
    """Records `compilescope_autotune` for each selection among several choices."""

    def __init__(self, session: Session, graphs: Graphs, lowering: Lowering, candidates: Candidates) -> None:
        self._session = session
        self._graphs = graphs
        self._lowering = lowering
        self._candidates = candidates
        self._names: set[str] = set()
        lowering.done.append(session.hooks.guarded("choices of a graph", self._done, loses=LOSES))

    def install(self) -> None:
        """Hook both selections when their modules are imported."""
        hooks = self._session.hooks
        hooks.after_import("torch._inductor.select_algorithm", self._hook_algorithms, loses=LOSES)
        hooks.after_import("torch._inductor.runtime.triton_heuristics", self._hook_triton, loses=LOSES)

    def _hook_algorithms(self, module: ModuleType) -> None:
        begin = self._session.hooks.guarded("AlgorithmSelectorCache.__call__", self._begin, loses=LOSES)
        end = self._session.hooks.guarded("AlgorithmSelectorCache.__call__", self._end, loses=LOSES)
        times = self._session.hooks.guarded("feedback saver", self._times, loses=LOSES)

        def saver(timings: Any, _name: Any, _inputs: Any, choices: Any, *_more: Any) -> None:
            times(timings, choices)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
                selection = begin(self, saver, args, kwargs)
                result = original(self, *args, **kwargs)
                if selection is not None:
                    end(selection, result)
                return result

            return __call__

        self._session.hooks.wrap(module.AlgorithmSelectorCache, "__call__", make, loses=LOSES)

    def _begin(
        self, cache: Any, saver: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Selection | None:
        choices = argument(args, kwargs, 1, "choices")
        if len(choices) < FEW:
            return None
        lowered = self._lowering.here()
        if lowered is None:
            return None
        if saver not in cache.feedback_saver_fns:
            cache.feedback_saver_fns.append(saver)
        node = getattr(sys.modules["torch._inductor.virtualized"].V.graph, "current_node", None)
        inputs = argument(args, kwargs, 2, "input_nodes")
        selection = Selection(node, argument(args, kwargs, 0, "name"), list(choices), list(inputs))
        lowered.selections.append(selection)
        return selection

    def _end(self, selection: Selection, result: Any) -> None:
        choice = result[1] if isinstance(result, tuple) else None
        if any(choice is one for one in selection.choices):
            selection.winner = choice

    def _times(self, timings: dict[Any, float], choices: list[Any]) -> None:
        """Torch has times for `choices`; for a choice that is left open until fusion that may be later."""
        for selection in self._lowering.selections():
            if any(choices[0] is one for one in selection.choices):
                selection.times.update(timings)
                return

    def _done(self, lowered: Lowered) -> None:
        self._names.add(lowered.name)
        for selection in lowered.selections:
            self._later(self._described(lowered.name, selection))
        self._candidates.write_trials(lowered.name)

    def _later(self, described: dict[str, Any]) -> None:
        self._graphs.later("autotune", lambda: described)

    def _described(self, graph: str, selection: Selection) -> dict[str, Any]:
        times = {choice: time for choice, time in selection.times.items() if math.isfinite(time)}
        winner = selection.winner or (min(times, key=times.__getitem__) if times else None)
        return {
            "graph": graph,
            "node": getattr(selection.node, "name", None),
            "kernel": None,
            "name": selection.name,
            "inputs": [_input(one) for one in selection.inputs],
            "choices": [self._choice(choice, times.get(choice)) for choice in selection.choices],
            "winner": None if winner is None else str(winner.name),
            "descent": False,
        }

    def _choice(self, choice: Any, time: float | None) -> dict[str, Any]:
        while hasattr(choice, "_wrapped"):  # the C++ templates' choices come packed
            choice = choice._wrapped
        bases = {base.__name__ for base in type(choice).__mro__}
        return {
            "name": str(choice.name),
            "kind": next((kind for name, kind in KINDS if name in bases), type(choice).__name__),
            "ms": None if time is None else round(time, 6),
            "detail": str(getattr(choice, "description", "") or ""),
            **self._candidates.figures(choice),
        }

    def _hook_triton(self, module: ModuleType) -> None:
        tuner = getattr(module, "CachingAutotuner", None)
        for method, note, what in (
            ("benchmark_all_configs", self._measured, "settings of Triton kernels"),
            ("coordinate_descent_tuning", self._descended, "settings of Triton kernels"),
        ):
            guarded = self._session.hooks.guarded(f"CachingAutotuner.{method}", note, loses=what)
            self._session.hooks.wrap(tuner, method, _after(guarded), loses=what)

    def _measured(self, tuner: Any, timings: dict[Any, float], *_: Any) -> None:
        if not isinstance(timings, dict) or len(timings) < FEW:
            return
        best = min(timings, key=timings.__getitem__)
        choices = [_config(launcher.config, time) for launcher, time in timings.items()]
        self._emit(tuner, choices, _config(best.config, None)["name"], descent=False)

    def _descended(self, tuner: Any, launcher: Any, start: Any, *_: Any) -> None:
        before, after = _config(start.config, None), _config(launcher.config, None)
        if before["name"] != after["name"]:
            self._emit(tuner, [before, after], after["name"], descent=True)

    def _emit(self, tuner: Any, choices: list[dict[str, Any]], winner: str, *, descent: bool) -> None:
        if has_no_name(tuner):
            return
        meta = getattr(tuner, "inductor_meta", None) or {}
        name = meta.get("kernel_name") or getattr(getattr(tuner, "fn", None), "__name__", "?")
        self._session.emit(
            "autotune",
            {
                "graph": self._graph_of(tuner),
                "node": None,
                "kernel": str(name),
                "name": str(name),
                "inputs": [],
                "choices": choices,
                "winner": winner,
                "descent": descent,
            },
        )

    def _graph_of(self, tuner: Any) -> str | None:
        """The graph that a kernel is of, from its own compile id; it does not know whether there is a backward."""
        compile_id = getattr(tuner, "compile_id", None)
        if compile_id is None:
            return None
        directions = ("backward",) if getattr(tuner, "is_backward", False) else ("forward", "inference")
        names = [f"{compile_id}/{direction}" for direction in directions]
        return next((name for name in names if name in self._names), names[0])


def _after(note: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrap that tells `note` the object, what the method gave and what it got."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            note(self, result, *args)
            return result

        return method

    return make


def _config(config: Any, time: float | None) -> dict[str, Any]:
    """A Triton configuration (`kwargs`, `num_warps`, `num_stages`)."""
    settings = dict(getattr(config, "kwargs", {}))
    settings.update(num_warps=getattr(config, "num_warps", None), num_stages=getattr(config, "num_stages", None))
    words = ", ".join(f"{key}={value}" for key, value in settings.items())
    return {"name": words, "kind": "triton", "ms": None if time is None else round(time, 6), "detail": ""}


def _input(node: Any) -> dict[str, Any]:
    """Type and sizes of an input that is IR."""
    try:
        return {"dtype": str(node.get_dtype())[6:], "shape": [str(size) for size in node.get_size()]}
    except Exception:  # some inputs have neither
        return {"dtype": None, "shape": None}
