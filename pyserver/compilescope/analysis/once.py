"""What is made of payloads, once of those that are the same: ranks, recompiles and caches write many of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from compilescope.recording.log import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.recording.reader import Event, Recording

T = TypeVar("T")
_BYTES = 16 << 20


class Once(Generic[T]):
    """Calls `make` for an event unless it did for one with the same payload; None that it returned is not kept.

    Payloads are compared byte by byte: a damaged copy has the checksum of the good one. `most`: how many results are
    kept, the latest; no more than those of 16 MB of payloads.
    """

    def __init__(self, recording: Recording, make: Callable[[Event], T | None], most: int = 64) -> None:
        self._recording, self._make, self._most = recording, make, most
        self._known: dict[tuple[str, str, int], tuple[bytes, T]] = {}
        self._bytes = 0

    def of(self, event: Event) -> T | None:
        """Return what `make` does for `event`."""
        row = event.raw()
        if row.checksum is None:
            return self._make(event)
        key = (event.name, row.checksum, row.payload_length)
        raw = self._recording.raw_payload(event)
        known = self._known.get(key)
        if known is not None and known[0] == raw:
            return known[1]
        made = self._make(event)
        if made is not None and known is None and is_whole(raw, row.checksum):
            self._known[key] = raw, made
            self._bytes += len(raw)
            while len(self._known) > self._most or self._bytes > _BYTES:
                self._bytes -= len(self._known.pop(next(iter(self._known)))[0])
        return made
