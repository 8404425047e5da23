"""Recompiles: which guard of which earlier version failed, with the value that it expected and the one that came.

Relies on `guards.get_and_maybe_log_recompilation_reasons` (torch/_dynamo/guards.py; 2.9 gives the first of a linked
list of cache entries, 2.13 a list) and on `GuardManagerWrapper.check_verbose` (2.6 to 2.14), which torch calls for each
entry meanwhile. Its results are kept: to check again would run what guards run of the program's, a `__len__` say.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer import entries as kept
from compilescope.tracer.expressions import compared_values, user_name
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session

LOSES = "recompile reasons"
DUPLICATE = "Duplicate tensor found"
"""What the guard itself says of tensors that are the same one; the reason names them."""
ENTRY = re.compile(r"^[\d/_]+: ")


def install(session: Session, frames: Frames) -> None:
    """Hook torch's own search for the reasons of a recompile."""
    checks: dict[int, Any] = {}

    def hook(module: ModuleType) -> None:
        def record(entries: Any, frame: Any, reasons: list[str], compiling: dict[str, Any]) -> None:
            entries = _as_list(entries)
            above = frames.above()
            near = [frame.f_code.co_filename, *(one["file"] for one in reversed(above))]
            session.emit(
                "recompile",
                {
                    "code": frames.code(frame.f_code),
                    "versions": len(entries),
                    "above": above,
                    "refused": _is_refused(compiling),
                    "at_limit": _at_limit(compiling),
                    "entries": kept.describe(entries),
                    "counted": kept.counted(compiling.get("cache_size")),
                    "limits": kept.limits(),
                    "region": kept.region(),
                    "failed": [
                        _failure(frames, entry, frame, reasons[index] if index < len(reasons) else "", near, checks)
                        | _other_backend(checks.get(id(entry.guard_manager)), compiling)
                        for index, entry in enumerate(entries)
                    ],
                },
            )

        note = session.hooks.guarded("guards.get_and_maybe_log_recompilation_reasons", record, loses=LOSES)

        def make(original: Callable[..., list[str]]) -> Callable[..., list[str]]:
            def get_and_maybe_log_recompilation_reasons(entries: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
                reasons: list[str] = []
                checks.clear()
                try:
                    reasons = original(entries, frame, *args, **kwargs)
                except BaseException as error:
                    hide_tracer(error)
                    raise
                finally:
                    if not (kwargs.get("skip_logging") or (args and args[-1] is True)):
                        note(entries, frame, reasons, sys._getframe(1).f_locals)
                    checks.clear()
                return reasons

            return get_and_maybe_log_recompilation_reasons

        def make_check(original: Callable[..., Any]) -> Callable[..., Any]:
            def check_verbose(self: Any, *args: Any, **kwargs: Any) -> Any:
                checks[id(self)] = result = original(self, *args, **kwargs)
                return result

            return check_verbose

        session.hooks.wrap(getattr(module, "GuardManagerWrapper", None), "check_verbose", make_check, loses=LOSES)
        session.hooks.wrap(module, "get_and_maybe_log_recompilation_reasons", make, loses=LOSES)

    session.hooks.after_import("torch._dynamo.guards", hook, loses=LOSES)


def _failure(  # noqa: PLR0917
    frames: Frames, entry: Any, frame: Any, reason: str, near: list[str], checks: dict[int, Any]
) -> dict[str, Any]:
    manager = entry.guard_manager
    parts: list[str] = []
    stack: list[Frame] = []
    values: list[dict[str, str | None]] = []
    checked = checks.get(id(manager))
    if checked is not None and getattr(manager, "global_scope", None) is not None:
        if not checked.result:
            parts = [str(part).strip() for part in checked.verbose_code_parts]
            stack = frames.of_summary(getattr(checked, "user_stack", None))
        scope = {"L": frame.f_locals, "G": (manager.global_scope or {}).get("G", frame.f_globals)}
        scope.update(manager.closure_vars or {})
        parts = _failing(parts, reason)
        if not parts or parts[0].startswith(DUPLICATE):
            parts = [ENTRY.sub("", reason).partition("\n")[0]]
        values = compared_values(parts, scope, functools.partial(_guarded_type, getattr(manager, "root", None)))
    return {
        "entry": str(getattr(entry, "compile_id", "?")),
        "reason": reason,
        "parts": parts,
        "frames": stack or _frames_in_comments(frames, parts, near),
        "values": values,
    }


def _other_backend(checked: Any, compiling: dict[str, Any]) -> dict[str, Any]:
    """What failed when no guard did: 2.9 says nothing then, and keeps the backend of a version to itself."""
    backend = compiling.get("compiler_fn")
    if (
        backend is None
        or checked is None
        or not checked.result
        or hasattr(sys.modules["torch._dynamo.guards"], "describe_backend")
    ):
        return {}
    name = getattr(backend, "__name__", None) or type(backend).__name__
    return {"parts": [], "values": [{"expression": "backend", "old": None, "new": str(name)}]}


def _guarded_type(root: Any, source: str) -> type | None:
    """The type that a version was made for, of the value that torch calls `source`; None if it guards none."""
    left = [] if root is None or not hasattr(root, "get_type_of_guarded_value") else [root]
    while left:
        manager = left.pop()
        if manager.get_source() == source:
            kind: type | None = manager.get_type_of_guarded_value()
            return kind
        left += manager.get_child_managers()
    return None


def _failing(parts: list[str], reason: str) -> list[str]:
    """Of several parts of one guard (the symbolic shapes), those that torch found to fail; all if it did not say."""
    named = [part for part in parts if user_name(part.split("  #", 1)[0].strip()) in user_name(reason)]
    return named if len(parts) > 1 and named else parts


def _frames_in_comments(frames: Frames, parts: list[str], near: list[str]) -> list[Frame]:
    """Guards on symbolic shapes say their places in comments only: `# code  # path:line in function`.

    A place of torch's own is in parentheses: `# (_dynamo/output_graph.py:3375 in …)`; nobody is to look there.
    """
    found = []
    for part in parts:
        for path, line, name in re.findall(r"# ([^\s(#][^#\n]*?):(\d+) in (\S+)", part):
            file = _whole_path(path, near)
            if file is not None:
                found.append(frames.make(file, (int(line), None, None, None), name))
    return found


def _whole_path(path: str, near: list[str]) -> str | None:
    """The file whose path torch shortened to `path`: of the files `near` the guard, else of a loaded module.

    `torch.utils._traceback.shorten_filename` (2.6 to 2.14) takes off what a path shares with torch's own folder and
    one character more, even where they share the root only: `/tmp/a.py` becomes `mp/a.py`.
    """
    if os.path.isabs(path) or path.startswith("<"):
        return path
    torch_folder = os.path.dirname(os.path.abspath(sys.modules["torch"].__file__ or ""))
    loaded = (getattr(module, "__dict__", {}).get("__file__") for module in list(sys.modules.values()))
    for file in [*near, *loaded]:
        if isinstance(file, str) and path in (file, _shortened(file, torch_folder)):
            return file
    return None


def _shortened(file: str, folder: str) -> str:
    try:
        return file[len(os.path.commonpath([file, folder])) + 1 :]
    except ValueError:
        return file


def _as_list(entries: Any) -> list[Any]:
    if isinstance(entries, (list, tuple)):
        return list(entries)
    chain = []
    while entries is not None:  # 2.9: a linked list
        chain.append(entries)
        entries = entries.next
    return chain


def _at_limit(compiling: dict[str, Any]) -> str:
    """What one version more than the limit comes to, by torch's own order (`convert_frame._compile`, 2.6 to 2.14)."""
    config = sys.modules.get("torch._dynamo.config")
    if getattr(config, "fail_on_recompile_limit_hit", False):
        return "raises by config"
    return "raises by fullgraph" if compiling.get("one_graph") else "eager"


def _is_refused(compiling: dict[str, Any]) -> bool:
    """Whether the limit will refuse this compile, by torch's own check (torch/_dynamo/cache_size.py)."""
    check = getattr(sys.modules.get("torch._dynamo.cache_size"), "exceeds_recompile_limit", None)
    size, compile_id = compiling.get("cache_size"), compiling.get("compile_id")
    if check is None or size is None or compile_id is None:
        return False
    return bool(check(size, compile_id)[0])
