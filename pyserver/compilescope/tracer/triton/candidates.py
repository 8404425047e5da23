"""Triton kernels that are only compiled to be measured: candidates of a selection, and trials of a fusion.

They have no name yet (`Placeholder.DESCRIPTIVE_NAME` of torch/_inductor/utils.py, 2.6 to 2.14). A candidate is known by
its source, which lies where its choice says (`TritonTemplateCaller.bmreq.module_path`, select_algorithm.py); what a
trial is of, by the source that `SIMDScheduling.generate_kernel_code_from_nodes(nodes, benchmark_kernel)` gave
(codegen/simd.py). Of either only the figures are kept.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.session import Session

LOSES = "registers and shared memory of candidates"


class Candidate:
    """One compiled kernel without a name: `source` is its function's, `figures` what it takes."""

    def __init__(self, tuner: Any) -> None:
        launcher = tuner.launchers[0]
        config = launcher.config
        self.source = _bare(str(tuner.fn.src))
        self.settings = (config.num_warps, config.num_stages)
        self.config = {key: value for key, value in config.kwargs.items() if isinstance(value, (int, str, float))}
        self.figures = {
            "registers": launcher.n_regs,
            "spills": launcher.n_spills,
            "shared": launcher.shared,
            "num_warps": config.num_warps,
            "num_stages": config.num_stages,
        }


class Candidates:
    """Keeps them until their graph has its code. Trials are then written as `compilescope_triton`, without texts."""

    def __init__(self, session: Session, graphs: Graphs) -> None:
        self._session = session
        self._graphs = graphs
        self._new: list[Candidate] = []
        """Those whose choice is not known yet."""
        self._figures: dict[str, dict[str, Any]] = {}
        """By the file of a choice; the same choice is compiled once."""
        self._trials: dict[str, list[str]] = {}
        """Nodes of a trial by its source."""
        session.at_fork.append(self._forget)
        session.hooks.after_import("torch._inductor.codegen.simd", self._hook, loses=LOSES)

    def add(self, tuner: Any) -> None:
        """A kernel without a name has its launcher."""
        self._new.append(Candidate(tuner))

    def figures(self, choice: Any) -> dict[str, Any]:
        """What the kernel of a choice takes; nothing for one that is no Triton template or was not compiled here."""
        request = getattr(choice, "bmreq", None)
        path = getattr(request, "module_path", None)
        if not isinstance(path, str):
            return {}
        if path not in self._figures and self._new and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                text = _bare(stream.read())
            settings = (getattr(request, "num_warps", None), getattr(request, "num_stages", None))
            same = [one for one in self._new if one.settings == settings and one.source in text]
            self._new = [one for one in self._new if one not in same]
            if same:
                self._figures[path] = same[0].figures
        return self._figures.get(path, {})

    def write_trials(self, graph: str) -> None:
        """Write those that no choice has claimed: `graph` has its code, so its fusions were tried."""
        for one in {(one.source, one.settings): one for one in self._new}.values():
            nodes = next((names for source, names in self._trials.items() if one.source in source), [])
            self._write(graph, one, nodes)
        self._new = []
        self._trials = {}

    def _hook(self, module: ModuleType) -> None:
        generated = self._session.hooks.guarded("generate_kernel_code_from_nodes", self._generated, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def generate_kernel_code_from_nodes(self_: Any, nodes: Any, *args: Any, **kwargs: Any) -> Any:
                source = original(self_, nodes, *args, **kwargs)
                generated(source, nodes)
                return source

            return generate_kernel_code_from_nodes

        self._session.hooks.wrap(module.SIMDScheduling, "generate_kernel_code_from_nodes", make, loses=LOSES)

    def _generated(self, source: str, nodes: Any) -> None:
        leaves = [leaf for node in nodes for leaf in node.get_nodes()]
        names = dict.fromkeys(origin.name for leaf in leaves for origin in getattr(leaf.node, "origins", ()))
        self._trials[_bare(source)] = list(names)

    def _write(self, graph: str, trial: Candidate, nodes: list[str]) -> None:
        body: dict[str, Any] = {"graph": graph, "kernel": None, "nodes": nodes, "key": None, "source": None}
        body |= {"stages": {}, **trial.figures, "config": trial.config, "candidates": 1, "chosen": False}
        body |= {"preview": False, "trial": True, "target": None, "limits": [], "error": None}
        self._graphs.later("triton", lambda: body)

    def _forget(self) -> None:
        self._new = []
        self._trials = {}


def _bare(source: str) -> str:
    """Without blank lines: Triton keeps a function without the spaces that Inductor leaves in them."""
    return "\n".join(line.rstrip() for line in source.splitlines() if line.strip())


def has_no_name(tuner: Any) -> bool:
    """Whether a `CachingAutotuner` is only there to be measured."""
    placeholder = sys.modules["torch._inductor.utils"].Placeholder.DESCRIPTIVE_NAME
    return bool((getattr(tuner, "inductor_meta", None) or {}).get("kernel_name") == str(placeholder))
