"""The lines of a log around a byte, as a text to read: long lines cut, each line with the byte that it begins at.

Only what is shown is read, and what is between it and the events beside it: a log of any size will do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from compilescope.recording.envelope import ENVELOPE
from compilescope.recording.error import RecordingError
from compilescope.report.clean import clean
from compilescope.report.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.recording.event import DamagedPlace, Event
    from compilescope.recording.reader import Recording

LINES = 40
"""Lines that are shown before the place, and from it on."""
LONGEST = 400
"""Bytes of a line that are shown."""
_BEFORE = 1 << 16
_CHUNK = 1 << 20
_FARTHEST = 1 << 26
"""Bytes from the place that an event, or the end of a line, is looked for."""
_OVERLAP = 512
_TRIES = 50
_RECORD = re.compile(rb"^" + ENVELOPE.pattern, re.MULTILINE)


@dataclass
class Link:
    """A part of a line that stands for another place: an event, or a damaged one where `name` is empty."""

    line: int
    start: int
    end: int
    offset: int
    name: str = ""
    compile_id: str | None = None


@dataclass
class LogPlace:
    """The text; the lines from `line` to `end_line`, from 0, are what the place is about."""

    text: str
    line: int
    end_line: int
    links: list[Link] = field(default_factory=list)


@dataclass
class _Line:
    """A line of the log: where it begins, its first bytes, and its length, None where it is not known."""

    offset: int
    start: bytes
    length: int | None


def log_place(recording: Recording, log: str, offset: int) -> LogPlace:
    """The lines of a log around byte `offset`. Raises RecordingError for a log that is not there, and OSError."""
    damage = sorted((one for one in recording.damage if one.log == log), key=lambda one: one.offset)
    path = next((one.path for one in recording.logs.values() if one.name == log), None)
    if path is None and damage and (recording.path / log).is_file():
        path = recording.path / log  # a file beside the logs, which is left out
    if path is None:
        raise RecordingError(f"There is no log {log} (any more).")
    size = path.stat().st_size
    offset = max(0, min(offset, size))
    with path.open("rb") as stream:
        before, lines = _around(stream, offset)
        marked = 1 + next((at for at, one in enumerate(lines[1:]) if ENVELOPE.match(one.start)), len(lines) - 1)
        beside = [_event(recording, log, _found_before(stream, offset)), _event(recording, log, _after(stream, offset))]
    head, links = _head(log, size, offset, damage, beside)
    width = len(str(lines[-1].offset)) if lines else 1
    rows = [f"  {one.offset:>{width}}  {_shown(one)}" for one in before]
    rows += [f"{'>' if at < marked else ' '} {one.offset:>{width}}  {_shown(one)}" for at, one in enumerate(lines)]
    first = len(head) + 1 + len(before)
    return LogPlace("\n".join([*head, "", *rows, ""]), first, first + max(marked - 1, 0), links)


def _head(
    log: str, size: int, offset: int, damage: list[DamagedPlace], beside: list[Event | None]
) -> tuple[list[str], list[Link]]:
    """Return the comments above the lines, and their links."""
    unpacked = ", unpacked: bytes are those of its text" if Path(log).suffix in (".gz", ".zst") else ""
    here = [one.problem for one in damage if one.offset == offset]
    lines = [
        f"# {clean(log)}, {size:,} bytes{unpacked}",
        f"# byte {offset}{': ' if here else ''}{clean('; '.join(here))}",
    ]
    links = []
    for words, event in zip(("event before", "event after"), beside, strict=True):
        if event is None:
            lines.append(f"# {words}: none that can be read")
            continue
        name = " ".join(filter(None, [event.name, event.compile_id]))
        start = f"# {words}: "
        place = event.raw().envelope_offset
        links.append(Link(len(lines), len(start), len(start) + len(name), place, event.name, event.compile_id))
        lines.append(f"{start}{clean(name)}, byte {place}")
    others = [one.offset for one in damage]
    if here and len(set(others)) > 1:
        start = f"# {counted(len(damage), 'damaged place')} in this log"
        before, after = [one for one in others if one < offset], [one for one in others if one > offset]
        for words, places in (("the one before", before[-1:]), ("the next one", after[:1])):
            for one in places:
                start += f"; {words}: "
                links.append(Link(len(lines), len(start), len(start) + len(f"byte {one}"), one))
                start += f"byte {one}"
        lines.append(start)
    return lines, links


def _around(stream: BinaryIO, offset: int) -> tuple[list[_Line], list[_Line]]:
    """Return lines before the one that a byte is in, and those from it on."""
    begin = max(0, offset - _BEFORE)
    stream.seek(begin)
    data = stream.read(offset - begin)
    start = data.rfind(b"\n") + 1
    if not start and begin:  # a line that began long before
        from_here = max(offset - LONGEST // 2, begin)
        return [], list(_lines(stream, from_here))
    before, place = [], begin
    for number, line in enumerate(data[:start].split(b"\n")[:-1]):
        if number or not begin:
            before.append(_Line(place, line[:LONGEST], len(line)))
        place += len(line) + 1
    return before[-LINES:], list(_lines(stream, begin + start))


def _lines(stream: BinaryIO, offset: int) -> Iterator[_Line]:
    for _ in range(LINES):
        stream.seek(offset)
        data = stream.read(LONGEST)
        if not data:
            return
        start = data.split(b"\n", 1)[0]
        if len(start) < len(data) or len(data) < LONGEST:
            yield _Line(offset, start, len(start))
            offset += len(start) + 1
            continue
        end = next((at + one.find(b"\n") for at, one in _chunks(stream, offset + LONGEST) if b"\n" in one), None)
        yield _Line(offset, data, None if end is None else end - offset)
        if end is None:
            return
        offset = end + 1


def _chunks(stream: BinaryIO, offset: int) -> Iterator[tuple[int, bytes]]:
    for at in range(offset, offset + _FARTHEST, _CHUNK):
        stream.seek(at)
        data = stream.read(_CHUNK + _OVERLAP)
        if not data:
            return
        yield at, data


def _shown(line: _Line) -> str:
    text = clean(line.start.rstrip(b"\r").decode(errors="backslashreplace"))
    if line.length == len(line.start):
        return text
    return f"{text} … ({'longer than 64 MB' if line.length is None else f'{line.length:,} bytes'})"


def _event(recording: Recording, log: str, places: Iterator[int]) -> Event | None:
    """Return the first of the events at some places that can be read."""
    for _, place in zip(range(_TRIES), places, strict=False):
        event = recording.event_at(log, place)
        if event is not None:
            return event
    return None


def _found_before(stream: BinaryIO, offset: int) -> Iterator[int]:
    """Yield where the envelopes of records before a byte begin, the nearest first."""
    end = offset
    while end > max(0, offset - _FARTHEST):
        begin = max(0, end - _CHUNK)
        stream.seek(max(0, begin - 1))
        data = stream.read(end + _OVERLAP - max(0, begin - 1))
        for match in reversed(list(_RECORD.finditer(data, 0 if begin == 0 else 1))):
            start = max(0, begin - 1) + match.start()
            if begin <= start < end:
                yield max(0, begin - 1) + match.end()
        end = begin


def _after(stream: BinaryIO, offset: int) -> Iterator[int]:
    """Yield where the envelopes of records after a byte begin."""
    for at, data in _chunks(stream, offset):
        for match in _RECORD.finditer(data, 1):
            if match.start() <= _CHUNK:
                yield at + match.end()
