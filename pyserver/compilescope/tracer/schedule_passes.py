"""The program's own passes over Inductor's schedule, which torch runs without an observer.

`Scheduler._init` calls `_pre_fusion_custom_pass` and `_post_fusion_custom_pass` of torch/_inductor/config.py
(torch/_inductor/scheduler.py, 2.6 to 2.14).
"""

from __future__ import annotations

import functools
import sys
import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.observed import Observed, with_observed

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.scheduler import Scheduler
    from compilescope.tracer.session import Session

LOSES = "custom passes over the schedule"
PHASES = {"_pre_fusion_custom_pass": "lowering", "_post_fusion_custom_pass": "fusion"}
"""The slots, and what has happened to the schedule until the pass gets it."""


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
                run = functools.partial(original, *args, **kwargs)
                with_observed(run, sys.modules["torch._inductor.config"], PHASES, self._observed)

            return _init

        self._session.hooks.wrap(module.Scheduler, "_init", make, loses=LOSES)

    def _observed(self, slot: str, function: Callable[..., Any]) -> Observed:
        def begin(nodes: Any) -> tuple[int, float] | None:
            order = self._scheduler.advance(nodes, PHASES[slot])
            return None if order is None else (order, time.perf_counter())

        def end(begun: tuple[int, float], function: Any, nodes: Any, error: BaseException | None) -> None:
            order, started = begun
            seconds = time.perf_counter() - started
            self._scheduler.passed(nodes, slot, order=order, function=function, seconds=seconds, error=error)

        guarded = self._session.hooks.guarded
        return Observed(function, guarded(slot, begin, loses=LOSES), guarded(slot, end, loses=LOSES))
