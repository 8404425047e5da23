"""The program's own passes over Inductor's schedule, which torch runs without an observer.

`Scheduler._init` reads `_pre_fusion_custom_pass` and `_post_fusion_custom_pass` from torch/_inductor/config.py when it
comes to them (torch/_inductor/scheduler.py, 2.6 to 2.14), so ours stand there while a schedule is made; the key of a
cache was made before.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from compilescope.tracer.scheduler import Scheduler
    from compilescope.tracer.session import Session

LOSES = "custom passes over the schedule"
SLOTS = ("_pre_fusion_custom_pass", "_post_fusion_custom_pass")
PHASES = {"_pre_fusion_custom_pass": "lowering", "_post_fusion_custom_pass": "fusion"}
"""What has happened to the schedule until the pass gets it."""


class SchedulePasses:
    """Records each run of such a pass, with the schedule before and after."""

    def __init__(self, session: Session, scheduler: Scheduler) -> None:
        self._session = session
        self._scheduler = scheduler

    def install(self) -> None:
        """Hook the scheduler when it is imported."""
        self._session.hooks.after_import("torch._inductor.scheduler", self._hook, loses=LOSES)

    def _hook(self, module: ModuleType) -> None:
        def make(original: Callable[..., None]) -> Callable[..., None]:
            def _init(*args: Any, **kwargs: Any) -> None:
                config = sys.modules["torch._inductor.config"]
                programs = dict(_registered(config))
                if not programs:
                    original(*args, **kwargs)
                    return
                for slot, function in programs.items():
                    setattr(config, slot, self._observed(slot, function))
                try:
                    original(*args, **kwargs)
                finally:
                    for slot, function in programs.items():
                        setattr(config, slot, function)

            return _init

        self._session.hooks.wrap(module.Scheduler, "_init", make, loses=LOSES)

    def _observed(self, slot: str, function: Callable[..., Any]) -> _Observed:
        begin = self._session.hooks.guarded(slot, self._begin, loses=LOSES)
        end = self._session.hooks.guarded(slot, self._end, loses=LOSES)
        return _Observed(slot, function, begin, end)

    def _begin(self, slot: str, nodes: Any) -> int | None:
        return self._scheduler.advance(nodes, PHASES[slot])

    def _end(self, slot: str, nodes: Any, **about: Any) -> None:
        self._scheduler.passed(nodes, slot, **about)


class _Observed:
    """One of the program's passes, observed."""

    def __init__(self, slot: str, function: Callable[..., Any], begin: Any, end: Any) -> None:
        self._slot = slot
        self._function = function
        self._begin = begin
        self._end = end

    def __call__(self, nodes: Any) -> Any:
        order = self._begin(self._slot, nodes)
        started = time.perf_counter()
        result, raised = nodes, None
        try:
            result = self._function(nodes)
        except BaseException as error:
            raised = error
            raise
        else:
            return result
        finally:
            if order is not None:
                seconds = time.perf_counter() - started
                self._end(self._slot, result, order=order, function=self._function, seconds=seconds, error=raised)


def _registered(config: Any) -> Iterator[tuple[str, Any]]:
    """Slot and callable of the program's passes; none where a schedule is made inside of another one."""
    for slot in SLOTS:
        function = getattr(config, slot, None)
        if callable(function) and not isinstance(function, _Observed):
            yield slot, function
