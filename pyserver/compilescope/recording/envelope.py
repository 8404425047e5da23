"""What one envelope of a log says, and the record that it opens. Whatever can't be read is told, never raised."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

ENVELOPE = re.compile(rb"[VIWEC](\d{4} \d\d:\d\d:\d\d(?:\.\d+)?) (\d{1,18}) ([^\]\n\t]*)\] ")
_SPAN = re.compile(rb'\t\{\s*"name": "([^"\n]*)"')
_TEXT = rb'"[^"\\\x00-\x1f\x7f-\xff]*"'
_NUMBER = rb"(?:0|[1-9]\d{0,17})"
_VALUE = rb"(?:%b|%b|\[(?:%b(?:, %b)*)?\]|null|true|false)" % (_TEXT, _NUMBER, _NUMBER, _NUMBER)
_PAIR = rb"%b: %b" % (_TEXT, _VALUE)
# A first line in the form in which torch writes nearly all: its JSON is plain enough to be told valid without decoding.
_PLAIN = re.compile(
    rb"[VIWEC](\d{4} \d\d:\d\d:\d\d(?:\.\d+)?) (\d{1,18}) [^\]\n\t]*\] "
    rb'(\{"(?:artifact": \{"name": "([^"\\\x00-\x1f\x7f-\xff]*)", "encoding": %(text)b\}'
    rb'|str": \["([^"\\\x00-\x1f\x7f-\xff]*)", (%(number)b)\]'
    rb'|(\w+)": \{(?:%(pair)b(?:, %(pair)b)*)?\})'
    rb'(?:, "rank": (%(number)b))?'
    rb'(?:, "compiled_autograd_id": null)?'
    rb'(?:, ("frame_id": %(number)b, "frame_compile_id": %(number)b(?:, "attempt": %(number)b)?))?'
    rb'(?:, "has_payload": "([0-9a-f]{32})")?\})\r?\n' % {b"text": _TEXT, b"number": _NUMBER, b"pair": _PAIR}
)
_NUMBERS = re.compile(rb"\d+")
_LARGEST = 1 << 62
_SPANS = "chromium_event"
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
# Events whose value says more than that they are there.
_TOLD_BY_VALUE = {"artifact", "str"}
MISSING = "the payload is missing"


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


class Plain:
    """Reads records in torch's usual form. Remembers texts that come again: make one for a stretch of a log."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._ids: dict[bytes | None, str] = {}

    def record(self, buffer: bytes, start: int, end: int, base: int) -> Record | None:
        """Return the record from `start` to `end`; None if it has another form, or something is wrong with it.

        `base`: where in the log `buffer` starts.
        """
        match = _PLAIN.match(buffer, start, end)
        if match is None:
            return None
        time, pid, envelope, artifact, text, number, event, rank, ids, checksum = match.groups()
        payload = match.end()
        if checksum is not None and payload == end:
            return None
        label = string_id = None
        if event is not None:
            name = self._names.get(event) or self._name(event)
            if not name:
                return None
            if name == _SPANS:
                label = _label(buffer, payload, end)
        elif artifact is not None:
            name = str(artifact, "ascii")
        else:
            name, label, string_id = "str", str(text, "ascii"), int(number)
        compile_id = self._ids.get(ids)
        if compile_id is None and ids is not None:
            compile_id = self._ids[ids] = _compile_id(None, *_numbers(ids))
        return Record(
            name,
            compile_id,
            None if rank is None else int(rank),
            int(pid),
            str(time, "ascii"),
            base + match.start(3),
            len(envelope),
            base + payload,
            end - payload,
            None if checksum is None else str(checksum, "ascii"),
            label,
            string_id,
        )

    def _name(self, raw: bytes) -> str:
        """Return the name of an event; an empty one for what only stands beside an event's key."""
        name = str(raw, "ascii")
        if name in _COMMON or name in _TOLD_BY_VALUE:
            return ""
        self._names[raw] = name
        return name


def _numbers(ids: bytes) -> tuple[int, int, int]:
    frame, compile_, *attempt = map(int, _NUMBERS.findall(ids))
    return frame, compile_, attempt[0] if attempt else 0


def _label(buffer: bytes, payload: int, end: int) -> str | None:
    """Return the name of the span whose payload this is."""
    span = _SPAN.match(buffer, payload, end)
    return None if span is None else str(span[1], "utf-8", "replace")


def read(
    buffer: bytes, match: re.Match[bytes], *, line_end: int, payload: int, end: int, base: int
) -> tuple[Record | None, str | None]:
    """Return the record whose envelope `match` opens (None if it can't be read), and what is wrong with it."""
    begin = match.end()
    where = (base + begin, line_end - begin, base + payload, end - payload)
    head = (int(match[2]), str(match[1], "ascii"))
    envelope, problem = _json(buffer[begin:line_end])
    name = event_name(envelope)
    if name is None:
        return None, problem or "the envelope names no event"
    number, string = _interned(envelope.get("str"))
    checksum = envelope.get("has_payload")
    checksum = _text(checksum) if isinstance(checksum, str) else None
    frame, compile_ = envelope.get("frame_id"), envelope.get("frame_compile_id")
    autograd = envelope.get("compiled_autograd_id")
    compile_id = None
    if frame is not None and compile_ is not None:
        compile_id = _compile_id(autograd, frame, compile_, envelope.get("attempt"))
    elif autograd is not None:  # compiled autograd itself, before Dynamo has a frame of it
        compile_id = _text(f"!{autograd}")
    rank = _integer(envelope.get("rank"))
    label = _label(buffer, payload, end) if name == _SPANS else string
    found = Record(_text(name), compile_id, rank, *head, *where, checksum, label, number)
    missing = MISSING if checksum is not None and end <= payload else None
    return found, problem or missing


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
