"""The text of the user's files, as it was when they were traced."""

from __future__ import annotations

import hashlib
import io
import linecache
import os
from typing import TYPE_CHECKING, Any

from compilescope.tracer.environment import library_roots

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 1 << 20
TRACER = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Sources:
    """Emits `compilescope_source` for each user file at its first mention."""

    def __init__(self, emit: Callable[[str, dict[str, Any]], None]) -> None:
        self._emit = emit
        self._seen: set[str] = set()
        self._roots: tuple[str, ...] | None = None
        self._users: dict[str, bool] = {}

    def mention(self, file: str) -> None:
        """A frame in `file` is about to be recorded."""
        if file in self._seen:
            return
        self._seen.add(file)
        if self.is_user(file):
            text = _read(file)
            if text is not None:
                digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
                self._emit("source", {"file": file, "sha256": digest, "text": text})

    def is_user(self, file: str) -> bool:
        """Whether `file` is neither in the standard library nor in an installed package, nor generated, nor ours."""
        if file not in self._users:
            if self._roots is None:
                self._roots = (*(root + os.sep for root in library_roots()), TRACER, "<frozen")
            self._users[file] = not file.startswith(self._roots) and not _is_generated(file)
        return self._users[file]

    def forget(self) -> None:
        """Start anew: this is another process with another log."""
        self._seen.clear()


def _is_generated(file: str) -> bool:
    """Whether Inductor wrote `file` (torch/_inductor/runtime/cache_dir_utils.py, which sets the variable; 2.6+)."""
    return "torchinductor_" in file or file.startswith(os.environ.get("TORCHINDUCTOR_CACHE_DIR", "\0"))


def _read(file: str) -> str | None:
    if file.startswith("<"):
        return "".join(linecache.getlines(file)) or None
    try:
        import tokenize

        if os.path.getsize(file) > LARGEST:
            return None
        with io.open_code(file) as stream:
            encoding = tokenize.detect_encoding(stream.readline)[0]
            stream.seek(0)
            return stream.read().decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
