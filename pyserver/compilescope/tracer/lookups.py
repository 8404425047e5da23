"""How often the guards of a frame were looked up: a version fitted (a hit), or none did (a miss).

Relies on `torch._C._dynamo.eval_frame.set_guard_complete_hook` (2.8 and newer; one slot, chained). The hook costs as
much as a hundredth of the smallest compiled call, so it is taken away when everything has been a hit for long: then
each run of a compiled frame is one, until the next compile.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.hooks import Hooks

LOSES = "guard look-ups"
QUIET = 1000
"""So many hits in a row are enough to go on without the hook."""


class Lookups:
    """Counts the look-ups. `runs` tells how often compiled frames have run so far."""

    def __init__(self, hooks: Hooks, runs: Callable[[], int]) -> None:
        self._hooks = hooks
        self._runs = runs
        self._hits = self._misses = self._hits_at_miss = 0
        self._runs_without: int | None = None
        self._set_hook: Callable[[Any], Any] | None = None
        self._hook: Callable[[bool], bool] | None = None
        self._before: Callable[[bool], Any] | None = None

    def install(self) -> None:
        """Hook the look-up when its module is imported."""
        self._hooks.after_import("torch._dynamo.eval_frame", self._install, loses=LOSES)

    @property
    def counts(self) -> dict[str, int]:
        """Hits and misses so far."""
        without = 0 if self._runs_without is None else self._runs() - self._runs_without
        return {"hit": self._hits + without, "miss": self._misses}

    def rest(self) -> None:
        """Take the hook away if there was no miss for long."""
        if self._set_hook is not None and self._runs_without is None and self._hits - self._hits_at_miss >= QUIET:
            current = self._set_hook(self._before)
            if current is self._hook:
                self._runs_without = self._runs()
            else:
                self._set_hook(current)  # somebody has chained ours

    def compiling(self, *, again: bool) -> None:
        """A frame was compiled, `again` after a miss: look closely from now on. Before its first run is counted."""
        if self._set_hook is not None and self._runs_without is not None:
            self._hits += self._runs() - self._runs_without
            self._misses += again
            self._hits_at_miss = self._hits
            self._runs_without = None
            self._before = self._set_hook(self._hook)

    def reset(self) -> None:
        """Start to count from 0."""
        self._hits = self._misses = self._hits_at_miss = 0
        if self._runs_without is not None:
            self._runs_without = self._runs()

    def _install(self, _module: ModuleType) -> None:
        extension = sys.modules.get("torch._C._dynamo.eval_frame")
        set_hook = getattr(extension, "set_guard_complete_hook", None)
        if set_hook is None:
            self._hooks.report("eval_frame.set_guard_complete_hook", "not in this torch", LOSES)
            return

        def looked_up(hit: bool) -> bool:  # noqa: FBT001 - torch's signature
            if hit:
                self._hits += 1
            else:
                self._misses += 1
                self._hits_at_miss = self._hits
            return hit if self._before is None else bool(self._before(hit))

        self._set_hook, self._hook = set_hook, looked_up
        self._before = set_hook(looked_up)
