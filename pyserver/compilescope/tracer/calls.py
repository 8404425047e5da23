"""How often compiled graphs run, how often guards are looked up, and torch's own counters.

Relies on `CompiledFxGraph.__call__` (torch/_inductor/output_code.py, 2.6 to 2.14) and
`torch._C._dynamo.eval_frame.set_guard_complete_hook` (2.8 and newer; one slot, chained).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session

LOSES = "numbers of calls"
COUNTER = "_compilescope_calls"
LONGEST = 300


def install(session: Session, inductor: Inductor) -> None:
    """Count; the numbers go into the last record."""
    hooks = session.hooks
    counters: dict[str, list[int]] = {}
    lookups = {"hit": 0, "miss": 0}

    def compiled(graph: str, result: Any) -> None:
        setattr(result, COUNTER, counters.setdefault(graph, [0]))

    inductor.compiled.append(compiled)

    def hook_output(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def __call__(self: Any, inputs: Any) -> Any:
                counter = self.__dict__.get(COUNTER)
                if counter is not None:
                    counter[0] += 1
                return original(self, inputs)

            return __call__

        hooks.wrap(module.CompiledFxGraph, "__call__", make, loses="calls of graphs")

    def hook_lookup(_module: ModuleType) -> None:
        extension = sys.modules.get("torch._C._dynamo.eval_frame")
        install_hook = getattr(extension, "set_guard_complete_hook", None)
        if install_hook is None:
            hooks.report("eval_frame.set_guard_complete_hook", "not in this torch", "guard look-ups")
            return
        before: list[Any] = [None]

        def looked_up(hit: bool) -> bool:  # noqa: FBT001 - torch's signature
            lookups["hit" if hit else "miss"] += 1
            return hit if before[0] is None else bool(before[0](hit))

        before[0] = install_hook(looked_up)

    def at_end() -> dict[str, Any]:
        return {
            "counters": _torch_counters(),
            "calls": {graph: count[0] for graph, count in counters.items()},
            "guard_lookups": dict(lookups),
        }

    def at_fork() -> None:
        lookups.update(hit=0, miss=0)
        for counter in counters.values():
            counter[0] = 0

    hooks.after_import("torch._inductor.output_code", hook_output, loses="calls of graphs")
    hooks.after_import("torch._dynamo.eval_frame", hook_lookup, loses="guard look-ups")
    session.at_end.append(at_end)
    session.at_fork.append(at_fork)


def _torch_counters() -> dict[str, dict[str, int]]:
    """`torch._dynamo.utils.counters`, with keys shortened."""
    utils = sys.modules.get("torch._dynamo.utils")
    counters = getattr(utils, "counters", {})
    return {
        str(group): {str(key)[:LONGEST]: value for key, value in entries.items() if isinstance(value, (int, float))}
        for group, entries in counters.items()
        if entries
    }
