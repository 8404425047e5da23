"""Splits a log in the `TORCH_TRACE` format into records, whatever state it is in.

A record is one line of envelope and the payload lines behind it, each with a tab in front. Nothing here raises for what
a log holds: what can't be read is reported as `Damage` and skipped to the next envelope.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from compilescope.recording.envelope import ENVELOPE, Plain, Record, read

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 4 << 20
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


def scan(stream: BinaryIO, offset: int = 0) -> Iterator[Record | Damage | Position]:
    """Yield the records and damage of `stream` from `offset` on, then, last, the position up to which it was read.

    The last record counts only when it is whole: a writer may still be at it. Memory use is bounded by a few times the
    largest record.
    """
    for part in stretches(stream, offset):
        yield from part


def stretches(stream: BinaryIO, offset: int = 0) -> Iterator[list[Record | Damage | Position]]:
    """Yield what `scan` does, in lists: one for each stretch of the log that was read at once."""
    stream.seek(offset)
    base, buffer, size = offset, b"", CHUNK
    while chunk := stream.read(size):
        buffer += chunk
        start, length = 0, len(buffer)
        found: list[Record | Damage | Position] = []
        plain, add = Plain().record, found.append
        for match in _END.finditer(buffer):
            end = match.end()
            if end == length:
                break
            record = plain(buffer, start, end, base)
            if record is not None:
                add(record)
            else:
                found += _segment(buffer, start, end, base)
            start = end
        yield found
        size = CHUNK if start else max(CHUNK, length)
        base, buffer = base + start, buffer[start:]
    if not buffer.strip(b"\r\n"):
        yield [Position(base + len(buffer), None)]
    elif problem := _incomplete(buffer):
        yield [Position(base, Damage(base, problem))]
    else:
        yield [*_segment(buffer, 0, len(buffer), base), Position(base + len(buffer), None)]


def _incomplete(segment: bytes) -> str | None:
    """Return what the last record of a log still lacks; None when it is whole or beyond hope."""
    line_end = segment.find(b"\n")
    line = segment if line_end < 0 else segment[:line_end]
    match = ENVELOPE.match(line)
    if match is None:
        return None if line_end >= 0 else "the log ends in the middle of a record, in its first line"
    try:
        envelope = json.loads(line[match.end() :].decode(errors="replace"))
    except (ValueError, RecursionError):
        return None if line_end >= 0 else "the log ends in the middle of a record, in its envelope"
    checksum = envelope.get("has_payload") if isinstance(envelope, dict) else None
    if checksum is None:
        return None
    payload = b"" if line_end < 0 else segment[line_end + 1 :]
    return None if checked_text(payload, checksum)[1] else "the log ends in the middle of a record, in its payload"


def payload_text(raw: bytes, checksum: str | None = None) -> str:
    """Return the payload that the tabbed lines `raw` stand for. Bytes that are no UTF-8 become U+FFFD."""
    return checked_text(raw, checksum)[0]


def checked_text(raw: bytes, checksum: str | None) -> tuple[str, bool]:
    """Return the payload that the tabbed lines `raw` stand for, and whether it is the one with this MD5 checksum."""
    text = _untab(raw)
    is_whole = checksum is None or _digest(text) == checksum
    if not is_whole and b"\r" in raw:
        text = _untab(_with_line_feeds(raw))
        is_whole = _digest(text) == checksum
    return text.decode(errors="replace"), is_whole


def _digest(payload: bytes) -> str:
    return hashlib.md5(payload, usedforsecurity=False).hexdigest()


def _untab(raw: bytes) -> bytes:
    return raw.removesuffix(b"\n").replace(b"\n\t", b"\n").removeprefix(b"\t")


def _with_line_feeds(raw: bytes) -> bytes:
    """Return `raw` with the line ends that it had before a stream in text mode wrote it on Windows."""
    return raw.replace(b"\r\n", b"\n")


def _segment(buffer: bytes, start: int, end: int, base: int) -> Iterator[Record | Damage]:
    """Yield what one line without a tab, and the tabbed lines after it, hold."""
    line_end = buffer.find(b"\n", start, end)
    payload = end if line_end < 0 else line_end + 1
    line_end = end if line_end < 0 else line_end
    if buffer[line_end - 1 : line_end] == b"\r":
        line_end -= 1
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


__all__ = ["ENVELOPE", "Damage", "Position", "Record", "checked_text", "payload_text", "scan", "stretches"]
