"""Mends an index where several processes wrote one log at once, or logs were put together that ended within a line.

There a payload may have the lines of another process, and hide its records. A payload that matches its checksum is
whole. Else its beginning may be, and what follows are records of others; if not, it is left out, and told.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from compilescope.recording.log import ENVELOPE, Damage, Record, is_whole, segment
from compilescope.recording.turns import Turns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from compilescope.recording.turns import Turn

MIXED = "lines of several processes are mixed in this payload: left out"
_STRAY = "lines that belong to no record"


class _Payload(NamedTuple):
    event: int
    offset: int
    length: int
    checksum: str | None


class Found(NamedTuple):
    """What was found in payloads: records, each with the event that it stands behind, and damage."""

    records: list[tuple[int, Record]]
    damage: list[Damage]


def mend(connection: sqlite3.Connection, log: int, stream: BinaryIO) -> Found:
    """Mend the payloads of a log's events that were not looked at before, and return what they hid."""
    found = Found([], [])
    for payload in list(_suspects(connection, log)):
        stream.seek(payload.offset)
        raw = stream.read(payload.length)
        if payload.checksum is not None and is_whole(raw, payload.checksum):
            continue
        connection.execute("DELETE FROM damage WHERE log = ? AND offset = ?", (log, payload.offset))
        length = 0 if payload.checksum is None else _whole_part(raw, payload.checksum)
        if length:
            connection.execute("UPDATE events SET payload_length = ? WHERE id = ?", (length, payload.event))
        else:
            left_out = "UPDATE events SET payload_length = 0, checksum = NULL, label = NULL WHERE id = ?"
            connection.execute(left_out, (payload.event,))
            found.damage.append(Damage(payload.offset, _STRAY if payload.checksum is None else MIXED))
        for one in _hidden(raw, length, payload.offset):
            if isinstance(one, Damage):
                found.damage.append(one)
            else:
                found.records.append((payload.event, one))
    return found


def put_in_order(connection: sqlite3.Connection, events: list[int], last: int) -> None:
    """Number events anew where new ones, which are numbered from `last` + 1 on, stand behind each of `events`."""
    if not events:
        return
    behind: dict[int, list[int]] = {}
    for number, event in enumerate(events, last + 1):
        behind.setdefault(event, []).append(number)
    first = min(events)
    known = connection.execute("SELECT id FROM events WHERE id >= ? AND id <= ? ORDER BY id", (first, last)).fetchall()
    order = [number for (event,) in known for number in (event, *behind.get(event, ()))]
    moved = ((-new, old) for new, old in enumerate(order, first))
    connection.executemany("UPDATE events SET id = ? WHERE id = ?", moved)
    connection.execute("UPDATE events SET id = -id WHERE id < 0")


def _suspects(connection: sqlite3.Connection, log: int) -> Iterator[_Payload]:
    """Yield the payloads that may have something of another process."""
    turns = Turns(connection).turns([log])
    counts: dict[int, int] = {}
    for turn in turns:
        counts[turn.pid] = counts.get(turn.pid, 0) + turn.records
    own = [turn for turn in turns if counts[turn.pid] > 1]
    begun = [turn.event for before, turn in pairwise(own) if turn.pid != before.pid]
    query = "SELECT id, payload_offset, payload_length, checksum FROM events WHERE log = ? AND payload_length > 0"
    before = "SELECT MAX(id) FROM events WHERE log = ? AND id < ?"
    (after,) = connection.execute("SELECT mended FROM logs WHERE id = ?", (log,)).fetchone()
    if _wrote_at_once(own):
        first = connection.execute(before, (log, begun[0])).fetchone()[0]
        yield from map(_Payload._make, connection.execute(f"{query} AND id >= ?", (log, max(first, after + 1))))
        connection.execute("UPDATE logs SET mended = (SELECT MAX(id) FROM events) WHERE id = ?", (log,))
        return
    for start in begun:  # all before may have to be looked at when one of them goes on
        last = connection.execute(f"{query} AND id = ({before})", (log, log, start))
        yield from map(_Payload._make, last)


def _wrote_at_once(turns: Iterable[Turn]) -> bool:
    """Whether a process wrote after another, and went on. Where its time went back a log was put behind others."""
    until: dict[int, str] = {}
    pid = None
    for turn in turns:
        if turn.pid != pid and turn.pid in until and turn.first >= until[turn.pid]:
            return True
        pid, until[turn.pid] = turn.pid, turn.last
    return False


def _whole_part(raw: bytes, checksum: str) -> int:
    """Return the length of the beginning that matches a checksum; 0 if there is none."""
    for match in ENVELOPE.finditer(raw):
        if is_whole(raw[: match.start()], checksum):
            return match.start()
    digest, length = hashlib.md5(usedforsecurity=False), 0
    for line in raw.splitlines(keepends=True):
        digest.update(line.rstrip(b"\n")[1:] if not length else b"\n" + line.rstrip(b"\n")[1:])
        length += len(line)
        if digest.hexdigest() == checksum:
            return length
    return 0


def _hidden(raw: bytes, start: int, base: int) -> Iterator[Record | Damage]:
    """Yield the records that stand in a payload from `start` on: those without a payload, or with a whole one."""
    places = [match.start() for match in ENVELOPE.finditer(raw, start)]
    for begin, end in pairwise([*places, len(raw)]):
        for one in segment(raw, begin, end, base):
            if isinstance(one, Damage):
                yield one
            elif one.checksum is None:
                yield one._replace(payload_length=0)
            else:
                first = one.payload_offset - base
                own = raw[first : first + one.payload_length]
                length = len(own) if is_whole(own, one.checksum) else _whole_part(own, one.checksum)
                if length:
                    yield one._replace(payload_length=length)
                else:
                    yield one._replace(payload_length=0, checksum=None, label=None)
                    yield Damage(one.payload_offset, MIXED)
