"""Tells apart the processes that wrote one log: forked ones, several at once, jobs whose logs were put together.

Each record names its process, many also their rank. Where a process id comes again for another process (in containers
all may have the same), its numbered file names start anew, with other texts. What can't be told apart is left out.
"""

from __future__ import annotations

from bisect import bisect
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from compilescope.recording.log import Damage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilescope.recording.rows import Row
    from compilescope.recording.turns import Interned, Turn, Turns

_APART = 1 << 20
_BEFORE = 64
_LAST = 1 << 62
_FIRST_COMPILE = "0/0"
_ALONE = "the only record of a process {}, among those of another: left out"
_AT_ONCE = "two processes with the number {} wrote here at once: what follows of them is left out"
_RANKLESS = "processes with the number {} wrote at once: of their records those without a rank are left out"


class Process(NamedTuple):
    """A process that wrote a log. `number` tells it from all others of the recording."""

    number: int
    pid: int | None
    rank: int | None


class _Numbers(NamedTuple):
    """The numbers of the processes that had one process id: of those after each other, or of each rank's at once."""

    starts: list[int]
    after_each_other: list[int]
    by_rank: dict[int | None, int]
    until: int

    @property
    def only(self) -> int | None:
        """The one process that there is; None where that depends."""
        is_one = len(self.after_each_other) == 1 and not self.by_rank and self.until == _LAST
        return self.after_each_other[0] if is_one else None

    def of(self, row: Row) -> int | None:
        if row.id >= self.until:
            return None
        if self.by_rank:
            return self.by_rank.get(row.rank)
        return self.after_each_other[max(0, bisect(self.starts, row.id) - 1)]


class Shared:
    """The processes of a log that has several. `logs`: the numbers of its rotations, the oldest first."""

    def __init__(self, turns: Turns, logs: Sequence[int]) -> None:
        self.processes: list[Process] = []
        self.damage: list[tuple[int, Damage]] = []
        self._asked, self._logs = turns, logs
        self._strings: dict[int, dict[int, str]] = {}
        self._turns = turns.turns(logs)
        self._interned = turns.interned(logs)
        alone = set(self._alone())
        pids = dict.fromkeys(turn.pid for turn in self._turns if turn.pid not in alone)
        self._numbers = {pid: self._of_pid(pid) for pid in pids}
        self._only = {pid: numbers.only for pid, numbers in self._numbers.items() if numbers.only is not None}
        for process in self.processes[1:]:
            self._inherit(process)

    def of(self, row: Row) -> int | None:
        """Return the number of the process that wrote an event; None where that can't be told."""
        only = self._only.get(row.pid)
        if only is not None:
            return only
        found = self._numbers.get(row.pid if row.pid in self._numbers else -1)
        return None if found is None else found.of(row)

    def strings(self, process: int) -> dict[int, str]:
        """Return the file names that a process's events give by number."""
        return self._strings.get(process, {})

    def _alone(self) -> Iterator[int]:
        """Yield process ids that one record has, between two of another process: it is damaged."""
        counts: dict[int, int] = {}
        for turn in self._turns:
            counts[turn.pid] = counts.get(turn.pid, 0) + turn.records
        for before, turn, after in zip(self._turns, self._turns[1:], self._turns[2:], strict=False):
            if counts[turn.pid] == 1 and before.pid == after.pid:
                self._tell(turn.event, _ALONE.format(turn.pid))
                yield turn.pid

    def _of_pid(self, pid: int) -> _Numbers:
        interned = [one for one in self._interned if one.pid == pid]
        ranked = [turn for turn in self._turns if turn.pid == pid and turn.rank is not None]
        ranks = _at_once(ranked)
        if ranks:
            self._tell(ranked[0].event, _RANKLESS.format(pid))
            return _Numbers([], [], {rank: self._new(pid, rank, _certain(interned)) for rank in ranks}, _LAST)
        again, mixed = _starts(interned)
        until = _LAST if mixed is None else mixed
        if mixed is not None:
            self._tell(mixed, _AT_ONCE.format(pid))
        starts = [0, *(self._began(pid, event) for event in again), _LAST]
        numbers = []
        for start, end in pairwise(starts):
            rank = next((turn.rank for turn in ranked if start <= turn.event < end), None)
            own = [one for one in interned if start <= one.event < min(end, until)]
            numbers.append(self._new(pid, rank, _certain(own)))
        return _Numbers(starts[:-1], numbers, {}, until)

    def _began(self, pid: int, event: int) -> int:
        """Return the first event of a process that numbers its first file name in `event`: after the longest pause."""
        events = self._asked.before(self._logs, pid, event, _BEFORE)
        pauses = [(abs(_seconds(one[1]) - _seconds(before[1])), one[0]) for one, before in pairwise(events)]
        return max(pauses, default=(0.0, event))[1]

    def _new(self, pid: int, rank: int | None, strings: dict[int, str]) -> int:
        number = self._logs[0] + len(self.processes) * _APART
        self.processes.append(Process(number, None if pid < 0 else pid, rank))
        self._strings[number] = strings
        return number

    def _inherit(self, process: Process) -> None:
        """Give a forked process the file names that its parent, which began the log, had numbered before."""
        parent, own = self.processes[0], self._strings[process.number]
        if process.pid is None or process.pid == parent.pid:
            return
        begun = next(turn.event for turn in self._turns if turn.pid == process.pid)
        before = {
            one.number: one.text
            for one in self._interned
            if one.pid == parent.pid and (one.event < begun or (own and one.number < min(own)))
        }
        is_parents = not own or min(own) == len(before)
        if is_parents and not self._asked.has(self._logs, process.pid, _FIRST_COMPILE):
            self._strings[process.number] = before | own

    def _tell(self, event: int, problem: str) -> None:
        log, offset = self._asked.place(event)
        self.damage.append((log, Damage(offset, problem)))


def log_number(process: int) -> int:
    """Return the number of the log that a process wrote."""
    return process % _APART


def _seconds(timestamp: str) -> float:
    """Return the seconds of `1129 13:17:29.123456`: only the differences mean something."""
    day, _, time = timestamp.partition(" ")
    hour, minute, second = time.split(":")
    return ((int(day[:2]) * 31 + int(day[2:])) * 24 + int(hour)) * 3600.0 + int(minute) * 60 + float(second)


def _at_once(ranked: list[Turn]) -> list[int | None]:
    """Return the ranks under which one process id wrote in turns; none where they wrote one after the other."""
    counts: dict[int | None, int] = {}
    for turn in ranked:
        counts[turn.rank] = counts.get(turn.rank, 0) + turn.records
    turns = [rank for rank, _ in groupby(turn.rank for turn in ranked if counts[turn.rank] > 1)]
    ranks = list(dict.fromkeys(turns))
    return ranks if len(turns) > len(ranks) else []


def _certain(interned: list[Interned]) -> dict[int, str]:
    """Return the file names by number, without the numbers that stand for several."""
    texts: dict[int, set[str]] = {}
    for one in interned:
        texts.setdefault(one.number, set()).add(one.text)
    return {number: found.pop() for number, found in texts.items() if len(found) == 1}


def _starts(interned: list[Interned]) -> tuple[list[int], int | None]:
    """Return where numbering starts anew with other texts, and where two processes number at once."""
    known: dict[int, str] = {}
    starts: list[int] = []
    for section in _sections(interned):
        own = _certain(section)
        if len({one.number for one in section}) > len(own) + 1:
            return starts, section[0].event
        if all(known.get(number, text) == text for number, text in own.items()):
            known |= own
            continue
        steps = [(one.number, two.number) for one, two in pairwise(section) if two.number != one.number + 1]
        if section[0].number or any(after < before or after == len(known) for before, after in steps):
            return starts, section[0].event
        starts.append(section[0].event)
        known = own
    return starts, None


def _sections(interned: list[Interned]) -> Iterator[list[Interned]]:
    """Yield names that were numbered after each other, each from a number 0 on."""
    section: list[Interned] = []
    for one in interned:
        if one.number == 0 and section:
            yield section
            section = []
        section.append(one)
    if section:
        yield section
