"""Tells apart the jobs whose logs lie in one folder: by when they ran and by their ranks.

A rank that is there twice is of another job, whatever the time; a process without a rank belongs to those that ran at
the same time.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from compilescope.recording import compressed
from compilescope.recording.files import rank_of, unrotated
from compilescope.recording.log import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LOOK = 1 << 16
_MOST = 1 << 24
_RANK = re.compile(rb'"rank": (\d{1,9})[,}]')
_TORCH = re.compile(rb'"pytorch_version": "([\w.+-]{1,60})"')
_KEPT = 4096
"""Logs whose looks are kept, as long as they don't change."""


@dataclass
class Job:
    """One job: its logs, when it wrote its first and its last record (local time), its ranks and what else is told.

    `size`: bytes of its logs as they lie there. `torch`: its version where the logs say so near their beginning or end.
    """

    started: dt.datetime
    ended: dt.datetime
    logs: list[Path] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)
    size: int = 0
    torch: str | None = None

    def takes(self, other: Job) -> bool:
        """Whether a later log is of this job."""
        if other.ranks and self.ranks:
            return not other.ranks & self.ranks
        return other.started <= self.ended

    def add(self, other: Job) -> None:
        """Take the logs of another."""
        self.ended = max(self.ended, other.ended)
        self.logs += other.logs
        self.ranks |= other.ranks
        self.size += other.size
        self.torch = self.torch or other.torch


def jobs(paths: Iterable[Path]) -> list[Job]:
    """Return the jobs that the logs at `paths` are of, the one that began last at the end.

    Logs without a record in their beginning are of none. One that can't be read is counted to the last job: to show it
    is to say why.
    """
    by_log: dict[Path, Job] = {}
    unreadable = []
    for path in paths:
        try:
            stat = path.stat()
            seen = _seen(path, stat.st_size, stat.st_mtime)
        except OSError:
            unreadable.append(path)
            continue
        if seen is None:
            continue
        whole = path.with_name(unrotated(path.name))
        if whole in by_log:
            by_log[whole].started = min(by_log[whole].started, seen.started)
            by_log[whole].add(seen)
        else:
            by_log[whole] = replace(seen, logs=[path], ranks=set(seen.ranks))
    found: list[Job] = []
    for one in sorted(by_log.values(), key=lambda one: one.started):
        for job in reversed(found):
            if job.takes(one):
                job.add(one)
                break
        else:
            found.append(one)
    if found:
        found[-1].logs += unreadable
    return found


def began(logs: Iterable[Path]) -> dt.datetime | None:
    """Return when the first record of some logs was written; None where that is not told.

    In the time zone of this machine, as records say none. Never raises.
    """
    found = jobs(logs)
    return found[0].started.astimezone() if found else None


@lru_cache(maxsize=_KEPT)
def _seen(path: Path, size: int, modified: float) -> Job | None:
    """Return a log as a job of its own: what it looked like when it had this size and was changed at this time."""
    start = compressed.beginning(path, _LOOK)
    first = ENVELOPE.search(start or b"")
    if start is None or first is None:
        return None
    changed = dt.datetime.fromtimestamp(modified)  # noqa: DTZ006 - records have local time, too
    begun = _time(first, changed)
    rank = rank_of(path)
    if rank is None and (told := _RANK.search(start)):
        rank = int(told[1])
    ended, end = begun, b""
    if not compressed.is_packed(path):
        last, end = _last(path, size)
        ended = begun if last is None else max(begun, _time(last, changed))
    torch = _TORCH.search(start) or _TORCH.search(end)
    return Job(begun, ended, [path], set() if rank is None else {rank}, size, str(torch[1], "ascii") if torch else None)


def _last(path: Path, size: int) -> tuple[re.Match[bytes] | None, bytes]:
    """Return the last envelope of a log, and the log's end with it."""
    length = _LOOK
    with path.open("rb") as stream:
        while True:
            stream.seek(max(0, size - length))
            end = stream.read(length)
            found = list(ENVELOPE.finditer(end))
            if found:
                return found[-1], end
            if length >= min(size, _MOST):
                return None, end
            length *= 4


def _time(envelope: re.Match[bytes], changed: dt.datetime) -> dt.datetime:
    """Return when a record was written: records say no year, so it is the last one before the file was changed."""
    text = str(envelope[1], "ascii")
    for year in (changed.year, changed.year - 1):
        try:
            time = dt.datetime.strptime(f"{year} {text[:13]}", "%Y %m%d %H:%M:%S")  # noqa: DTZ007
        except ValueError:  # February 29th, or a damaged envelope
            continue
        if time <= changed + dt.timedelta(days=1):
            return time
    return changed
