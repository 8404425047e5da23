"""What lies in a folder that is watched: its recordings, those that come later too, and how each has grown."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.recording.address import addressed
from compilescope.recording.files import RUN_FILE, has_records, log_paths, own_logs

if TYPE_CHECKING:
    from pathlib import Path

Size = tuple[str, int, int, int]
"""A file's path, its bytes, when it was changed (nanoseconds) and its number in the file system."""


@dataclass(frozen=True)
class Look:
    """One look at a watched folder. `recordings`: their files by path; each of several jobs in a folder is one.

    `missing`: why there is nothing to look at.
    """

    recordings: dict[Path, tuple[Size, ...]] = field(default_factory=dict)
    missing: str | None = None

    @property
    def newest(self) -> Path | None:
        """The recording that was written to last; None when there is none."""
        return max(self.recordings, key=self.changed, default=None)

    def changed(self, recording: Path) -> float:
        """When a recording was written to last, in seconds since 1970."""
        return max((file[2] for file in self.recordings[recording]), default=0) / 1e9

    def grown(self, before: Look) -> list[Path]:
        """The recordings that are new or have changed since `before`, the one written to last at the end."""
        differing = [one for one, files in self.recordings.items() if files != before.recordings.get(one)]
        return sorted(differing, key=self.changed)


def look(folder: Path) -> Look:
    """Return what lies in `folder` (or in one log) now. Never raises: a folder may go while it is looked at."""
    try:
        folder.stat()
        roots = _roots(folder)
    except FileNotFoundError:
        return Look(missing="it does not exist")
    except OSError as error:
        return Look(missing=f"it can't be read: {error.strerror or error}")
    found: dict[Path, tuple[Size, ...]] = {}
    for root in roots:
        several = {address: _files(root, job.logs) for address, job in addressed(root)}
        found |= several or {root: _files(root, None)}
    return Look({root: files for root, files in found.items() if files})


def disk_is_full(folder: Path) -> bool:
    """Whether there is no byte left where `folder` lies: then logs end in the middle of a record."""
    try:
        return shutil.disk_usage(folder).free == 0
    except OSError:
        return False


def _roots(folder: Path) -> list[Path]:
    """Return `folder` if it is one recording, as `newest.choose` tells; else the recordings below it."""
    if not folder.is_dir() or (folder / RUN_FILE).is_file() or any(own_logs(folder)):
        return [folder]
    return sorted(file.parent for file in folder.rglob(RUN_FILE)) or [folder]


def _files(root: Path, logs: list[Path] | None) -> tuple[Size, ...]:
    """Return the files of a recording, or of a job with these logs; none as long as no record was written."""
    try:
        paths = log_paths(root) if logs is None else logs
    except OSError:
        return ()
    files, written = [], False
    for path in [*paths, root / RUN_FILE]:
        with contextlib.suppress(OSError):
            stat = path.stat()
            files.append((str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino))
            written = written or path.name == RUN_FILE or has_records(path)
    return tuple(files) if written else ()
