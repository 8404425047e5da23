"""Tracebacks and printed stacks without the tracer's frames.

An exception loses them where it leaves the tracer for the program (`hide_tracer`; on Python 3.10 a frame that is the
last to be left stays). What walks a stack from a frame on, `traceback.print_stack` and its kin, is asked to pass them
over; what walks frames by itself (`inspect.stack`, `sys._getframe`) sees them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.tracer.frames import TOP_FILE, TOP_LINE, is_ours
from compilescope.tracer.sources import TRACER

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType

    from compilescope.tracer.session import Session

LOSES = "nothing; stacks that torch prints show the tracer's frames"
_ENTRIES = (f'  File "{TRACER}', f'  File "{TOP_FILE}", line {TOP_LINE}, in ')
"""How the entry of one of our frames begins in a printed stack."""


def install(session: Session) -> None:
    """Take our frames out of the stacks that Dynamo (`exc.get_stack_above_dynamo`, 2.6 to 2.14) and Python print."""

    def without_ours(stack: Any) -> Any:
        return type(stack)(frame for frame in stack if not is_ours_file(frame.filename))

    clean = session.hooks.guarded("exc.get_stack_above_dynamo", without_ours, loses=LOSES)

    def hook(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def get_stack_above_dynamo(*args: Any, **kwargs: Any) -> Any:
                stack = original(*args, **kwargs)
                cleaned = clean(stack)
                return stack if cleaned is None else cleaned

            return get_stack_above_dynamo

        session.hooks.wrap(module, "get_stack_above_dynamo", make, loses=LOSES)

    def hook_python(module: ModuleType) -> None:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def walk_stack(f: Any) -> Any:
                if f is None:  # from its caller's caller on: it counts frames
                    return original(f)
                return (entry for entry in original(f) if not is_ours(entry[0].f_code))

            return walk_stack

        session.hooks.wrap(module, "walk_stack", make, loses=LOSES)

    session.hooks.after_import("torch._dynamo.exc", hook, loses=LOSES)
    session.hooks.after_import("torch.utils._traceback", lambda module: _hook_captured(session, module), loses=LOSES)
    session.hooks.after_import("traceback", hook_python, loses=LOSES)


def _hook_captured(session: Session, module: ModuleType) -> None:
    """What Dynamo logs as the stack of a compile (torch/utils/_traceback.py, 2.6 to 2.14), without our frames."""

    def make(original: Callable[..., list[str]]) -> Callable[..., list[str]]:
        def format(self: Any) -> list[str]:  # noqa: A001 - torch's name
            return [entry for entry in original(self) if not entry.startswith(_ENTRIES)]

        return format

    session.hooks.wrap(module.CapturedTraceback, "format", make, loses=LOSES)


def is_ours_file(file: str) -> bool:
    """Whether `file` is one of the tracer's."""
    return file.startswith(TRACER) or file == TOP_FILE


def hide_tracer(error: BaseException) -> None:
    """Take our frames out of the tracebacks of `error` and of everything that it is chained to, in place."""
    seen: set[int] = set()
    chain: list[BaseException | None] = [error]
    while chain:
        link = chain.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        link.__traceback__ = _without_ours(link.__traceback__)
        chain += [link.__cause__, link.__context__]
        chain += list(getattr(link, "exceptions", None) or ()) if type(link).__name__.endswith("Group") else []


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    first = traceback
    while first is not None and is_ours(first.tb_frame.f_code):
        first = first.tb_next
    entry = first
    while entry is not None:
        following = entry.tb_next
        while following is not None and is_ours(following.tb_frame.f_code):
            following = following.tb_next
        entry.tb_next = following
        entry = following
    return first
