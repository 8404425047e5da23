"""The events of an index. Those of a name with few are kept: many a part of the analysis asks for the same."""

from __future__ import annotations

import re
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

FEW = 4000
"""Events of a name that are kept; of all names together four times as many."""
_PATTERN = re.compile(r"[*?\[]")
_ROWS = (
    "SELECT e.id, e.log, n.name, compile_id, rank, pid, timestamp, envelope_offset, envelope_length,"
    " payload_offset, payload_length, checksum, label FROM events e JOIN names n ON n.id = e.name"
)
_ID = attrgetter("id")


class Row(NamedTuple):
    """One event as the index holds it."""

    id: int
    log: int
    name: str
    compile_id: str | None
    rank: int | None
    pid: int
    timestamp: str
    envelope_offset: int
    envelope_length: int
    payload_offset: int
    payload_length: int
    checksum: str | None
    label: str | None


class Rows:
    """The events of the index behind `connection`, until some are added: then there is another one of these."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[str, list[Row]] = {}
        self._counts: dict[str, int] | None = None

    def find(self, names: Iterable[str], compile_id: str | None, labels: Sequence[str]) -> Iterator[Row]:
        """Yield the events with one of `names` (all without), in the order in which they were written."""
        wanted = list(dict.fromkeys(names))
        if wanted and compile_id is None and not labels and self._are_few(wanted):
            each = [self._of(name) for name in wanted if self.counts().get(name)]
            yield from each[0] if len(each) == 1 else sorted(chain.from_iterable(each), key=_ID)
        else:
            yield from self._select(wanted, compile_id, labels)

    def _are_few(self, names: list[str]) -> bool:
        """Whether the events of these names are kept, or can be."""
        counts = [self.counts().get(name, 0) for name in names if name not in self._kept]
        known = sum(map(len, self._kept.values()))
        return max(counts, default=0) <= FEW and known + sum(counts) <= 4 * FEW

    def _of(self, name: str) -> list[Row]:
        if name not in self._kept:
            self._kept[name] = list(self._select([name], None, ()))
        return self._kept[name]

    def _select(self, names: list[str], compile_id: str | None, labels: Sequence[str]) -> Iterator[Row]:
        query = _ROWS
        conditions, values = [], list(names)
        if names:
            places = ", ".join("?" * len(names))
            conditions.append(f"e.name IN (SELECT id FROM names WHERE name IN ({places}))")  # noqa: S608
        if compile_id is not None:
            conditions.append("(compile_id = ? OR compile_id GLOB ? || '_*')")
            values += [compile_id, compile_id]
        if labels:
            whole = [one for one in labels if not _PATTERN.search(one)]
            patterns = [one for one in labels if _PATTERN.search(one)]
            each = [f"label IN ({', '.join('?' * len(whole))})", *["label GLOB ?"] * len(patterns)]
            conditions.append(f"({' OR '.join(each)})")
            values += whole + patterns
        if conditions:
            query += " WHERE " + " AND ".join(conditions)
        return map(Row._make, self._connection.execute(query + " ORDER BY e.id", values))

    def at(self, log: int, offset: int) -> Row | None:
        """Return the event whose envelope starts at byte `offset` of a log; None if there is none."""
        found = self._connection.execute(f"{_ROWS} WHERE e.log = ? AND envelope_offset = ?", (log, offset)).fetchone()
        return None if found is None else Row._make(found)

    def labels(self) -> Iterator[tuple[str, Row, int]]:
        """Yield the names of spans in order, each with its first event and how many there are."""
        spans = "SELECT MIN(id), COUNT(*), label FROM events WHERE name = (SELECT id FROM names WHERE name = ?)"
        found = self._connection.execute(f"{spans} AND label IS NOT NULL GROUP BY label", ("chromium_event",))
        for number, count, label in found:
            first = self._connection.execute(f"{_ROWS} WHERE e.id = ?", (number,)).fetchone()
            yield label, Row._make(first), count

    def counts(self) -> dict[str, int]:
        """Return how many events of each name there are."""
        if self._counts is None:
            query = "SELECT n.name, COUNT(*) FROM events e JOIN names n ON n.id = e.name GROUP BY e.name"
            self._counts = dict(self._connection.execute(query))
        return self._counts
