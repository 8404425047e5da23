"""How often compiled graphs run and how long a call takes, how often guards are looked up, and torch's own counters.

A call is timed when it is the first, and then ever more seldom (the 2nd, 3rd, 4th, 6th, 9th, 13th …): its event also
says how often the graph has run by then, so that the count is about right for a process that is killed.

Relies on `CompiledFxGraph.__call__` (torch/_inductor/output_code.py, 2.6 to 2.14) and
`torch._C._dynamo.eval_frame.set_guard_complete_hook` (2.8 and newer; one slot, chained).
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

COUNTER = "_compilescope_calls"
LONGEST = 300


class Calls:
    """Counts; the numbers go into the last record."""

    def __init__(self, session: Session, inductor: Inductor) -> None:
        self._session = session
        self._hooks = session.hooks
        self._counters: dict[str, list[Any]] = {}
        """By graph: how often it ran, the number of the next call to be timed, and its name."""
        self._lookups = {"hit": 0, "miss": 0}
        inductor.compiled.append(self._compiled)
        session.at_end.append(self._numbers)
        session.at_fork.append(self._reset)

    def install(self) -> None:
        """Hook the call of a compiled graph and the look-up of guards when their modules are imported."""
        self._hooks.after_import("torch._inductor.output_code", self._hook_output, loses="calls of graphs")
        self._hooks.after_import("torch._dynamo.eval_frame", self._hook_lookup, loses="guard look-ups")

    def _compiled(self, graph: str, result: Any) -> None:
        if hasattr(type(result), COUNTER):
            setattr(result, COUNTER, self._counters.setdefault(graph, [0, 1, graph]))

    def _hook_output(self, module: ModuleType) -> None:
        note = self._hooks.guarded("CompiledFxGraph.__call__", self._timed, loses="times of calls")
        clock = time.perf_counter

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def __call__(self: Any, inputs: Any) -> Any:
                counter = self._compilescope_calls
                counter[0] = number = counter[0] + 1
                if number != counter[1]:
                    return original(self, inputs)
                begun = clock()
                result = original(self, inputs)
                note(counter, number, clock() - begun)
                return result

            return __call__

        setattr(module.CompiledFxGraph, COUNTER, [0, 0, None])  # of graphs that came from elsewhere
        self._hooks.wrap(module.CompiledFxGraph, "__call__", make, loses="calls of graphs")

    def _timed(self, counter: list[Any], number: int, seconds: float) -> None:
        counter[1] = number + max(1, number // 2)
        if self._counters.get(counter[2]) is counter:  # else the graph came out of a cache, with another run's counter
            called = {"graph": counter[2], "call": number, "seconds": round(seconds, 7), "lookups": self._lookups}
            self._session.emit("call", called)

    def _hook_lookup(self, _module: ModuleType) -> None:
        extension = sys.modules.get("torch._C._dynamo.eval_frame")
        set_hook = getattr(extension, "set_guard_complete_hook", None)
        if set_hook is None:
            self._hooks.report("eval_frame.set_guard_complete_hook", "not in this torch", "guard look-ups")
            return
        lookups = self._lookups
        before: list[Any] = [None]

        def looked_up(hit: bool) -> bool:  # noqa: FBT001 - torch's signature
            lookups["hit" if hit else "miss"] += 1
            return hit if before[0] is None else bool(before[0](hit))

        before[0] = set_hook(looked_up)

    def _numbers(self) -> dict[str, Any]:
        return {
            "counters": _torch_counters(),
            "calls": {graph: count[0] for graph, count in self._counters.items()},
            "guard_lookups": dict(self._lookups),
        }

    def _reset(self) -> None:
        self._lookups.update(hit=0, miss=0)
        for counter in self._counters.values():
            counter[:2] = [0, 1]


def _torch_counters() -> dict[str, dict[str, float]]:
    """`torch._dynamo.utils.counters`, with keys shortened."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    return {
        str(group): {str(key)[:LONGEST]: value for key, value in entries.items() if isinstance(value, (int, float))}
        for group, entries in counters.items()
        if entries
    }
