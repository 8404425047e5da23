"""Keys that are pressed in a terminal while a command shows something there."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import TYPE_CHECKING

try:
    import termios
    import tty
except ImportError:  # Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextlib.contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """Yield what returns the keys that were pressed since it was asked last, without waiting; they are not echoed.

    Nothing where stdin is no terminal, or that of others in the foreground, or can't be read key by key (Windows).
    """
    fd = _terminal() if HAS_KEYS else None
    if fd is None:
        yield lambda: ""
        return

    def pressed() -> str:
        if not select.select([fd], [], [], 0)[0]:
            return ""
        try:
            return os.read(fd, 64).decode(errors="replace")
        except OSError:
            return ""

    before = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    try:
        yield pressed
    finally:
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _terminal() -> int | None:
    """The terminal that keys come from; None in the background, where to change it would stop us."""
    try:
        fd = sys.stdin.fileno()
        termios.tcgetattr(fd)
        return fd if os.tcgetpgrp(fd) == os.getpgrp() else None
    except (OSError, ValueError, AttributeError, termios.error):
        return None
