"""Names in `TORCH_LOGS` and in calls of `torch._logging.set_logs` that this torch does not have.

Torch raises a ValueError for them (a TypeError for an unknown keyword), from `_parse_log_settings` when it is imported
and from `set_logs` (torch/_logging/_internal.py, 2.6 to 2.14); the program may catch it. Looked at only then.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frames
    from compilescope.tracer.session import Session

LOSES = "unknown names of logs"
VARIABLE = "TORCH_LOGS"


class LogNames:
    """Records `compilescope_unknown_log_name` when torch refuses a setting of its logs."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self._session = session
        self._frames = frames
        self._at_start: str | None = None
        session.at_start.append(self._begin)

    def install(self) -> None:
        """Watch the two functions that refuse when they are imported."""
        self._session.hooks.after_import("torch._logging._internal", self._hook, loses=LOSES)

    def _begin(self) -> None:
        self._at_start = os.environ.get(VARIABLE)

    def _hook(self, module: ModuleType) -> None:
        hooks = self._session.hooks
        parse = hooks.guarded("_logging._parse_log_settings", self._of_variable, loses=LOSES)
        call = hooks.guarded("_logging.set_logs", self._of_call, loses=LOSES)
        hooks.wrap(module, "_parse_log_settings", lambda original: _watched(original, parse), loses=LOSES)
        hooks.wrap(module, "set_logs", lambda original: _watched(original, call), loses=LOSES)

    def _of_variable(self, error: Exception, args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        settings = str(args[0])
        if settings.strip("+ ") == "help":
            return
        names = [word.strip() for word in settings.split(",")]
        unknown = [name for name in names if not _is_known(re.sub("^[+-]", "", name))]
        self._emit("environment", unknown, error, settings=settings, by_program=settings != self._at_start)

    def _of_call(self, error: Exception, _args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        taken = _keywords(sys.modules["torch._logging._internal"].set_logs)
        unknown = [name for name in kwargs if name not in taken]
        if unknown and isinstance(error, TypeError):
            self._emit("keyword", unknown, error)
            return
        modules = kwargs.get("modules")
        named = [str(name) for name in modules] if isinstance(modules, dict) else []
        self._emit("modules", [name for name in named if not _is_known(name)], error)

    def _emit(self, place: str, names: list[str], error: Exception, **more: Any) -> None:
        if not names:
            return
        registry = sys.modules["torch._logging._internal"].log_registry
        self._session.emit(
            "unknown_log_name",
            {
                "place": place,
                "names": names,
                "known": sorted({"all", *registry.log_alias_to_log_qnames, *registry.artifact_names}),
                "artifacts": sorted(registry.artifact_names),
                "exception": {"type": type(error).__name__, "message": str(error)[:4000]},
                "frames": self._frames.now(),
                **more,
            },
        )


def _watched(original: Callable[..., Any], note: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except (ValueError, TypeError) as error:
            note(error, args, kwargs)
            hide_tracer(error)
            raise

    return watched


def _is_known(name: str) -> bool:
    """Whether torch takes a name: one that it registered, or that of a module there is."""
    internal = sys.modules["torch._logging._internal"]
    if name == "all" or internal.log_registry.is_log(name) or internal.log_registry.is_artifact(name):
        return True
    try:
        return re.fullmatch(r"[\w.]+", name) is not None and internal._is_valid_module(name)
    except (ImportError, ValueError):
        return False


def _keywords(function: Any) -> frozenset[str]:
    """The names that a call of `function`, or of what it wraps, may use."""
    code = getattr(function, "__wrapped__", function).__code__
    return frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
