"""Sums of the profiler's events: operators in eager and in compiled graphs, calls of graphs, look-ups of guards.

An operator counts in eager if no other operator called it and it is not in a compiled graph, whoever called that.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOOKUP = "TorchDynamo Cache Lookup"
COMPILED = ("CompiledFunction", "CompiledFunctionBackward")
CALL = "compilescope graph "
"""What the range of a call of a graph is named, before the graph."""
COMPILING = ("entire_frame_compile", "entire_backward_compile", "_compile.compile_inner", "backward._backward_impl")
NO_OPERATOR = ("autograd::", "torch::autograd::", "torch::jit::", "profiler::", "c10d::", "record_param_comms")

Sum = list[Any]


class Profiled:
    """What the windows of a profile had in all. Each sum is a number of calls and their nanoseconds."""

    def __init__(self) -> None:
        self.events = 0
        self._lookups: Sum = [0, 0]
        self._graphs: dict[str, Sum] = {}
        self._eager: dict[str, Sum] = {}
        self._inside: dict[str, Sum] = {}

    def add(self, events: Iterable[Any]) -> None:
        """Add the events of one window (torch's `_KinetoEvent`: name, start, duration and thread)."""
        rows = [(e.start_thread_id(), e.start_ns(), -e.duration_ns(), e.name()) for e in events]
        rows.sort(key=itemgetter(0, 1, 2))
        self.events += len(rows)
        thread = None
        operator_end = compiled_end = compile_end = 0
        for of_thread, start, minus, name in rows:
            if of_thread != thread:
                thread, operator_end, compiled_end, compile_end = of_thread, 0, 0, 0
            end = start - minus
            if start < compile_end:
                continue
            if name in COMPILING:
                compile_end = end
            elif name == LOOKUP:
                _count(self._lookups, minus)
            elif name in COMPILED:
                compiled_end = max(compiled_end, end)
            elif name.startswith(CALL):
                compiled_end = max(compiled_end, end)
                _count(self._graphs.setdefault(name[len(CALL) :], [0, 0]), minus)
            elif "::" in name and start >= operator_end and not name.startswith(NO_OPERATOR):
                operator_end = end
                _count((self._inside if start < compiled_end else self._eager).setdefault(name, [0, 0]), minus)

    def body(self) -> dict[str, Any]:
        """What the event says."""
        return {
            "events": self.events,
            "eager": _operators(self._eager),
            "inside": _operators(self._inside),
            "graphs": [
                {"graph": graph, "calls": calls, "seconds": round(ns / 1e9, 7)}
                for graph, (calls, ns) in self._graphs.items()
            ],
            "lookups": {"calls": self._lookups[0], "seconds": round(self._lookups[1] / 1e9, 7)},
        }


def _count(total: Sum, minus: int) -> None:
    total[0] += 1
    total[1] -= minus


def _operators(sums: Mapping[str, Sum]) -> list[dict[str, Any]]:
    """Operators, those that took longest first; `aten.add` for `aten::add`."""
    ordered = sorted(sums.items(), key=lambda one: -one[1][1])
    return [
        {"operator": name.replace("::", "."), "calls": calls, "seconds": round(ns / 1e9, 7)}
        for name, (calls, ns) in ordered
    ]
