"""The user's program output on its way to the editor, bounded: a program that floods must not flood the editor."""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable

BURST = 1 << 20
PER_SECOND = 1 << 16
TAIL = 1 << 14


class OutputGate:
    """Passes text on at no more than `PER_SECOND` bytes a second after a first `BURST`.

    What exceeds that is left out in the middle, and said to be: the last `TAIL` bytes always come. Thread-safe;
    `write` never blocks on the editor.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._allowance = float(BURST)
        self._refilled = clock()
        self._pending: list[bytes] = []
        self._held = bytearray()
        self._left_out = 0

    def write(self, piece: bytes) -> None:
        """Take a piece of output from any thread."""
        with self._lock:
            self._refill()
            room = 0 if self._held else max(0, int(self._allowance))
            if piece[:room]:
                self._pending.append(piece[:room])
                self._allowance -= min(room, len(piece))
            self._hold(piece[room:])

    def take(self, *, final: bool = False) -> str:
        """The text to send now, empty when there is none. `final`: with everything that is still held back."""
        with self._lock:
            self._refill()
            if self._held and (final or self._allowance >= len(self._held)):
                self._allowance -= len(self._held)
                if self._left_out:
                    note = f"\n[Compilescope left out {_size(self._left_out)} of output here]\n"
                    self._pending.append(note.encode())
                self._pending.append(bytes(self._held))
                self._held.clear()
                self._left_out = 0
            data = b"".join(self._pending)
            self._pending.clear()
            return self._decoder.decode(data, final)

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        self._held += piece
        excess = len(self._held) - TAIL
        if excess > 0:
            del self._held[:excess]
            self._left_out += excess

    def _refill(self) -> None:
        now = self._clock()
        self._allowance = min(float(BURST), self._allowance + (now - self._refilled) * PER_SECOND)
        self._refilled = now


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count} bytes"  # noqa: PLR2004 - one digit from there on
