"""Splits a log in the `TORCH_TRACE` format into records, whatever state it is in.

A record is one line of envelope and the payload lines behind it, each with a tab in front. Nothing here raises for what
a log holds: what can't be read is reported as `Damage` and skipped to the next envelope.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 4 << 20
# A line that ends and is not followed by a payload line.
_END = re.compile(rb"\n(?!\t)")
ENVELOPE = re.compile(rb"[VIWEC](\d{4} \d\d:\d\d:\d\d(?:\.\d+)?) (\d{1,18}) ([^\]\n\t]*)\] ")
# The envelope of an event that a log is full of, in the form in which torch writes it.
_CHROMIUM = re.compile(
    rb'\{"chromium_event": \{\}(?:, "rank": (\d{1,18}))?'
    rb'(?:, "compiled_autograd_id": null)?'
    rb'(?:, "frame_id": (\d{1,18}), "frame_compile_id": (\d{1,18}), "attempt": (\d{1,18}))?'
    rb', "has_payload": "([0-9a-f]{32})"\}'
)
_LARGEST = 1 << 62
_SPAN = re.compile(rb'\t\{\s*"name": "([^"\n]*)"')
# What stands beside the event's own key in an envelope.
_COMMON = {
    "rank",
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "has_payload",
    "stack",
    "subgraph_name",
}


class Record(NamedTuple):
    """One record: what its envelope says and where its parts lie, in bytes from the start of the log.

    `label`: the name of a span (`chromium_event`), the text of an interned string (`str`), whose number is `string_id`.
    """

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
    string_id: int | None


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
    stream.seek(offset)
    base, buffer, size = offset, b"", CHUNK
    while chunk := stream.read(size):
        buffer += chunk
        start, length = 0, len(buffer)
        for match in _END.finditer(buffer):
            end = match.end()
            if end == length:
                break
            yield from _segment(buffer, start, end, base)
            start = end
        size = CHUNK if start else max(CHUNK, length)
        base, buffer = base + start, buffer[start:]
    if not buffer.strip(b"\r\n"):
        yield Position(base + len(buffer), None)
    elif problem := _incomplete(buffer):
        yield Position(base, Damage(base, problem))
    else:
        yield from _segment(buffer, 0, len(buffer), base)
        yield Position(base + len(buffer), None)


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
    return None if matches(payload, checksum) else "the log ends in the middle of a record, in its payload"


def payload_text(raw: bytes, checksum: str | None = None) -> str:
    """Return the payload that the tabbed lines `raw` stand for. Bytes that are no UTF-8 become U+FFFD."""
    text = _untab(raw)
    if b"\r" in text and checksum is not None and _digest(text) != checksum:
        text = _untab(_with_line_feeds(raw))
    return text.decode(errors="replace")


def matches(raw: bytes, checksum: str) -> bool:
    """Whether the tabbed lines `raw` are the payload with this MD5 checksum."""
    return _digest(_untab(raw)) == checksum or (b"\r" in raw and _digest(_untab(_with_line_feeds(raw))) == checksum)


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
            record, problem = _record(buffer, match, line_end=line_end, payload=payload, end=end, base=base)
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


def _record(
    buffer: bytes, match: re.Match[bytes], *, line_end: int, payload: int, end: int, base: int
) -> tuple[Record | None, str | None]:
    """Return the record whose envelope `match` opens (None if it can't be read), and what is wrong with it."""
    begin = match.end()
    where = (base + begin, line_end - begin, base + payload, end - payload)
    head = (int(match[2]), str(match[1], "ascii"))
    common = _CHROMIUM.fullmatch(buffer, begin, line_end)
    if common is not None:
        rank, frame, compile_, attempt, checksum = common.groups()
        compile_id = None if frame is None else _compile_id(None, int(frame), int(compile_), int(attempt))
        span = _SPAN.match(buffer, payload, end)
        label = None if span is None else str(span[1], "utf-8", "replace")
        record = Record(
            "chromium_event",
            compile_id,
            None if rank is None else int(rank),
            *head,
            *where,
            str(checksum, "ascii"),
            label,
            None,
        )
        return record, None if end > payload else "the payload is missing"
    envelope, problem = _json(buffer[begin:line_end])
    name = event_name(envelope)
    if name is None:
        return None, problem or "the envelope names no event"
    number, string = _interned(envelope.get("str"))
    checksum_ = envelope.get("has_payload")
    checksum_ = _text(checksum_) if isinstance(checksum_, str) else None
    frame_, number_ = envelope.get("frame_id"), envelope.get("frame_compile_id")
    autograd = envelope.get("compiled_autograd_id")
    compile_id = None
    if frame_ is not None and number_ is not None:
        compile_id = _compile_id(autograd, frame_, number_, envelope.get("attempt"))
    elif autograd is not None:  # compiled autograd itself, before Dynamo has a frame of it
        compile_id = _text(f"!{autograd}")
    rank_ = _integer(envelope.get("rank"))
    record = Record(_text(name), compile_id, rank_, *head, *where, checksum_, string, number)
    missing = "the payload is missing" if checksum_ is not None and end <= payload else None
    return record, problem or missing


def _json(raw: bytes) -> tuple[Any, str | None]:
    """Return the JSON value of an envelope (None if it is none), and what is wrong with it."""
    problem = None
    try:
        return json.loads(raw), None
    except UnicodeDecodeError:
        problem = "the envelope is not UTF-8"
    except (ValueError, RecursionError):
        return None, "the envelope is not JSON"
    try:
        return json.loads(raw.decode(errors="replace")), problem
    except (ValueError, RecursionError):
        return None, problem


def event_name(envelope: Any) -> str | None:
    """Return the name of the event in an envelope, for an artifact the artifact's own; None if there is none."""
    if not isinstance(envelope, dict):
        return None
    key = next((key for key in envelope if key not in _COMMON), None)
    if key == "artifact" and isinstance(envelope[key], dict):
        return str(envelope[key].get("name", key))
    return key


def _compile_id(autograd: Any, frame: Any, compile_: Any, attempt: Any) -> str:
    """Return a compile id as torch prints it: `0/1`, `0/1_2` for a third attempt, `!0/0/1` in compiled autograd."""
    prefix = "" if autograd is None else f"!{autograd}/"
    suffix = "" if not attempt else f"_{attempt}"
    return _text(f"{prefix}{frame}/{compile_}{suffix}")


def _interned(value: Any) -> tuple[int | None, str | None]:
    """Return number and text of a `str` event, which gives a file name a number."""
    match value:
        case [str(text), int(number)] if _integer(number) is not None:
            return number, _text(text)
    return None, None


def _integer(value: Any) -> int | None:
    """Return a whole number that the index can hold; None for anything else."""
    return value if isinstance(value, int) and abs(value) < _LARGEST else None


def _text(value: str) -> str:
    """Return a text that the index can hold: lone surrogates as JSON writes them."""
    return value.encode(errors="backslashreplace").decode()
