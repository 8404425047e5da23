"""Tells apart the jobs whose logs lie in one folder: by when they ran and by their ranks.

A rank that is there twice is of another job, whatever the time; a process without a rank belongs to those that ran at
the same time.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
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


@dataclass
class Job:
    """One job: its logs, when it wrote its first and its last record (local time), and its ranks."""

    started: dt.datetime
    ended: dt.datetime
    logs: list[Path] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)

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

    def __str__(self) -> str:
        logs = f"{len(self.logs)} log{'s' if len(self.logs) > 1 else ''}"
        shown = sorted(self.ranks)
        ranks = f", rank {shown[0]}" if len(shown) == 1 else f", ranks {_spans(shown)}" if shown else ""
        return f"{self.started:%m-%d %H:%M:%S} to {self.ended:%m-%d %H:%M:%S}{ranks}, {logs}"


def jobs(paths: Iterable[Path]) -> list[Job]:
    """Return the jobs that the logs at `paths` are of, the one that began last at the end.

    Logs without a record in their beginning are of none. One that can't be read is counted to the last job: to show it
    is to say why.
    """
    by_log: dict[Path, Job] = {}
    unreadable = []
    for path in paths:
        try:
            seen = _seen(path)
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
            by_log[whole] = seen
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


def _seen(path: Path) -> Job | None:
    start = compressed.beginning(path, _LOOK)
    first = ENVELOPE.search(start or b"")
    if start is None or first is None:
        return None
    changed = dt.datetime.fromtimestamp(path.stat().st_mtime)  # noqa: DTZ006 - records have local time, too
    begun = _time(first, changed)
    rank = rank_of(path)
    if rank is None and (told := _RANK.search(start)):
        rank = int(told[1])
    ended = begun
    if not compressed.is_packed(path) and (last := _last(path)) is not None:
        ended = max(begun, _time(last, changed))
    return Job(begun, ended, [path], set() if rank is None else {rank})


def _last(path: Path) -> re.Match[bytes] | None:
    """Return the last envelope of a log."""
    size, length = path.stat().st_size, _LOOK
    with path.open("rb") as stream:
        while True:
            stream.seek(max(0, size - length))
            found = list(ENVELOPE.finditer(stream.read(length)))
            if found:
                return found[-1]
            if length >= min(size, _MOST):
                return None
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


def _spans(numbers: list[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans)
