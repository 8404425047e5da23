"""The Triton kernels that a GPU runs: their stages, registers and shared memory, each once it is known which to run.

Relies on `CachingAutotuner` (torch/_inductor/runtime/triton_heuristics.py, 2.7 to 2.14): `precompile` makes a launcher
for each candidate configuration, also of kernels that a process of Inductor's pool compiled, and
`autotune_to_one_config` leaves one at the kernel's first call. The stages are read from the files that Triton left in
its cache.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.tracebacks import hide_tracer
from compilescope.tracer.triton.candidates import has_no_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session
    from compilescope.tracer.triton.candidates import Candidates

LOSES = "Triton kernels"
STAGES = (".ttir", ".ttgir", ".llir", ".ptx", ".amdgcn")
MOST_TEXT = 64 << 20
"""Bytes of text that a process records; kernels after that have their figures only."""


class Undecided:
    """A kernel that has several candidates and did not run yet."""

    def __init__(self, tuner: Any, graph: str | None) -> None:
        self.tuner = tuner
        self.graph = graph
        self.candidates = len(tuner.launchers)
        self.trace = sys.modules["torch._guards"].CompileContext.current_trace_id()


class Recorded:
    """Records `compilescope_triton` for each kernel with a launcher."""

    def __init__(self, session: Session, graphs: Graphs, inductor: Inductor, candidates: Candidates) -> None:
        self._session = session
        self._graphs = graphs
        self._inductor = inductor
        self._candidates = candidates
        self._undecided: dict[int, Undecided] = {}
        self._written: set[str] = set()
        self._text_left = MOST_TEXT
        session.at_end.append(self._end)
        session.at_fork.append(self._forget)

    def install(self) -> None:
        """Hook Inductor's autotuner when it is imported."""
        self._session.hooks.after_import("torch._inductor.runtime.triton_heuristics", self._hook, loses=LOSES)

    def _hook(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        compiled = hooks.guarded("CachingAutotuner.precompile", self._compiled, loses=LOSES)
        chosen = hooks.guarded("CachingAutotuner.autotune_to_one_config", self._chosen, loses=LOSES)

        def make(note: Callable[[Any], None]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
            def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
                def method(self: Any, *args: Any, **kwargs: Any) -> Any:
                    try:
                        result = original(self, *args, **kwargs)
                    except BaseException as error:
                        hide_tracer(error)  # torch prints why a candidate did not work
                        raise
                    note(self)
                    return result

                return method

            return wrap

        tuner = getattr(module, "CachingAutotuner", None)
        hooks.wrap(tuner, "precompile", make(compiled), loses=LOSES)
        hooks.wrap(tuner, "autotune_to_one_config", make(chosen), loses="which configuration autotuning chose")

    def _compiled(self, tuner: Any) -> None:
        """A kernel has its launchers; none in a process that only warms the cache."""
        if not tuner.launchers or self._session.depth != "full":
            return
        if has_no_name(tuner):
            if len(tuner.launchers) == 1:
                self._candidates.add(tuner)
            return
        graph = self._inductor.current
        if len(tuner.launchers) > 1:
            self._undecided[id(tuner)] = Undecided(tuner, graph)
        elif graph is not None:
            self._graphs.later("triton", lambda: self._body(tuner, graph, candidates=1))
        else:
            self._session.emit("triton", self._body(tuner, None, candidates=1))

    def _chosen(self, tuner: Any) -> None:
        if has_no_name(tuner):
            self._candidates.add(tuner)
        one = self._undecided.pop(id(tuner), None)
        if one is not None:
            self._write(one, chosen=True)

    def _end(self) -> dict[str, Any]:
        """Kernels that never ran have their first candidate shown."""
        write = self._session.hooks.guarded("Triton kernels that never ran", self._write, loses=LOSES)
        undecided, self._undecided = self._undecided, {}
        for one in undecided.values():
            write(one, chosen=False)
        return {}

    def _write(self, one: Undecided, *, chosen: bool) -> None:
        body = self._body(one.tuner, one.graph, candidates=one.candidates, chosen=chosen)
        self._session.emit("triton", body, trace_id=one.trace)

    def _body(self, tuner: Any, graph: str | None, *, candidates: int, chosen: bool = True) -> dict[str, Any]:
        launcher = tuner.launchers[0]
        config = launcher.config
        return {
            "graph": graph,
            "kernel": str(tuner.inductor_meta.get("kernel_name") or tuner.fn.__name__),
            "nodes": [],
            "key": launcher.cache_hash,
            **self._texts(tuner, launcher.cache_hash),
            "registers": launcher.n_regs,
            "spills": launcher.n_spills,
            "shared": launcher.shared,
            "num_warps": config.num_warps,
            "num_stages": config.num_stages,
            "config": {key: value for key, value in config.kwargs.items() if isinstance(value, (int, str, float))},
            "candidates": candidates,
            "chosen": chosen,
            "preview": False,
            "target": _target(tuner.device_props),
            "limits": [],
            "error": None,
        }

    def _texts(self, tuner: Any, key: str) -> dict[str, Any]:
        """The source and the stages, once for each compiled kernel and as long as there is room."""
        if key in self._written or self._text_left <= 0:
            return {"source": None, "stages": {}}
        self._written.add(key)
        folder = os.path.join(_cache(tuner), key)
        stages = {}
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            ending = os.path.splitext(name)[1]
            if ending in STAGES:
                stages[ending[1:]] = _read(os.path.join(folder, name))
        source = _read(tuner.filename) if tuner.filename and os.path.isfile(tuner.filename) else tuner.fn.src
        self._text_left -= sum(map(len, (source, *stages.values())))
        return {"source": source, "stages": {name[1:]: stages[name[1:]] for name in STAGES if name[1:] in stages}}

    def _forget(self) -> None:
        self._undecided = {}
        self._written = set()


def _cache(tuner: Any) -> str:
    """Triton's cache for the kernel's device, as Inductor sets it."""
    folder = os.environ.get("TRITON_CACHE_DIR")
    if folder is None:
        utils = sys.modules["torch._inductor.runtime.cache_dir_utils"]
        folder = utils.triton_cache_dir(tuner.triton_meta.get("device", 0))
    return str(folder)


def _target(properties: Any) -> str:
    """`sm_90`; AMD's names (`gfx942`) stay."""
    return f"sm_{properties.cc}" if isinstance(properties.cc, int) else str(properties.cc)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
