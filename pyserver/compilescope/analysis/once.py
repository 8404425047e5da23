"""What is made of payloads, once of those that are the same: ranks, recompiles and caches write many of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.recording.reader import Event, Recording

T = TypeVar("T")


class Once(Generic[T]):
    """Calls `make` for an event unless it did for one with the same payload; None that it returned is not kept.

    Each payload is compared with its checksum all the same, so that damage is told of wherever it is. `most`: how many
    results are kept, the latest.
    """

    def __init__(self, recording: Recording, make: Callable[[Event], T | None], most: int = 64) -> None:
        self._recording, self._make, self._most = recording, make, most
        self._known: dict[tuple[str, str, int], T] = {}

    def of(self, event: Event) -> T | None:
        """Return what `make` does for `event`."""
        row = event.raw()
        if row.checksum is None:
            return self._make(event)
        key = (event.name, row.checksum, row.payload_length)
        if key in self._known and self._recording.checked(event)[1]:
            return self._known[key]
        made = self._make(event)
        if made is not None and self._recording.checked(event)[1]:
            self._known[key] = made
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return made
