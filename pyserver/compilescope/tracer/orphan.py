"""A worker whose launcher was killed before anybody was told to watch it."""

from __future__ import annotations

import os


def end_without(launcher: int | None) -> None:
    """End this process at once when it has another parent than process `launcher`, which started it.

    Nothing is known where something stands between: then we do not lead a process group (a wrapper that stays), or our
    parent can't be seen (0: a container).
    """
    if launcher is None or os.name != "posix" or os.getpgrp() != os.getpid():
        return
    if os.getppid() not in {0, launcher}:
        os._exit(0)
