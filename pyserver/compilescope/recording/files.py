"""Finds the logs of a recording: in our folder, in a TORCH_TRACE folder, or a file alone, packed or not."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording import compressed
from compilescope.recording.error import RecordingError
from compilescope.recording.log import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_RANK = re.compile(r"dedicated_log_torch_trace_rank_(\d{1,9})(?:_.*)?\.log")
_LOG = re.compile(r"(.*\.log)(?:\.(\d{1,9}))?(?:\.gz|\.zst)?", re.DOTALL)
"""A log; rotations (logrotate) of it have a number, the older the higher."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LOOK = 1 << 16
_LONGEST = 200
RUN_FILE = "run.json"
LEFT_OUT = "left out: no trace record in its first 64 KB"


@dataclass(frozen=True)
class LogFile:
    """One process's log. `name` is unique within its recording; `path` is plain text, unpacked if need be."""

    name: str
    path: Path
    rank: int | None
    problem: str | None = None


def log_paths(root: Path) -> list[Path]:
    """Return the log files of `root`, sorted by name. A folder without any of its own is searched deeper."""
    if root.is_file():
        return [root]
    direct = own_logs(root)
    if not direct and not (root / RUN_FILE).is_file():
        direct = [path for path in root.rglob("*torch_trace*.log*") if _LOG.fullmatch(path.name) and path.is_file()]
    return by_age(direct)


def unrotated(name: str) -> str:
    """Return what a log and its rotations have in common: `a.log` for `a.log`, `a.log.1` and `a.log.2.gz`."""
    match = _LOG.fullmatch(name)
    return match[1] if match else name


def plain_name(name: str) -> str:
    """Return the name of a log among others when it is unpacked: `a.log` for `a.log.gz`, `a.txt.log` for `a.txt`."""
    name = re.sub(r"\.(?:gz|zst)$", "", name).replace("\\", "_")
    return name if _LOG.fullmatch(name) else f"{name}.log"


def rank_of(path: Path) -> int | None:
    """Return the rank that torch put into a log's name."""
    match = _RANK.match(path.name)
    return int(match[1]) if match else None


def by_age(paths: Iterable[Path]) -> list[Path]:
    """Return logs by name, of one log's rotations the oldest first."""
    return sorted(paths, key=_age)


def _age(path: Path) -> tuple[Path, int]:
    match = _LOG.fullmatch(path.name)
    return path.with_name(unrotated(path.name)), -int(match[2] or 0) if match else 0


def own_logs(folder: Path) -> list[Path]:
    """Return what may be logs in `folder` itself."""
    return [path for path in folder.iterdir() if _LOG.fullmatch(path.name) and path.is_file()]


def check(root: Path) -> None:
    """Raise `RecordingError` when nothing at `root` can be read as a recording."""
    try:
        _check(root)
    except OSError as error:
        raise RecordingError(f"{_shortened(root)} can't be read: {error.strerror or error}.") from error


def check_all(logs: Iterable[Path]) -> None:
    """Raise `RecordingError` when one of several logs is none, or when all of them can't be read."""
    for log in logs:
        with contextlib.suppress(OSError):
            _check(log)
    any_has_records(logs)


def _check(root: Path) -> None:
    if not root.exists():
        raise RecordingError(f"{root} does not exist.")
    if not (root.is_file() or root.is_dir()):
        raise RecordingError(f"{root} is neither a file nor a folder that can be read as a trace.")
    if root.is_dir():
        if (root / RUN_FILE).is_file() or any_has_records(log_paths(root)):
            return
        inner = sorted(path.parent.name for path in root.glob(f"*/{RUN_FILE}"))
        if inner:
            newest = ", ".join(inner[-5:])
            raise RecordingError(f"{root} is no recording but holds some ({len(inner)}); open one of them: {newest}.")
        raise RecordingError(
            f"{root} holds no recording: there is no TORCH_TRACE log (*.log, *.log.gz, *.log.zst) in it."
        )
    if not has_records(root):
        raise RecordingError(f"{root} is no TORCH_TRACE log: it does not start with a trace record.")


def any_has_records(paths: Iterable[Path]) -> bool:
    """Whether a trace record stands in one of the files. Raise `RecordingError` when it can't be told of all others."""
    problem = None
    for path in paths:
        try:
            if has_records(path):
                return True
        except OSError as error:
            problem = problem or RecordingError(f"{_shortened(path)} can't be read: {error.strerror or error}.")
    if problem is not None:
        raise problem
    return False


def _shortened(root: Path) -> str:
    """A path as it is shown; one that is too long for the file system is too long for a message."""
    text = str(root)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def has_records(path: Path) -> bool:
    """Whether a trace record stands in the first part of a file, or it is packed in a way that can't be undone here."""
    start = compressed.beginning(path, _LOOK)
    return start is None or ENVELOPE.search(start) is not None


def is_other(path: Path) -> bool:
    """Whether a file beside logs is none, as far as can be told: its name is not torch's, and it has no record yet."""
    try:
        return "torch_trace" not in path.name and not has_records(path)
    except OSError:
        return False


def log_name(root: Path, path: Path) -> str:
    """Return the name of the log at `path` in its recording, with escapes where it is no UTF-8 or moves a cursor."""
    name = path.name if root == path else path.relative_to(root).as_posix()
    return _CONTROL.sub(lambda one: f"\\x{ord(one[0]):02x}", os.fsencode(name).decode(errors="backslashreplace"))


def log_file(
    root: Path, path: Path, unpack_folder: Callable[[], Path], check: Callable[[], None] | None = None
) -> LogFile:
    """Return the log at `path`. A packed one is unpacked into `unpack_folder`, as far as it can be.

    Raises OSError when it can't be read. `check` is called now and then while one is unpacked.
    """
    name, rank = log_name(root, path), rank_of(path)
    if not compressed.is_packed(path):
        return LogFile(name, path, rank)
    plain, problem = unpack_folder() / re.sub(r"[^\w.-]", "_", name), None
    if not plain.exists():
        try:
            with plain.open("wb") as out:
                problem = compressed.unpack(path, out, check)
        except OSError as error:
            problem = f"it can't be unpacked: {error.strerror or error}"
    return LogFile(name, plain, rank, problem)
