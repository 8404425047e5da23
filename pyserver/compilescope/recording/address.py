"""The address of one job in a folder that holds the logs of several: `FOLDER#job=LOG`, a log that the job has.

An address stays right while logs are added: a job is told by the log that it began with. Whether a folder holds several
jobs may change, and so may which logs are of one job: `current` says what an address, or a folder, stands for now.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from compilescope.recording.error import RecordingError
from compilescope.recording.files import RUN_FILE, log_paths, unrotated
from compilescope.recording.jobs import Job, jobs
from compilescope.recording.newest import recordings

if TYPE_CHECKING:
    from compilescope.recording.reader import Source

MARK = "#job="


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
    try:
        is_other = not folder.is_dir() or (folder / RUN_FILE).is_file() or recordings(folder)
        found = [] if is_other else jobs(log_paths(folder))
    except OSError:
        found = []
    return [Addressed(of(folder, one.logs[0]), one) for one in found] if len(found) > 1 else []


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
    found = addressed(folder)
    if folder == path:
        return found[:1]
    if not found:
        return [] if _has(folder, path) else None
    return next(([one] for one in found if any(of(folder, log) == path for log in one.job.logs)), None)


def _has(folder: Path, path: Path) -> bool:
    try:
        return any(of(folder, log) == path for log in log_paths(folder))
    except OSError:
        return False


def of(folder: Path, log: Path) -> Path:
    """Return the address of the job that has a log in or below a folder."""
    return Path(f"{folder}{MARK}{log.relative_to(folder).with_name(unrotated(log.name)).as_posix()}")
