"""Which recording is meant by a folder that holds several, or the logs of several jobs."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from compilescope.recording.error import RecordingError
from compilescope.recording.files import RUN_FILE, has_records, log_paths, own_logs
from compilescope.recording.jobs import Job, jobs

if TYPE_CHECKING:
    from pathlib import Path


def choose(path: Path | None) -> tuple[Path, int]:
    """Return the newest of the recordings in `path` and how many there are; `path` and 1 where it is no such folder.

    A folder with logs or a `run.json` of its own is one recording, and so is one without any `run.json` below: the
    logs of a `TORCH_TRACE` may lie in folders of their own. Raises RecordingError without a path.
    """
    if path is None:
        raise RecordingError("No recording is named: give a recording, a TORCH_TRACE log or a folder.")
    found = recordings(path)
    return (found[-1], len(found)) if found else (path, 1)


def recordings(path: Path) -> list[Path]:
    """Return the recordings below a folder that is none itself, the one that began last at the end. Never raises."""
    try:
        if not path.is_dir() or (path / RUN_FILE).is_file() or any(map(has_records, own_logs(path))):
            return []
        found = [(started, file.parent) for file in path.rglob(RUN_FILE) if (started := _started(file)) is not None]
    except OSError:
        return []
    return [folder for _, folder in sorted(found)]


def job(path: Path, number: int | None = None) -> tuple[list[Path], list[Job]] | None:
    """Return the logs of the newest job in a folder, or of the one with this number from 1 on, and all jobs there.

    None where `path` holds no logs of several jobs: a folder with a `run.json` is one run. Raises RecordingError when
    there is no job of that number.
    """
    try:
        found = [] if not path.is_dir() or (path / RUN_FILE).is_file() else jobs(log_paths(path))
    except OSError:
        found = []
    if number is not None and not 1 <= number <= len(found):
        there = f"There are {len(found)} in {path}." if len(found) > 1 else f"{path} holds no logs of several jobs."
        raise RecordingError(f"No job {number}: {there}")
    return (found[-1 if number is None else number - 1].logs, found) if len(found) > 1 else None


def _started(file: Path) -> float | None:
    """When the run of a `run.json` began, in seconds since 1970; None when the file is no such thing."""
    try:
        value: Any = json.loads(file.read_bytes()) if file.is_file() else None
        if not isinstance(value, dict) or not {"format", "command", "status"} <= value.keys():
            return None
        try:
            return dt.datetime.fromisoformat(value["started"]).timestamp()
        except (KeyError, TypeError, ValueError):
            return file.stat().st_mtime
    except (OSError, ValueError, RecursionError):
        return None
