"""Reads pieces of logs, from any thread."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

_PREAD = getattr(os, "pread", None)


class Streams:
    """The logs that were read from, kept open by their numbers."""

    def __init__(self) -> None:
        self._open: dict[int, FileIO] = {}
        self._lock = threading.Lock()

    def read(self, log: int, path: Path, offset: int, length: int) -> bytes:
        """Return bytes of the log with this number; fewer where it ends, none when it can't be read."""
        with self._lock:
            try:
                stream = self._open.get(log)
                if stream is None:
                    stream = self._open[log] = path.open("rb", buffering=0)
                if _PREAD is not None:
                    return bytes(_PREAD(stream.fileno(), length, offset))
                stream.seek(offset)
                return stream.read(length) or b""
            except OSError:
                return b""

    def close(self) -> None:
        """Close the logs; they are opened again when they are read from."""
        with self._lock:
            for stream in self._open.values():
                stream.close()
            self._open.clear()
