"""The processes of this machine that write a recording's logs, and which of them have ended."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording.alive import is_alive

if TYPE_CHECKING:
    from compilescope.recording.reader import Recording


class Writers:
    """Those that were seen to run. Of processes on other machines nothing can be known."""

    def __init__(self) -> None:
        self._running: dict[int, str] = {}

    def see(self, recording: Recording) -> None:
        """Note which writers of `recording` run now."""
        for number, (pid, rank) in recording.processes().items():
            if pid is not None and pid not in self._running and _writes(pid, recording.log_of(number).path):
                self._running[pid] = f"process {pid}" + ("" if rank is None else f" (rank {rank})")

    def ended(self) -> list[str]:
        """Return `process 4711 (rank 0)` for each that has ended since it was last asked."""
        gone = [pid for pid in self._running if not is_alive(pid)]
        return [self._running.pop(pid) for pid in gone]


def _writes(pid: int, log: Path) -> bool:
    """Whether a process runs and, where that can be seen, has `log` open: the number may be another machine's."""
    if not is_alive(pid):
        return False
    if sys.platform != "linux":
        return True
    try:
        wanted = log.stat()
        opened = list(Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        return True
    except OSError:
        return False
    return any(_is(file, wanted) for file in opened)


def _is(file: Path, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(file.stat(), wanted)
    except OSError:  # closed meanwhile
        return False
