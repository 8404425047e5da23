"""Which processes there are. One that ended and that nobody collected yet is gone."""

from __future__ import annotations

import time
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether process `pid` runs."""
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def gone(*pids: int, within_s: float = 5) -> bool:
    """Whether all of `pids` end within some seconds."""
    end = time.monotonic() + within_s
    while any(map(alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def descendants(pid: int) -> list[int]:
    """What `pid` started, its children's children too, as far as it runs."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    children = [number for number in numbers if alive(number) and parent(number) == pid]
    return children + [one for child in children for one in descendants(child)]


def parent(pid: int) -> int | None:
    """The parent of process `pid`."""
    fields = _stat(pid)
    return int(fields[1]) if fields else None


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
