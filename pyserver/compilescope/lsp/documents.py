"""The text of now: what the editor holds where a file is open, what is on disk where it is not."""

from __future__ import annotations

from pathlib import Path

from pygls.workspace import Workspace

from compilescope.lsp import paths

LARGEST = 4 << 20


class Documents:
    """Open documents by their file's key, and files on disk as they were when last looked at."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._open: dict[str, str] = {}
        self._disk: dict[str, tuple[tuple[int, int], str | None]] = {}

    def opened(self, uri: str) -> str | None:
        """`uri` was opened; its key, null when it is no file."""
        path = paths.to_path(uri)
        if path is None:
            return None
        key = paths.key(path)
        self._open[key] = uri
        return key

    def closed(self, uri: str) -> str | None:
        """`uri` was closed; its key, null when it is no file."""
        path = paths.to_path(uri)
        key = path and paths.key(path)
        if key:
            self._open.pop(key, None)
        return key or None

    def key(self, uri: str) -> str | None:
        """The key of the file that `uri` names, null when it is no file."""
        path = paths.to_path(uri)
        return paths.key(path) if path else None

    def uri(self, key: str, path: str) -> str:
        """The client's own spelling of an open file's URI, else `path` as a URI."""
        return self._open.get(key) or paths.to_uri(path)

    def is_open(self, key: str) -> bool:
        """Whether the editor holds this file."""
        return key in self._open

    def version(self, key: str) -> int | None:
        """The open document's version, null when the file is not open."""
        uri = self._open.get(key)
        return self._workspace.get_text_document(uri).version if uri else None

    def stamp(self, key: str) -> object:
        """Something that differs once the file's text does."""
        uri = self._open.get(key)
        return ("open", uri, self.version(key)) if uri else ("disk", _stat(key))

    def text(self, key: str) -> str | None:
        """The file's text of now; null when it can't be read."""
        uri = self._open.get(key)
        if uri is not None:
            return str(self._workspace.get_text_document(uri).source)
        stat = _stat(key)
        if stat is None or stat[1] > LARGEST:
            return None
        known = self._disk.get(key)
        if known is None or known[0] != stat:
            try:
                text = Path(key).read_bytes().decode("utf-8", "replace")
            except OSError:
                text = None
            known = self._disk[key] = (stat, text)
        return known[1]


def _stat(path: str) -> tuple[int, int] | None:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
