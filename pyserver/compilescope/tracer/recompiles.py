"""Recompiles: which guard of which earlier version failed, with the value that it expected and the one that came.

Relies on `guards.get_and_maybe_log_recompilation_reasons` (torch/_dynamo/guards.py; 2.9 gives the first of a linked
list of cache entries, 2.13 a list) and on the guard manager's `check_verbose`, which torch itself calls to log.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.expressions import compared_values

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session

LOSES = "recompile reasons"


def install(session: Session, frames: Frames) -> None:
    """Hook torch's own search for the reasons of a recompile."""

    def hook(module: ModuleType) -> None:
        def record(entries: Any, frame: Any, reasons: list[str], compiling: dict[str, Any]) -> None:
            entries = _as_list(entries)
            session.emit(
                "recompile",
                {
                    "code": frames.code(frame.f_code),
                    "versions": len(entries),
                    "above": frames.above(),
                    "refused": _is_refused(compiling),
                    "failed": [
                        _failure(frames, entry, frame, reasons[index] if index < len(reasons) else "")
                        for index, entry in enumerate(entries)
                    ],
                },
            )

        note = session.hooks.guarded("guards.get_and_maybe_log_recompilation_reasons", record, loses=LOSES)

        def make(original: Callable[..., list[str]]) -> Callable[..., list[str]]:
            def get_and_maybe_log_recompilation_reasons(entries: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
                reasons: list[str] = []
                try:
                    reasons = original(entries, frame, *args, **kwargs)
                finally:
                    if not (kwargs.get("skip_logging") or (args and args[-1] is True)):
                        note(entries, frame, reasons, sys._getframe(1).f_locals)
                return reasons

            return get_and_maybe_log_recompilation_reasons

        session.hooks.wrap(module, "get_and_maybe_log_recompilation_reasons", make, loses=LOSES)

    session.hooks.after_import("torch._dynamo.guards", hook, loses=LOSES)


def _failure(frames: Frames, entry: Any, frame: Any, reason: str) -> dict[str, Any]:
    manager = entry.guard_manager
    parts: list[str] = []
    stack: list[Frame] = []
    values: list[dict[str, str]] = []
    if hasattr(manager, "check_verbose") and getattr(manager, "global_scope", None) is not None:
        checked = manager.check_verbose(frame.f_locals)
        if not checked.result:
            parts = [str(part).strip() for part in checked.verbose_code_parts]
            stack = frames.of_summary(getattr(checked, "user_stack", None))
        scope = {"L": frame.f_locals, "G": (manager.global_scope or {}).get("G", frame.f_globals)}
        scope.update(manager.closure_vars or {})
        parts = _failing(parts, reason)
        values = compared_values(parts, scope)
    return {
        "entry": str(getattr(entry, "compile_id", "?")),
        "reason": reason,
        "parts": parts,
        "frames": stack or _frames_in_comments(frames, parts),
        "values": values,
    }


def _failing(parts: list[str], reason: str) -> list[str]:
    """Of several parts of one guard (the symbolic shapes), those that torch found to fail; all if it did not say."""
    named = [part for part in parts if part.split("  #", 1)[0].strip() in reason]
    return named if len(parts) > 1 and named else parts


def _frames_in_comments(frames: Frames, parts: list[str]) -> list[Frame]:
    """Guards on symbolic shapes say their places in comments only: `# code  # path:line in function`.

    A place of torch's own is in parentheses: `# (_dynamo/output_graph.py:3375 in …)`; nobody is to look there.
    """
    places = re.findall(r"# ([^\s(]\S*?):(\d+) in (\S+)", " ".join(parts))
    return [frames.make(_whole_path(path), (int(line), None, None, None), name) for path, line, name in places]


def _whole_path(path: str) -> str:
    """Torch shortens paths against its own folder (torch/utils/_traceback.py); undo it with the loaded modules."""
    tail = "/" + path.lstrip("/")
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str) and (file == path or file.endswith(tail)):
            return file
    return path


def _as_list(entries: Any) -> list[Any]:
    if isinstance(entries, (list, tuple)):
        return list(entries)
    chain = []
    while entries is not None:  # 2.9: a linked list
        chain.append(entries)
        entries = entries.next
    return chain


def _is_refused(compiling: dict[str, Any]) -> bool:
    """Whether the limit will refuse this compile, by torch's own check (torch/_dynamo/cache_size.py)."""
    check = getattr(sys.modules.get("torch._dynamo.cache_size"), "exceeds_recompile_limit", None)
    size, compile_id = compiling.get("cache_size"), compiling.get("compile_id")
    if check is None or size is None or compile_id is None:
        return False
    return bool(check(size, compile_id)[0])
