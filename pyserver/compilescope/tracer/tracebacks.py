"""Tracebacks without the tracer's frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tracer.frames import is_ours

if TYPE_CHECKING:
    from types import TracebackType


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
