"""Signals that ask us to end cancel what goes on."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Cancellable(Protocol):
    """What can be asked to end, also in a signal handler."""

    def cancel(self) -> None:
        """Ask for the end."""


@contextlib.contextmanager
def cancelled_by_signals(what: Cancellable) -> Iterator[list[int]]:
    """Cancel `what` when we are asked to end, and yield the signals that asked for it.

    On a terminal Ctrl-C goes to the program alone, where that owns the terminal; this is for the rest.
    """
    received: list[int] = []

    def cancel(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        what.cancel()

    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, cancel)
    try:
        yield received
    finally:
        for number in numbers:
            signal.signal(number, before[number])
