"""What a recording unpacks for itself: the logs of a pack, and logs that are packed. It goes when it is closed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording.error import RecordingError
from compilescope.recording.unpack import is_pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable


class Unpacked:
    """What is unpacked for the recording at `root`; nothing until it is asked for.

    `check` is called now and then while something is unpacked; what it raises ends that.
    """

    def __init__(self, root: Path, check: Callable[[], None] | None) -> None:
        self._root, self._check = root, check
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._pack: tuple[int, int, int] | None = None
        self.left_out: tuple[str, ...] = ()
        """The kinds of things that were left out of a pack on request."""

    def folder(self) -> Path:
        """Return the folder for what is unpacked."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="compilescope-")
        return Path(self._temporary.name)

    def contents(self) -> Path:
        """Return where the logs are: at the root, or where they were unpacked to when that is a pack.

        Raises RecordingError for a pack that can't be unpacked.
        """
        if not is_pack(self._root):
            return self._root
        self._pack = _stamp(self._root)
        folder = self.folder() / self._root.stem
        try:
            folder.mkdir()
            self.left_out = unpack(self._root, folder, self._check)
        except OSError as error:
            self.close()
            raise RecordingError(f"{self._root} can't be unpacked: {error.strerror or error}.") from error
        except BaseException:
            self.close()
            raise
        return folder

    @property
    def is_stale(self) -> bool:
        """Whether it was unpacked from a file that another one has taken the place of."""
        return self._pack is not None and _stamp(self._root) not in {None, self._pack}

    def close(self) -> None:
        """Remove it."""
        if self._temporary is not None:
            self._temporary.cleanup()


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is replaced; None when it is gone."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
