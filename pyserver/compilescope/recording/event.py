"""One event of a recording, and a place in it that could not be read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from compilescope.recording.reader import Recording
    from compilescope.recording.rows import Row


class DamagedPlace(NamedTuple):
    """Something that could not be read: the log's name, the byte where it starts, and what is wrong."""

    log: str
    offset: int
    problem: str


class Event:
    """One event of a recording. Its fields are read from the log when they are asked for."""

    def __init__(self, recording: Recording, row: Row, process: int) -> None:
        self._recording = recording
        self._row = row
        self.process = process
        """The number of the process that wrote it: its log's, that of the oldest where logs were rotated."""

    @property
    def id(self) -> int:
        """The event's number in the recording."""
        return self._row.id

    @property
    def name(self) -> str:
        """The event's name; an artifact's own name (`artifact:foo` is `foo`)."""
        return self._row.name

    @property
    def compile_id(self) -> str | None:
        """`0/1`, `0/1_2` for the third attempt; None outside a compile."""
        return self._row.compile_id

    @property
    def base_id(self) -> str | None:
        """The compile id without the attempt."""
        return None if self.compile_id is None else self.compile_id.partition("_")[0]

    @property
    def rank(self) -> int | None:
        """The rank that the event or its log names."""
        log = self._recording.logs[self._row.log]
        return self._row.rank if self._row.rank is not None else log.rank

    @property
    def pid(self) -> int:
        """The process that wrote the event."""
        return self._row.pid

    @property
    def timestamp(self) -> str:
        """`1129 13:17:29.123456`: month, day and local time."""
        return self._row.timestamp

    @property
    def label(self) -> str | None:
        """The name of a span (`chromium_event`); None for other events."""
        return self._row.label

    @property
    def has_payload(self) -> bool:
        """Whether a payload follows the envelope."""
        return self._row.payload_length > 0

    @cached_property
    def envelope(self) -> dict[str, Any]:
        """The whole envelope; empty when it can't be read any more."""
        return self._recording.envelope(self._row)

    @property
    def fields(self) -> dict[str, Any]:
        """What the envelope says about the event itself."""
        for key in (self.name, "artifact"):
            value = self.envelope.get(key)
            if isinstance(value, dict):
                return value
            if value is not None:
                return {"value": value}
        return {}

    def mentions(self, said: bytes) -> bool:
        """Whether its envelope has these bytes, which is quicker to see than what it says."""
        return said in self._recording.raw_envelope(self)

    def __repr__(self) -> str:
        return f"Event({self.id}, {self.name!r}, {self.compile_id!r})"

    def raw(self) -> Row:
        """Return the index's row."""
        return self._row
