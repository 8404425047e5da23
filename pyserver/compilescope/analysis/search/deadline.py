"""A deadline for one piece of work that can't be asked to stop: a regular expression that is being matched.

Python's `re` looks for signals while it matches (Modules/_sre/sre.c, 3.10 to 3.14), so a timer's signal ends it.
That needs the main thread, and a system with `setitimer`: elsewhere there is no deadline.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType

SECONDS = 3.0


class TooSlow(Exception):
    """The work took longer than the deadline."""


@contextlib.contextmanager
def deadlines(seconds: float = SECONDS) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Yield a context that gives the work in it `seconds`; TooSlow is raised in it when they are over."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield contextlib.nullcontext
        return
    running = False

    def over(_number: int, _frame: FrameType | None) -> None:
        if running:
            raise TooSlow

    @contextlib.contextmanager
    def timed() -> Iterator[None]:
        nonlocal running
        running = True
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            running = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    before = signal.signal(signal.SIGALRM, over)
    try:
        yield timed
    finally:
        signal.signal(signal.SIGALRM, before)
