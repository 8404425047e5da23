"""What a compiled frame is checked for: its guards with the line that made each necessary, its symbols, its limits.

Relies on `CheckFunctionManager.compile_check_fn(builder, guards_out, ...)` (torch/_dynamo/guards.py, 2.6 to 2.14):
torch's own `dynamo_guards` event is never filled from 2.9 on. The tree in which guards are checked, and how long that
takes, is in torch's event `dynamo_cpp_guards_str`, which is written a little later; it has lines but no columns.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer import symbols
from compilescope.tracer.callee import callee
from compilescope.tracer.entries import Entries, limits
from compilescope.tracer.values import class_name, shows_itself

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session
    from compilescope.tracer.sources import Sources

LOSES = "guards"
LONGEST = 400


def install(session: Session, frames: Frames) -> None:
    """Record the guards and symbols of every compile that succeeds, and at the end the versions that there are."""
    entries = Entries(session, frames)

    def record(code: CodeType | None, builder: Any, guards: Any, output_graph: Any) -> None:
        shapes = [text for group in getattr(builder, "shape_env_code", ()) for text in group.code_list]
        places = Places(frames, session.sources)
        called = None if code is None else callee(code, getattr(output_graph, "local_scope", {}))
        session.emit(
            "guards",
            {
                "code": None if code is None else frames.code(code),
                **({} if called is None else {"calls": called}),
                "guards": [_describe(guard, shapes, places) for guard in guards],
                "latency_us": None,
                "limits": limits(),
            },
        )
        if code is not None:
            entries.compiled(code)

    def record_symbols(output_graph: Any) -> None:
        found = symbols.describe(output_graph) if output_graph is not None else []
        if found:
            session.emit("symbols", {"symbols": found})

    note = session.hooks.guarded("guards.compile_check_fn", record, loses=LOSES)
    note_symbols = session.hooks.guarded("OutputGraph.shape_env", record_symbols, loses="ranges of symbols")

    def hook(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def compile_check_fn(self: Any, builder: Any, guards_out: Any, *args: Any, **kwargs: Any) -> Any:
                result = original(self, builder, guards_out, *args, **kwargs)
                note(sys._getframe(1).f_locals.get("f_code"), builder, guards_out, self.output_graph)
                note_symbols(self.output_graph)
                return result

            return compile_check_fn

        session.hooks.wrap(module.CheckFunctionManager, "compile_check_fn", make, loses=LOSES)
        session.hooks.wrap(module.GuardManagerWrapper, "get_manager_line", _make_line, loses="guards of odd classes")

    session.hooks.after_import("torch._dynamo.guards", hook, loses=LOSES)


def _make_line(original: Callable[..., str]) -> Callable[..., str]:
    """Torch's line of the tree on one value shows the value's class, by a method of its metaclass if that has one."""
    known: dict[int, tuple[type, bool]] = {}

    def is_odd(metaclass: type) -> bool:
        if id(metaclass) not in known:
            known[id(metaclass)] = (metaclass, shows_itself(metaclass))
        return known[id(metaclass)][1]

    def get_manager_line(self: Any, guard_manager: Any, *args: Any, **kwargs: Any) -> str:
        kind = guard_manager.get_type_of_guarded_value()
        if type(kind) is not type and is_odd(type(kind)):
            guard_manager = _with_plain_type(guard_manager, f"<class '{class_name(kind)}'>")
        return original(self, guard_manager, *args, **kwargs)

    return get_manager_line


def _with_plain_type(manager: Any, text: str) -> Any:
    """What stands for a guard manager while it is described."""
    members = {
        "get_type_of_guarded_value": staticmethod(lambda: text),
        "__getattr__": lambda _self, name: getattr(manager, name),
    }
    return type(type(manager).__name__, (), members)()


class Places:
    """The frames of guards' user stacks; many guards of a compile share theirs with others."""

    def __init__(self, frames: Frames, sources: Sources) -> None:
        self._frames = frames
        self._sources = sources
        self._is_user: dict[str, bool] = {}
        self._made: dict[tuple[Any, ...], Frame | None] = {}

    def innermost(self, stack: Any) -> Frame | None:
        """The innermost frame of the user's, else the innermost of all."""
        known = self._is_user
        index = len(stack)
        while index:
            index -= 1
            file = stack[index].filename
            if file not in known:
                known[file] = self._sources.is_user(file)
            if known[file]:
                return self._frame(stack, index)
        return self._frame(stack, len(stack) - 1)

    def _frame(self, stack: Any, index: int) -> Frame | None:
        summary, position = stack[index], self._frames.position_in(stack, index)
        key = (summary.filename, position, summary.name)
        if key not in self._made:
            self._made[key] = self._frames.make(summary.filename, position, summary.name)
        return self._made[key]


def _describe(guard: Any, shapes: list[str], places: Places) -> dict[str, Any]:
    kind = guard.create_fn_name()
    code = shapes if kind == "SHAPE_ENV" else guard.code_list or []
    return {
        "name": guard.name,
        "kind": kind,
        "code": [str(text)[:LONGEST] for text in code],
        "frame": places.innermost(guard.user_stack) if guard.user_stack else None,
    }
