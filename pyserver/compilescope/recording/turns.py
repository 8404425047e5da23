"""Which processes wrote the logs of an index, and when it was whose turn: noted as it is read, asked for later."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.recording.log import Record

_THREADS = 1 << 32
"""From there on a number is a thread's, which older torch wrote: all such are of one process, -1."""
_PROCESS = f"CASE WHEN pid < {_THREADS} THEN pid ELSE -1 END"
_WRITER = attrgetter("pid", "rank")


class Turn(NamedTuple):
    """Records of a log that follow each other and are of one process and rank, and the first one's event.

    `first` and `last`: when these were written, as their envelopes say.
    """

    event: int
    pid: int
    rank: int | None
    records: int
    first: str
    last: str


class _Written(NamedTuple):
    event: int
    pid: int
    rank: int | None
    timestamp: str


class Interned(NamedTuple):
    """A file name that gets a number, and the event that does it."""

    event: int
    pid: int
    number: int
    text: str


class Turns:
    """What the index behind `connection` knows of processes. Those of threads have the id -1."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._ask = connection.execute

    def shared(self, oldest: Mapping[int, int]) -> dict[int, list[int]]:
        """Return logs that may have several processes, with their rotations, by the number of the oldest one.

        They have several process ids or ranks, or a number for two file names.
        """
        groups: dict[int, list[int]] = {}
        pids: dict[int, set[int]] = {}
        ranks: dict[tuple[int, int], set[int | None]] = {}
        for (log,) in self._ask("SELECT id FROM logs ORDER BY id"):
            groups.setdefault(oldest.get(log, log), []).append(log)
        for log, pid, rank in self._ask("SELECT DISTINCT log, pid, rank FROM turns"):
            pids.setdefault(oldest.get(log, log), set()).add(pid)
            ranks.setdefault((oldest.get(log, log), pid), set()).add(rank)
        found = {log for log, known in pids.items() if len(known) > 1}
        found |= {log for (log, _), known in ranks.items() if len(known - {None}) > 1}
        again = "SELECT log FROM strings GROUP BY log, id HAVING COUNT(DISTINCT text) > 1"
        found |= {oldest.get(log, log) for (log,) in self._ask(again)}
        return {log: groups[log] for log in sorted(found & groups.keys())}

    def turns(self, logs: Sequence[int]) -> list[Turn]:
        """Return how processes took turns to write some logs."""
        query = f"SELECT event, pid, rank, records, first, last FROM turns WHERE {_in(logs)} ORDER BY event"  # noqa: S608
        found: list[Turn] = []
        for one in map(Turn._make, self._ask(query, logs)):
            if found and _WRITER(found[-1]) == _WRITER(one):
                found[-1] = _joined(found[-1], one)
            else:
                found.append(one)
        return found

    def interned(self, logs: Sequence[int]) -> list[Interned]:
        """Return the file names that get numbers in some logs, in order."""
        query = (
            f"SELECT e.id, {_PROCESS}, s.id, s.text FROM events e JOIN names n ON n.id = e.name AND n.name = 'str'"  # noqa: S608
            f" JOIN strings s ON s.log = e.log AND s.offset = e.envelope_offset WHERE e.{_in(logs)} ORDER BY e.id"
        )
        return [Interned(*one) for one in self._ask(query, logs)]

    def has(self, logs: Sequence[int], pid: int, compile_id: str) -> bool:
        """Whether a process wrote something about a compile."""
        query = f"SELECT 1 FROM events WHERE {_in(logs)} AND {_PROCESS} = ? AND compile_id = ? LIMIT 1"  # noqa: S608
        return self._ask(query, [*logs, pid, compile_id]).fetchone() is not None

    def before(self, logs: Sequence[int], pid: int, event: int, most: int) -> list[tuple[int, str]]:
        """Return an event of a process and those before it, `most` of them, with their times; the latest first."""
        own = f"{_in(logs)} AND {_PROCESS} = ? AND id <= ?"
        query = f"SELECT id, timestamp FROM events WHERE {own} ORDER BY id DESC LIMIT ?"  # noqa: S608
        return self._ask(query, [*logs, pid, event, most]).fetchall()

    def place(self, event: int) -> tuple[int, int]:
        """Return the log of an event, and the byte where its envelope starts."""
        log, offset = self._ask("SELECT log, envelope_offset FROM events WHERE id = ?", (event,)).fetchone()
        return log, offset


class Noted:
    """Notes in an index whose turn it was to write a log, as its events go into it."""

    def __init__(self, connection: sqlite3.Connection, log: int) -> None:
        self._connection, self._log = connection, log
        query = "SELECT event, pid, rank, records, first, last FROM turns WHERE log = ? ORDER BY event DESC LIMIT 1"
        self._turns = [Turn._make(one) for one in connection.execute(query, (log,))]

    def take(self, event: int, records: Iterable[Record | _Written]) -> None:
        """Note who wrote some records; the first one is the event with the number `event`."""
        for (pid, rank), group in groupby(records, _WRITER):
            own = list(group)
            one = Turn(event, pid if pid < _THREADS else -1, rank, len(own), own[0].timestamp, own[-1].timestamp)
            event += len(own)
            if self._turns and _WRITER(self._turns[-1]) == _WRITER(one):
                self._turns[-1] = _joined(self._turns[-1], one)
            else:
                self._turns.append(one)

    def write(self) -> None:
        """Write what was noted."""
        rows = [(one.event, self._log, *one[1:]) for one in self._turns]
        self._connection.executemany("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def forget_last(connection: sqlite3.Connection, log: int) -> None:
    """Take the last record of a log out of its turn."""
    last = "event = (SELECT MAX(event) FROM turns WHERE log = ?)"
    connection.execute(f"UPDATE turns SET records = records - 1 WHERE {last}", (log,))  # noqa: S608
    connection.execute(f"DELETE FROM turns WHERE records < 1 AND {last}", (log,))  # noqa: S608


def note_again(connection: sqlite3.Connection) -> None:
    """Note all turns anew, where events got other numbers."""
    logs = [log for (log,) in connection.execute("SELECT id FROM logs")]
    connection.execute("DELETE FROM turns")
    for log in logs:
        rows = connection.execute("SELECT id, pid, rank, timestamp FROM events WHERE log = ? ORDER BY id", (log,))
        noted = Noted(connection, log)
        for one in map(_Written._make, rows.fetchall()):
            noted.take(one.event, (one,))
        noted.write()


def _joined(one: Turn, other: Turn) -> Turn:
    return one._replace(records=one.records + other.records, last=other.last)


def _in(logs: Sequence[int]) -> str:
    return f"log IN ({', '.join('?' * len(logs))})"
