"""All events of a recording as they stand there, whether anything else reads them or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.recording.reader import Event, Recording


@dataclass(frozen=True)
class EventCount:
    """The events of one name: how many, and the bytes of their envelopes and payloads in the logs."""

    name: str
    count: int
    bytes: int


@dataclass(frozen=True)
class EventEntry:
    """One event. `log` and `offset` say where it stands, `bytes` how long envelope and payload are."""

    name: str
    compile_id: str | None
    rank: int | None
    pid: int
    time: str
    log: str
    offset: int
    bytes: int
    fields: dict[str, Any]
    payload: str | None = None


def counts(recording: Recording, compile_id: str | None = None) -> list[EventCount]:
    """Return the names of all events, of one compile and its attempts if asked; those with most bytes first."""
    found: dict[str, list[int]] = {}
    for event in of(recording, compile_id):
        both = found.setdefault(event.name, [0, 0])
        both[0] += 1
        both[1] += _length(event)
    totals = [EventCount(name, count, length) for name, (count, length) in found.items()]
    return sorted(totals, key=lambda one: (-one.bytes, one.name))


def entries(
    recording: Recording, names: tuple[str, ...] = (), compile_id: str | None = None, *, payloads: bool = False
) -> Iterator[EventEntry]:
    """Yield the events of `names` (all without) in the order in which they were written."""
    for event in of(recording, compile_id, names):
        row = event.raw()
        yield EventEntry(
            event.name,
            event.compile_id,
            event.rank,
            event.pid,
            event.timestamp,
            recording.logs[row.log].name,
            row.envelope_offset,
            _length(event),
            event.fields,
            recording.payload(event) if payloads and event.has_payload else None,
        )


def of(recording: Recording, compile_id: str | None, names: tuple[str, ...] = ()) -> Iterator[Event]:
    """Yield the events of a compile: `rank1:0/0`, `pid4711:0/0`, or of all processes `0/0`; all events without."""
    process, _, id_ = (compile_id or "").rpartition(":")
    process = process.partition("-")[0]
    for event in recording.events(*names, compile_id=id_ or None):
        if process in {"", f"rank{event.rank}", f"pid{event.pid}"}:
            yield event


def _length(event: Event) -> int:
    row = event.raw()
    return row.envelope_length + row.payload_length
