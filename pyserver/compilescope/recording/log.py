"""Splits a log in the `TORCH_TRACE` format into records, whatever state it is in.

A record is one line of envelope and the payload lines behind it, each with a tab in front. Nothing here raises for what
a log holds: what can't be read is reported as `Damage` and skipped to the next envelope.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from compilescope.recording.envelope import ENVELOPE, Plain, Record, read

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 4 << 20
LONG = 64 << 20
"""Bytes from which on a record is not read at once, but only its first line is."""
LARGEST_PAYLOAD = 256 << 20
_LOOK = 1 << 16
_LONGEST_HEAD = 4096
_LONG_LINE = f"a line of more than {LONG >> 20} MB: left out"
ENDS = "the log ends in the middle of a record"
# A line that ends and is not followed by a payload line.
_END = re.compile(rb"\n(?!\t)")


class Damage(NamedTuple):
    """Something in a log that could not be read: where it starts, in bytes, and what is wrong with it."""

    offset: int
    problem: str


class Position(NamedTuple):
    """How far a log has been read: everything before `offset` is done, what follows is not complete yet."""

    offset: int
    pending: Damage | None


class Stretch(NamedTuple):
    """What a part of a log holds that was read at once; at the end of the log, up to where it was read."""

    records: list[Record]
    damage: list[Damage]
    position: Position | None = None


def scan(stream: BinaryIO, offset: int = 0) -> Iterator[Record | Damage | Position]:
    """Yield the records and damage of `stream` from `offset` on, then, last, the position up to which it was read.

    The last record counts only when it is whole: a writer may still be at it. Memory use is bounded by a few times
    `LONG`, whatever stands in the log.
    """
    for records, damage, position in stretches(stream, offset):
        found: list[Record | Damage] = [*records, *damage]
        yield from sorted(found, key=_start) if damage else found
        if position is not None:
            yield position


def stretches(stream: BinaryIO, offset: int = 0, until: int | None = None) -> Iterator[Stretch]:
    """Yield what `scan` does, in stretches; `until` a byte where a record starts, without a position then."""
    stream.seek(offset)
    base, buffer, size = offset, b"", CHUNK
    while chunk := stream.read(size if until is None else min(size, until - base - len(buffer))):
        buffer += chunk
        start, length = 0, len(buffer)
        records: list[Record] = []
        damage: list[Damage] = []
        plain, add = Plain().record, records.append
        for match in _END.finditer(buffer):
            end = match.end()
            if end == length:
                break
            record = plain(buffer, start, end, base)
            if record is not None:
                add(record)
            else:
                _take(segment(buffer, start, end, base), records, damage)
            start = end
        yield Stretch(records, damage)
        if not start and length >= LONG:
            found, going_on = _long(stream, buffer, base)
            yield found._replace(position=found.position if until is None else None)
            if going_on is None:
                return
            stream.seek(going_on)
            base, buffer, size = going_on, b"", CHUNK
            continue
        size = CHUNK if start else max(CHUNK, length)
        base, buffer = base + start, buffer[start:]
    last, rest = Stretch([], []), Position(base + len(buffer), None)
    if buffer.strip(b"\r\n"):
        if until is None and (problem := _incomplete(buffer)):
            rest = Position(base, Damage(base, problem))
        else:
            _take(segment(buffer, 0, len(buffer), base), *last[:2])
    yield last._replace(position=rest if until is None else None)


def _long(stream: BinaryIO, buffer: bytes, base: int) -> tuple[Stretch, int | None]:
    """Return what a record holds that begins with `buffer` and is longer, and where to go on; None at the log's end."""
    if b"\n" not in buffer:
        going_on, damage = _after_long_line(stream, base + 1), Damage(base, _LONG_LINE)
        if going_on is None:
            return Stretch([], [], Position(base, damage)), None
        return Stretch([], [damage]), going_on
    going_on = end = start_of_record(stream, base + len(buffer) - 1)
    if end is None:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(end - 1)
        if stream.read(1) != b"\n":
            return Stretch([], [], Position(base, Damage(base, f"{ENDS}, in its payload"))), None
    found = Stretch([], [], None if going_on is not None else Position(end, None))
    _take(segment(buffer, 0, end - base, base), found.records, found.damage)
    for at, record in enumerate(found.records):
        if record.payload_length > LARGEST_PAYLOAD:
            found.records[at] = record._replace(payload_length=0, checksum=None)
            problem = f"a payload of {record.payload_length >> 20} MB, more than {LARGEST_PAYLOAD >> 20}: left out"
            found.damage.append(Damage(record.payload_offset, problem))
    return found, going_on


def _after_long_line(stream: BinaryIO, offset: int) -> int | None:
    """Return where something starts after `offset`: an envelope in that line, else what comes after its payload."""
    stream.seek(offset)
    window = b""
    while chunk := stream.read(_LOOK):
        window += chunk
        envelope, end = ENVELOPE.search(window), window.find(b"\n")
        if envelope is not None and not 0 <= end < envelope.start():
            return offset + envelope.start()
        if end >= 0:
            return start_of_record(stream, offset + end)
        kept = window[-_LONGEST_HEAD:]
        offset, window = offset + len(window) - len(kept), kept
    return None


def start_of_record(stream: BinaryIO, offset: int) -> int | None:
    """Return where the first segment from `offset` on starts; None when there is none any more."""
    stream.seek(offset)
    buffer = b""
    while chunk := stream.read(_LOOK):
        buffer += chunk
        match = _END.search(buffer)
        if match is not None and match.end() < len(buffer):
            return offset + match.end()
        offset, buffer = offset + len(buffer) - 1, buffer[-1:]
    return None


def _start(one: Record | Damage) -> int:
    return one.offset if isinstance(one, Damage) else one.envelope_offset


def _take(found: Iterator[Record | Damage], records: list[Record], damage: list[Damage]) -> None:
    for one in found:
        if isinstance(one, Damage):
            damage.append(one)
        else:
            records.append(one)


def _incomplete(last: bytes) -> str | None:
    """Return what the last record of a log still lacks; None when it is whole or beyond hope."""
    line_end = last.find(b"\n")
    line = last if line_end < 0 else last[:line_end]
    match = ENVELOPE.match(line)
    if match is None:
        return None if line_end >= 0 else f"{ENDS}, in its first line"
    try:
        envelope = json.loads(line[match.end() :].decode(errors="replace"))
    except (ValueError, RecursionError):
        return None if line_end >= 0 else f"{ENDS}, in its envelope"
    checksum = envelope.get("has_payload") if isinstance(envelope, dict) else None
    if checksum is None:
        return None
    payload = b"" if line_end < 0 else last[line_end + 1 :]
    return None if is_whole(payload, checksum) else f"{ENDS}, in its payload"


def payload_text(raw: bytes, checksum: str | None = None) -> str:
    """Return the payload that the tabbed lines `raw` stand for. Bytes that are no UTF-8 become U+FFFD.

    `checksum` tells whether the line ends of a log from Windows are the payload's own.
    """
    text = _untab(raw)
    if checksum is not None and b"\r" in raw and _digest(text) != checksum:
        changed = _untab(_with_line_feeds(raw))
        text = changed if _digest(changed) == checksum else text
    return text.decode(errors="replace")


def is_whole(raw: bytes, checksum: str) -> bool:
    """Whether the tabbed lines `raw` stand for the payload with this MD5 checksum."""
    if _digest(raw.removesuffix(b"\n").translate(None, b"\t")) == checksum:  # most have no other
        return True
    return _digest(_untab(raw)) == checksum or (b"\r" in raw and _digest(_untab(_with_line_feeds(raw))) == checksum)


def _digest(payload: bytes) -> str:
    return hashlib.md5(payload, usedforsecurity=False).hexdigest()


def _untab(raw: bytes) -> bytes:
    lines = raw.count(b"\n")
    if lines == 1 and raw.startswith(b"\t") and raw.endswith(b"\n"):
        return raw[1:-1]
    if raw.count(b"\t") == lines:  # those at the start of each line, no other
        return raw.removesuffix(b"\n").translate(None, b"\t")
    return raw.removesuffix(b"\n").replace(b"\n\t", b"\n").removeprefix(b"\t")


def _with_line_feeds(raw: bytes) -> bytes:
    """Return `raw` with the line ends that it had before a stream in text mode wrote it on Windows."""
    return raw.replace(b"\r\n", b"\n").removesuffix(b"\r")


def segment(buffer: bytes, start: int, end: int, base: int) -> Iterator[Record | Damage]:
    """Yield what one line without a tab, and the tabbed lines after it, hold."""
    line_end = buffer.find(b"\n", start, end)
    payload = end if line_end < 0 else line_end + 1
    line_end = end if line_end < 0 else line_end
    if buffer[line_end - 1 : line_end] == b"\r":
        line_end -= 1
    if start == base == 0 and buffer.startswith(BOM_UTF8):
        start = len(BOM_UTF8)
    if line_end <= start:
        return
    while True:
        match = ENVELOPE.match(buffer, start, line_end)
        if match is not None:
            record, problem = read(buffer, match, line_end=line_end, payload=payload, end=end, base=base)
            if problem:
                yield Damage(base + start, problem)
            if record is not None:
                yield record
                return
        else:
            yield Damage(base + start, "not the start of a record")
        # Another writer's envelope may begin in the middle of a line that was cut.
        again = ENVELOPE.search(buffer, start + 1, line_end)
        if again is None:
            return
        start = again.start()


__all__ = [
    "ENVELOPE",
    "Damage",
    "Position",
    "Record",
    "Stretch",
    "is_whole",
    "payload_text",
    "scan",
    "segment",
    "stretches",
]
