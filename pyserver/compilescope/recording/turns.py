"""Asks an index which processes wrote its logs, and when it was whose turn. Of a large log that takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

_THREADS = 1 << 32
_PROCESS = f"CASE WHEN pid < {_THREADS} THEN pid ELSE -1 END"
"""From there on a number is a thread's, which older torch wrote: all such are of one process."""
NO_RANK = -1
"""What the index has where a record names no rank."""


class Turn(NamedTuple):
    """Records that follow each other and are of one process: the first one's event, and how many there are."""

    event: int
    pid: int
    rank: int | None
    records: int


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
        ranks: dict[tuple[int, int], set[int]] = {}
        for (log,) in self._ask("SELECT id FROM logs ORDER BY id"):
            groups.setdefault(oldest.get(log, log), []).append(log)
        for log, pid, rank in self._ask(f"SELECT log, {_PROCESS}, rank FROM writers"):  # noqa: S608
            pids.setdefault(oldest.get(log, log), set()).add(pid)
            ranks.setdefault((oldest.get(log, log), pid), set()).add(rank)
        found = {log for log, known in pids.items() if len(known) > 1}
        found |= {log for (log, _), known in ranks.items() if len(known - {NO_RANK}) > 1}
        again = "SELECT log FROM strings GROUP BY log, id HAVING COUNT(DISTINCT text) > 1"
        found |= {oldest.get(log, log) for (log,) in self._ask(again)}
        return {log: groups[log] for log in sorted(found & groups.keys())}

    def turns(self, logs: Sequence[int]) -> list[Turn]:
        """Return how processes took turns to write some logs."""
        before = f"LAG({_PROCESS}) OVER own AS pid_before, LAG(rank) OVER own AS rank_before"
        own = f"SELECT id, {_PROCESS} AS pid, rank, {before}, ROW_NUMBER() OVER own AS number FROM events"  # noqa: S608
        own = f"{own} WHERE {_in(logs)} WINDOW own AS (ORDER BY id)"
        query = f"SELECT id, pid, rank, number FROM ({own}) WHERE pid_before IS NOT pid OR rank_before IS NOT rank"  # noqa: S608
        found = self._ask(query, logs).fetchall()
        total = self._ask(f"SELECT COUNT(*) FROM events WHERE {_in(logs)}", logs).fetchone()[0]  # noqa: S608
        ends = [number for *_, number in found[1:]] + [total + 1]
        return [
            Turn(event, pid, rank, end - number) for (event, pid, rank, number), end in zip(found, ends, strict=True)
        ]

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


def _in(logs: Sequence[int]) -> str:
    return f"log IN ({', '.join('?' * len(logs))})"
