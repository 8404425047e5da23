"""The versions that Dynamo keeps of each frame: which there are, which are dead, and the limits on their number.

Relies on cache entries (`compile_id`, `guard_manager`; `DeletedGuardManagerWrapper.invalidation_reason` of dead ones,
torch/_dynamo/guards.py), `torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code)`, `CacheSizeRelevantForFrame`
(torch/_dynamo/cache_size.py) and `torch._dynamo.config`, 2.6 to 2.14. A limit of one `torch.compile` call (2.12) is in
the configuration while that call's frames compile; regions of their own (`isolate_recompiles`) are there since 2.13.
"""

from __future__ import annotations

import atexit
import sys
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

    from compilescope.tracer.frames import Frames
    from compilescope.tracer.session import Session

LIMITS = {
    "recompile": ("recompile_limit", "cache_size_limit"),
    "accumulated": ("accumulated_recompile_limit", "accumulated_cache_size_limit"),
}


class Entries:
    """Follows the frames that have versions; says at the end which are left."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self._frames = frames
        self._codes: dict[int, weakref.ref[CodeType]] = {}
        self._left: list[dict[str, Any]] = []
        self._look = session.hooks.guarded("cache entries", self._look_up, loses="the versions at the end")
        session.at_end.append(lambda: {"entries": self._left})

    def compiled(self, code: CodeType) -> None:
        """Note that there is a version of `code`."""
        if not self._codes:
            # Runs before `weakref.finalize` lets go of what guards watch, which was registered earlier.
            atexit.register(self._look)
        known = self._codes.get(id(code))
        if known is None or known() is not code:
            self._codes[id(code)] = weakref.ref(code)

    def _look_up(self) -> None:
        evaluation = getattr(getattr(sys.modules.get("torch._C"), "_dynamo", None), "eval_frame", None)
        listed: Callable[[Any], Any] | None = getattr(evaluation, "_debug_get_cache_entry_list", None)
        if listed is None:
            return
        codes = [code for reference in self._codes.values() if (code := reference()) is not None]
        self._left = [{"code": self._frames.code(code), "entries": describe(listed(code))} for code in codes]


def describe(entries: Iterable[Any]) -> list[dict[str, str | None]]:
    """Each version, most recently used first: its compile id, and why it is dead if it is."""
    return [
        {
            "id": str(getattr(entry, "compile_id", "?")),
            "dead": getattr(entry.guard_manager, "invalidation_reason", None),
        }
        for entry in entries
    ]


def limits() -> dict[str, int | None]:
    """The limits in force: `recompile` versions of a frame (with the same modules), `accumulated` of its code."""
    config = getattr(sys.modules.get("torch._dynamo"), "config", None)
    return {name: next((_limit(config, one) for one in names if hasattr(config, one)), None)
            for name, names in LIMITS.items()}  # fmt: skip


def counted(size: Any) -> dict[str, int | None]:
    """How many versions count against the limits, of `cache_size` in Dynamo's `_compile`; None where it has none."""
    counts = {
        "recompile": getattr(size, "num_cache_entries_with_same_id_matched_objs", None),
        "accumulated": getattr(size, "total_cache_entries_all_regions", getattr(size, "num_cache_entries", None)),
    }
    return {name: count if isinstance(count, int) else None for name, count in counts.items()}


def region() -> int | None:
    """The number of the `isolate_recompiles` region that is compiling; None outside of one."""
    evaluation = getattr(getattr(sys.modules.get("torch._C"), "_dynamo", None), "eval_frame", None)
    current = getattr(evaluation, "get_eval_frame_isolate_recompiles_id", None)
    number = current() if current is not None else -1
    return number if number >= 0 else None


def _limit(config: Any, name: str) -> int | None:
    value = getattr(config, name)
    return value if isinstance(value, int) else None
