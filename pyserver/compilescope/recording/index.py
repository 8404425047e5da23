"""An index of a recording's logs: the envelope of every event and where its payload lies. Derived, can be deleted.

It is an SQLite file beside large logs (in the user's cache when that can't be written), in memory for small ones. It
grows with the logs: only new bytes are read. A log that was replaced or cut is read again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from compilescope.recording import pieces
from compilescope.recording.checksums import MISMATCH, Comparing, compare
from compilescope.recording.index_file import connect, place
from compilescope.recording.log import Damage, Position, Stretch
from compilescope.recording.mixed import mend, put_in_order
from compilescope.recording.rows import Rows
from compilescope.recording.turns import Noted, Turns, forget_last, note_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from compilescope.recording.checksums import Compared
    from compilescope.recording.files import LogFile

MANY = 4 << 20
"""Bytes of payloads from which on a process of its own compares them with their checksums."""
_SAMPLE = 4096


class _Names(dict[str, int]):
    """The numbers of events' names in an index, given as they come."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection.execute("SELECT name, id FROM names"))
        self._connection = connection

    def __missing__(self, name: str) -> int:
        self[name] = len(self) + 1
        self._connection.execute("INSERT INTO names VALUES (?, ?)", (self[name], name))
        return self[name]


class Index:
    """The index of one recording."""

    def __init__(
        self,
        root: Path,
        logs: Sequence[LogFile],
        check: Callable[[], None] | None = None,
        readers: pieces.Readers | None = None,
    ) -> None:
        self.path = place(root, logs)
        self._check = check
        self._readers = readers
        self._connection = connect(self.path)
        self._names = _Names(self._connection)
        self._pending: dict[str, Damage] = {}
        self._rows: Rows | None = None
        self._comparing: Comparing | None = None

    def close(self) -> None:
        """Close the file."""
        self._stop_comparing()
        self._connection.close()

    def update(self, logs: Sequence[LogFile]) -> int:
        """Read what is new in `logs`; return the number of events that came."""
        self._stop_comparing()  # events may get other numbers
        self._rows = None
        try:
            return self._update(logs)
        except sqlite3.DatabaseError:
            if self.path is None:
                raise
            # A broken file, a full disk, another process that holds it: go on in memory.
            self._connection.close()
            self.path, self._connection = None, connect(None)
            return self._update(logs)

    def _update(self, logs: Sequence[LogFile]) -> int:
        if self.path is not None and not any(self._grown(log) for log in logs):
            self._pending.clear()  # another process has read the rest
            return 0
        self._pending = {name: self._pending[name] for name in {log.name for log in logs} & self._pending.keys()}
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._names = _Names(connection)
            readers, self._readers = self._readers or pieces.Readers(), None
            with readers:
                readers.start(self._unread(logs))
                new = sum(self._read(log, readers) for log in logs)
            for log, path in self._written_by_several(logs):
                new += self._mend(log, path)
            connection.execute("CREATE INDEX IF NOT EXISTS events_by_name ON events (name)")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        return new

    def begin_to_compare(self, logs: Mapping[int, Path]) -> None:
        """Have another process compare many payloads with their checksums, while this one goes on."""
        if self.path is None or self._comparing is not None:
            return
        until = self._compared()
        query = "SELECT COALESCE(SUM(payload_length), 0) FROM events WHERE id > ?"
        if self._connection.execute(query, (until,)).fetchone()[0] >= MANY:
            self._comparing = Comparing(self.path, logs, until)

    def compare(self, logs: Mapping[int, Path]) -> None:
        """Compare all payloads with their checksums: then `damage` tells of those that are not as they were written."""
        try:
            for compared in chain(self._comparing or (), self._rest(logs)):
                self._take(compared)
                if self._check is not None:
                    self._check()
        except sqlite3.DatabaseError:  # see `_update`: the next one mends it
            return
        finally:
            self._stop_comparing()

    def _rest(self, logs: Mapping[int, Path]) -> Iterator[Compared]:
        """Yield what is not compared when this begins."""
        yield from compare(self._connection, logs, self._compared())

    def _compared(self) -> int:
        """Return the number of the last event up to which payloads are compared."""
        return int(self._connection.execute("SELECT until FROM compared").fetchone()[0])

    def _take(self, compared: Compared) -> None:
        """Note what came out of a comparison, each place once: another process may have compared them, too."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            query = "UPDATE compared SET until = ?1 WHERE until < ?1"
            if connection.execute(query, (compared.until,)).rowcount:
                known = set(connection.execute("SELECT log, offset FROM damage WHERE problem = ?", (MISMATCH,)))
                rows = [(*place, MISMATCH) for place in compared.mismatches if place not in known]
                connection.executemany("INSERT INTO damage VALUES (?, ?, ?)", rows)
        finally:
            connection.execute("COMMIT")

    def _compare_again(self) -> None:
        """Events that were deleted give their numbers to others."""
        self._connection.execute("UPDATE compared SET until = MIN(until, (SELECT COALESCE(MAX(id), 0) FROM events))")

    def _stop_comparing(self) -> None:
        if self._comparing is not None:
            self._comparing.close()
            self._comparing = None

    def _grown(self, log: LogFile) -> bool:
        known = self._connection.execute("SELECT offset, head, tail FROM logs WHERE name = ?", (log.name,)).fetchone()
        try:
            if known is None or log.path.stat().st_size != known[0]:
                return True
            with log.path.open("rb") as stream:
                return bool(_marks(stream, known[0]) != known[1:])
        except OSError:
            return True

    def _unread(self, logs: Sequence[LogFile]) -> int:
        """Return about how many bytes of logs are new."""
        known = dict(self._connection.execute("SELECT name, offset FROM logs"))
        return sum(max(_size(log) - known.get(log.name, 0), 0) for log in logs)

    def _read(self, log: LogFile, readers: pieces.Readers) -> int:
        connection = self._connection
        known = connection.execute("SELECT id, offset, head, tail FROM logs WHERE name = ?", (log.name,)).fetchone()
        try:
            stream = log.path.open("rb")
        except OSError as error:
            self._pending[log.name] = Damage(0, f"can't be opened: {error.strerror}")
            return 0
        with stream:
            if known is not None and _marks(stream, known[1]) != known[2:]:
                for table in ("events", "strings", "turns", "damage", "logs"):
                    column = "id" if table == "logs" else "log"
                    connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (known[0],))  # noqa: S608
                self._compare_again()
                known = None
            if known is None:
                cursor = connection.execute("INSERT INTO logs (name, offset) VALUES (?, 0)", (log.name,))
                known = (cursor.lastrowid, 0, None, None)
                if log.problem:
                    connection.execute("INSERT INTO damage VALUES (?, 0, ?)", (known[0], log.problem))
            number, offset = int(known[0]), int(known[1])
            if offset and _goes_on(stream, offset):
                offset = self._forget_last(number, stream, offset)
            size = log.path.stat().st_size
            with closing(readers.read(stream, log.path, offset, size)) as stretches:
                position, new = self._insert(number, stretches)
            if position.pending is None:
                self._pending.pop(log.name, None)
            else:
                self._pending[log.name] = position.pending
            if position.offset != known[1] or known[2] is None:
                marks = _marks(stream, position.offset)
                connection.execute(
                    "UPDATE logs SET offset = ?, head = ?, tail = ? WHERE id = ?", (position.offset, *marks, number)
                )
        return new

    def _forget_last(self, log: int, stream: BinaryIO, offset: int) -> int:
        """Forget the last event of a log, which was taken for whole; return where it starts."""
        query = "SELECT id, envelope_offset FROM events WHERE log = ? ORDER BY id DESC LIMIT 1"
        last = self._connection.execute(query, (log,)).fetchone()
        if last is None:
            return offset
        before = max(0, last[1] - _SAMPLE)
        stream.seek(before)
        start = before + stream.read(last[1] - before).rfind(b"\n") + 1
        self._connection.execute("DELETE FROM events WHERE id = ?", (last[0],))
        self._connection.execute("UPDATE logs SET mended = MIN(mended, ?) WHERE id = ?", (last[0] - 1, log))
        forget_last(self._connection, log)
        self._connection.execute("DELETE FROM damage WHERE log = ? AND offset >= ?", (log, start))
        self._compare_again()
        return int(start)

    def _insert(self, log: int, stretches: Iterator[Stretch]) -> tuple[Position, int]:
        connection, names, new = self._connection, self._names, 0
        insert = f"INSERT INTO events VALUES (NULL, {log}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        position, rank, pid = Position(0, None), None, None
        noted = Noted(connection, log)
        for records, damage, done in stretches:
            noted.take(self._last_event() + 1, records)
            connection.executemany(insert, [(names[one.name], *one[1:11]) for one in records])
            strings = [
                (log, one.envelope_offset, one.string_id, one.label) for one in records if one.string_id is not None
            ]
            connection.executemany("INSERT OR REPLACE INTO strings VALUES (?, ?, ?, ?)", strings)
            connection.executemany("INSERT INTO damage VALUES (?, ?, ?)", [(log, *one) for one in damage])
            if records:
                new += len(records)
                pid = records[-1].pid
                rank = next((one.rank for one in reversed(records) if one.rank is not None), rank)
            position = done or position
            if self._check is not None:
                self._check()
        if pid is not None:
            connection.execute("UPDATE logs SET rank = COALESCE(?, rank), pid = ? WHERE id = ?", (rank, pid, log))
        noted.write()
        return position, new

    def _last_event(self) -> int:
        return int(self._connection.execute("SELECT COALESCE(MAX(id), 0) FROM events").fetchone()[0])

    def _written_by_several(self, logs: Sequence[LogFile]) -> list[tuple[int, Path]]:
        paths = {log.name: log.path for log in logs}
        several = "SELECT log FROM turns GROUP BY log HAVING COUNT(DISTINCT pid) > 1"
        found = self._connection.execute(f"SELECT id, name FROM logs WHERE id IN ({several})")  # noqa: S608
        return [(log, paths[name]) for log, name in found if name in paths]

    def _mend(self, log: int, path: Path) -> int:
        """Mend the new events of a log; return how many records were found."""
        try:
            with path.open("rb") as stream:
                found = mend(self._connection, log, stream)
        except OSError:
            return 0
        last = self._last_event()
        self._insert(log, iter([Stretch([record for _, record in found.records], found.damage)]))
        put_in_order(self._connection, [event for event, _ in found.records], last)
        if found.records:
            note_again(self._connection)
        return len(found.records)

    @property
    def rows(self) -> Rows:
        """The events, until more are read."""
        if self._rows is None:
            self._rows = Rows(self._connection)
        return self._rows

    def log_names(self) -> dict[int, str]:
        """Return the logs' names by their numbers."""
        return dict(self._connection.execute("SELECT id, name FROM logs ORDER BY id"))

    def processes(self) -> dict[int, tuple[int | None, int | None]]:
        """Return the process and the rank that each log's events name."""
        return {log: (pid, rank) for log, pid, rank in self._connection.execute("SELECT id, pid, rank FROM logs")}

    def strings(self, log: int) -> dict[int, str]:
        """Return the interned strings of a log by their numbers."""
        return dict(self._connection.execute("SELECT id, text FROM strings WHERE log = ? ORDER BY offset", (log,)))

    def turns(self) -> Turns:
        """Return what is known of the processes that wrote the logs."""
        return Turns(self._connection)

    def damage(self) -> list[tuple[str, Damage]]:
        """Return what could not be read, with the log's name: for good, and at the end of a log so far."""
        query = "SELECT l.name, d.offset, d.problem FROM damage d JOIN logs l ON l.id = d.log ORDER BY d.rowid"
        found = [(name, Damage(offset, problem)) for name, offset, problem in self._connection.execute(query)]
        return found + list(self._pending.items())

    def state(self) -> str:
        """Return a text that changes when an event comes or goes."""
        rows = self._connection.execute("SELECT name, offset, head, tail FROM logs ORDER BY name").fetchall()
        return hashlib.sha256(repr(rows).encode()).hexdigest()


def _goes_on(stream: BinaryIO, offset: int) -> bool:
    """Whether what comes at `offset` still belongs to the record before it: a line of its payload, or half a line."""
    stream.seek(offset - 1)
    before, after = stream.read(1), stream.read(3)
    return after.lstrip(b"\r\n")[:1] == b"\t" or (before != b"\n" and bool(after) and after[0] not in b"\r\n")


def _size(log: LogFile) -> int:
    try:
        return log.path.stat().st_size
    except OSError:
        return 0


def _marks(stream: BinaryIO, offset: int) -> tuple[str | None, str | None]:
    """Return fingerprints of a log's start and of what lies before `offset`; they change when it is replaced."""
    stream.seek(0)
    head = stream.read(min(_SAMPLE, offset))
    stream.seek(max(0, offset - _SAMPLE))
    tail = stream.read(min(_SAMPLE, offset))
    if len(tail) < min(_SAMPLE, offset):
        return None, "cut"
    return hashlib.sha256(head).hexdigest(), hashlib.sha256(tail).hexdigest()
