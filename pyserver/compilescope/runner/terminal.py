"""Job control: the user's program owns the terminal while it runs, as under a shell."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Terminal:
    """The terminal on `fd`, which our process group has in the foreground."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def current(cls) -> Terminal | None:
        """The terminal on stdin when we may hand it on, else None."""
        try:
            fd = sys.__stdin__.fileno() if sys.__stdin__ else -1
            return cls(fd) if os.isatty(fd) and os.tcgetpgrp(fd) == os.getpgrp() else None
        except (OSError, ValueError):
            return None

    def enter_child(self) -> None:
        """Run in the child between fork and exec: a group of its own, in the foreground before it can read."""
        os.setpgid(0, 0)
        self.give(os.getpid())

    def give(self, group: int) -> None:
        """Put process group `group` in the foreground."""
        with _writing_from_background(), contextlib.suppress(OSError):
            os.tcsetpgrp(self.fd, group)

    def take_back(self) -> None:
        """Put our own process group in the foreground."""
        self.give(os.getpgrp())

    def suspend_with(self, group: int) -> None:
        """The program was stopped (Ctrl-Z): stop too, so that the shell comes back; return when both go on."""
        self.take_back()
        os.killpg(os.getpgrp(), signal.SIGTSTP)
        with contextlib.suppress(OSError):  # the terminal, or the program, may be gone by now
            if os.tcgetpgrp(self.fd) == os.getpgrp():
                self.give(group)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGCONT)


@contextlib.contextmanager
def _writing_from_background() -> Iterator[None]:
    """Changing the foreground group from the background stops the caller unless SIGTTOU is blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
