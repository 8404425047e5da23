"""How often compiled graphs run and how long a call takes, and torch's own counters.

A call is timed when it is the first, and then ever more seldom (the 2nd, 3rd, 4th, 6th, 9th, 13th …): its event also
says how often the graph has run by then, so that the count is about right for a process that is killed.

Relies on `CompiledFxGraph.current_callable`, called with one list (torch/_inductor/output_code.py, 2.6 to 2.14), and,
for graphs that did not go through Inductor, on what `OutputGraph.call_user_compiler` returns
(torch/_dynamo/output_graph.py, 2.6 to 2.14).
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.lookups import Lookups
from compilescope.tracer.session import compile_name
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "calls of graphs of other backends than Inductor"
LONGEST = 300


class Calls:
    """Counts; the numbers go into the last record."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._counts: dict[str, Callable[[], int]] = {}
        self._before_fork: dict[str, int] = {}
        self._lookups = Lookups(session.hooks, self._runs)
        self._note = session.hooks.guarded("call of a graph", self._timed, loses="times of calls")
        inductor.compiled.append(self._compiled)
        session.at_end.append(self._numbers)
        session.at_fork.append(self._forked)

    def install(self) -> None:
        """Hook the look-up of guards, and backends other than Inductor; its graphs are counted as they are compiled."""
        self._lookups.install()
        self._session.hooks.after_import("torch._dynamo.output_graph", self._hook_backends, loses=LOSES)

    def _compiled(self, graph: str, result: Any) -> None:
        if getattr(result, "current_callable", None) is not None:
            result.current_callable = self._count(graph, result.current_callable)

    def _count(self, graph: str, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
        graph = self._free(graph)
        if starts_frame(graph):
            self._lookups.compiling(again=graph.split("/")[1].partition("_")[0] != "0")
        note = self._note
        counted, self._counts[graph] = counting(call, lambda number, seconds: note(graph, number, seconds))
        return counted

    def _hook_backends(self, module: ModuleType) -> None:
        def count(output_graph: Any, known: int, call: Any) -> Any:
            if len(self._counts) > known or output_graph.package is not None or not callable(call):
                return call
            call = not_lazy(call)
            counted = self._count(f"{compile_name()}/dynamo", lambda inputs: call(*inputs))

            def run(*inputs: Any) -> Any:
                try:
                    return counted(inputs)
                except BaseException as error:
                    hide_tracer(error)
                    raise

            return run

        note = self._session.hooks.guarded("OutputGraph.call_user_compiler", count, loses=LOSES)

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def call_user_compiler(self_: Any, *args: Any, **kwargs: Any) -> Any:
                known = len(self._counts)
                call = original(self_, *args, **kwargs)
                return note(self_, known, call) or call

            return call_user_compiler

        self._session.hooks.wrap(module.OutputGraph, "call_user_compiler", make, loses=LOSES)

    def _free(self, graph: str) -> str:
        """A name for another graph of that name, which torch may use again (`torch._dynamo.reset`)."""
        number = sum(one.partition("#")[0] == graph for one in self._counts)
        return f"{graph}#{number}" if number else graph

    def _timed(self, graph: str, number: int, seconds: float) -> None:
        calls = number - self._before_fork.get(graph, 0)
        body = {"graph": graph, "call": calls, "seconds": round(seconds, 7), "lookups": self._lookups.counts}
        self._session.emit("call", body)
        self._lookups.rest()

    def _runs(self) -> int:
        """How often compiled frames have run."""
        return sum(count() for graph, count in self._counts.items() if starts_frame(graph))

    def _numbers(self) -> dict[str, Any]:
        return {
            **_stance(),
            "counters": _torch_counters(),
            "calls": {graph: count() - self._before_fork.get(graph, 0) for graph, count in self._counts.items()},
            "guard_lookups": self._lookups.counts,
        }

    def _forked(self) -> None:
        self._before_fork = {graph: count() for graph, count in self._counts.items()}
        self._lookups.reset()


def counting(
    call: Callable[[Any], Any], timed: Callable[[int, float], None]
) -> tuple[Callable[[Any], Any], Callable[[], int]]:
    """`call` that counts, and what tells the count. `timed` gets the number and the seconds of some of the calls.

    It stands in the way of every compiled call: a closure, since nothing in Python counts for less.
    """
    number, due = 0, 1
    clock = time.perf_counter

    def counted(inputs: Any) -> Any:
        nonlocal number, due
        number += 1
        try:
            if number != due:
                return call(inputs)
            due += max(1, number // 2)
            begun = clock()
            result = call(inputs)
        except BaseException as error:
            hide_tracer(error)
            raise
        timed(number, clock() - begun)
        return result

    return counted, lambda: number


def starts_frame(graph: str) -> bool:
    """Whether the graph runs once when its frame does: the first of its direction, and no backward."""
    return "#" not in graph and not graph.endswith("/backward")


def not_lazy(call: Any) -> Any:
    """A graph as it is, with its code generated: Dynamo would do so next, but not once it is inside of ours."""
    lazy = getattr(sys.modules.get("torch.fx._lazy_graph_module"), "_LazyGraphModule", None)
    owner = getattr(call, "__self__", call)
    if lazy is not None and isinstance(owner, lazy):
        lazy.force_recompile(owner)
        return owner.forward if owner is not call else call
    return call


def _stance() -> dict[str, str]:
    """How compiled functions are called now (`torch.compiler.set_stance`), if not as usual.

    Relies on `_stance` (torch/_dynamo/eval_frame.py, 2.6 to 2.14).
    """
    stance = getattr(getattr(sys.modules.get("torch._dynamo.eval_frame"), "_stance", None), "stance", "default")
    return {"stance": stance} if isinstance(stance, str) and stance != "default" else {}


def _torch_counters() -> dict[str, dict[str, float]]:
    """`torch._dynamo.utils.counters`, with keys shortened."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    return {
        str(group): {str(key)[:LONGEST]: value for key, value in entries.items() if isinstance(value, (int, float))}
        for group, entries in counters.items()
        if entries
    }
