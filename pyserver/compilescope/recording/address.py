"""The address of one job in a folder that holds the logs of several: `FOLDER#job=LOG`, a log that the job has.

An address stays right while logs are added: a job is told by the log that it began with. Whether a folder holds several
jobs may change, and so may which logs are of one job: `current` says what an address, or a folder, stands for now.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from compilescope.recording.error import RecordingError
from compilescope.recording.files import RUN_FILE, log_paths, unrotated
from compilescope.recording.jobs import Job, jobs
from compilescope.recording.newest import recordings

if TYPE_CHECKING:
    from compilescope.recording.reader import Source

MARK = "#job="
_KEPT = 64
"""Folders whose jobs are kept, as long as no file in them changes."""


class Addressed(NamedTuple):
    """A job and where to find it."""

    address: Path
    job: Job


def place(path: Path) -> Path:
    """Return the folder that an address is in; any other path as it is."""
    folder, mark, _ = str(path).rpartition(MARK)
    return Path(folder) if mark else path


def absolute(path: Path) -> Path:
    """Return an address or any other path as an absolute one."""
    folder = place(path)
    return path.absolute() if folder == path else Path(f"{folder.absolute()}{MARK}{log_of(path)}")


def log_of(path: Path) -> str:
    """Return the name of the log in an address; empty for any other path."""
    return str(path).rpartition(MARK)[2] if place(path) != path else ""


def addressed(folder: Path) -> list[Addressed]:
    """Return the jobs in a folder, the one that began last at the end; none unless there are several.

    A folder with a `run.json` is one run, and one that such folders are in holds no jobs. Never raises.
    """
    return _jobs(folder).several


def current(path: Path) -> Path:
    """Return what a path stands for now.

    A folder that has come to hold several jobs stands for the first of them, and an address for the job that has its
    log now: that may be all there is in the folder.
    """
    found = _found(path)
    return place(path) if found == [] else path if found is None else found[0].address


def source(path: Path) -> Source:
    """Return what is opened for a path: the logs of a job for an address. Raises RecordingError when it has none."""
    if place(path) == path:
        return path
    found = _found(path)
    if found is None:
        raise RecordingError(f"{path} is not there any more: no job in {place(path)} has that log.")
    return found[0].job.logs if found else place(path)


def _found(path: Path) -> list[Addressed] | None:
    """Return the job that a path stands for; none where it is all there is, None where an address leads nowhere."""
    folder = place(path)
    found = _jobs(folder)
    if folder == path:
        return found.several[:1]
    if not found.several:
        return [] if _has(folder, path) else None
    one = found.by_log.get(path)
    return None if one is None else [one]


class _Jobs(NamedTuple):
    """The jobs of a folder, and each by the addresses of all its logs; empty unless there are several."""

    several: list[Addressed]
    by_log: dict[Path, Addressed]


def _jobs(folder: Path) -> _Jobs:
    """Return the jobs of a folder as it is now. What stands in it is asked for often, and seldom other."""
    try:
        with os.scandir(folder) as entries:
            files = sorted((one.name, *_state(one)) for one in entries if ".log" in one.name or one.name == RUN_FILE)
    except OSError:
        return _Jobs([], {})
    if any(name == RUN_FILE for name, *_ in files):
        return _Jobs([], {})
    return _look_again(folder, tuple(files)) if files else _look(folder)


def _state(entry: os.DirEntry[str]) -> tuple[int, int, int]:
    try:
        stat = entry.stat()
    except OSError:
        return 0, 0, 0
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


@lru_cache(maxsize=_KEPT)
def _look_again(folder: Path, _files: tuple[object, ...]) -> _Jobs:
    return _look(folder)


def _look(folder: Path) -> _Jobs:
    try:
        found = [] if recordings(folder) else jobs(log_paths(folder))
    except OSError:
        found = []
    if len(found) < 2:  # noqa: PLR2004 - several
        return _Jobs([], {})
    several = [Addressed(of(folder, one.logs[0]), one) for one in found]
    return _Jobs(several, {of(folder, log): one for one in several for log in one.job.logs})


def _has(folder: Path, path: Path) -> bool:
    try:
        return any(of(folder, log) == path for log in log_paths(folder))
    except OSError:
        return False


def of(folder: Path, log: Path) -> Path:
    """Return the address of the job that has a log in or below a folder."""
    return Path(f"{folder}{MARK}{log.relative_to(folder).with_name(unrotated(log.name)).as_posix()}")
