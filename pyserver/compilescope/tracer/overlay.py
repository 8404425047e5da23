"""Texts that take the place of files for this run: the files themselves stay as they are.

Python reads code by three ways, and each gets the text: `io.open_code` (a script, a module, `runpy`), the byte code
beside a module (neither read nor written for such a file), and `linecache` (tracebacks, `inspect.getsource`, Dynamo).
What the program itself opens, and the lines of a traceback that Python 3.12 and older print at the end, come from disk.

Relies on `SourceLoader.get_code` going on without byte code when `path_stats` raises OSError (importlib, 3.10 to 3.14).
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

    from compilescope.tracer.session import Session


def install(session: Session, path: str) -> None:
    """Have the texts of the file `path`, a JSON object of texts by absolute path, take the place of those files."""
    with open(path, encoding="utf-8") as stream:
        texts = json.load(stream)
    overlay = _Overlay({os.path.realpath(file): text for file, text in texts.items()})
    overlay.serve_code()
    session.hooks.after_import("linecache", overlay.serve_lines, loses="edited lines in tracebacks and sources")


class _Overlay:
    """Texts by real path."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def text(self, file: Any) -> str | None:
        """The text that takes the place of a file; None for all other files."""
        return self._texts.get(os.path.realpath(file)) if isinstance(file, str) and not file.startswith("<") else None

    def serve_code(self) -> None:
        """Give the texts to all who read code."""
        import importlib.machinery
        import io

        loaders: Any = importlib.machinery.SourceFileLoader
        from_disk, stats = io.open_code, loaders.path_stats

        def open_code(path: Any) -> Any:
            text = self.text(path)
            return from_disk(path) if text is None else io.BytesIO(_encoded(text))

        def path_stats(loader: Any, path: Any) -> Any:
            if self.text(path) is not None:
                raise OSError(path)
            return stats(loader, path)

        loaders.path_stats = path_stats
        for module in (io, sys.modules["_io"]):
            module.open_code = open_code  # type: ignore[attr-defined]

    def serve_lines(self, linecache: ModuleType) -> None:
        """Give the texts to `linecache`, as of a loader: without a time, so that it does not look at the disk."""
        from_disk = linecache.updatecache

        def updatecache(filename: Any, *rest: Any, **named: Any) -> Any:
            text = self.text(filename)
            if text is None:
                return from_disk(filename, *rest, **named)
            lines = [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
            if lines[-1] == "\n":
                del lines[-1]
            linecache.cache[filename] = (len(text), None, lines, filename)
            return lines

        linecache.updatecache = updatecache  # type: ignore[attr-defined]
        for file in [file for file in linecache.cache if self.text(file) is not None]:
            del linecache.cache[file]


def _encoded(text: str) -> bytes:
    """The bytes of a source text, in the encoding that it declares."""
    import io
    import tokenize

    encoding = tokenize.detect_encoding(io.BytesIO(text.encode(errors="surrogatepass")).readline)[0]
    return text.encode(encoding)
