"""Where recordings live: `.compilescope/` in the working directory, the newest 20 of them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from compilescope.runner.problem import Problem

KEPT = 20
PARENT = ".compilescope"
_NAME = re.compile(r"(\d{8}-\d{6})(?:-(\d+))?")
_RUN_FILE = "run.json"


@dataclass(frozen=True)
class RunFile:
    """`run.json`, see docs/recording.md."""

    command: list[str]
    cwd: str
    python: str
    depth: str
    started: str
    status: str = "running"
    exit_code: int | None = None
    wall_s: float | None = None
    pid: int | None = None
    format: int = 1

    def write(self, folder: Path) -> None:
        """Replace `run.json` in `folder`; a reader sees the old one or the new one. Raises OSError."""
        new = folder / f".{_RUN_FILE}.new"
        try:
            new.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
            new.replace(folder / _RUN_FILE)
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink()
            raise


def new_folder(cwd: Path) -> tuple[Path, str | None]:
    """Make a new recording folder for a run in `cwd`.

    The second value says why it is not in `cwd`, when that can't be written. Raises Problem when there is no place.
    """
    first: str | None = None
    for base in (cwd / PARENT, _cache_folder(), Path(tempfile.gettempdir()) / f"compilescope-{os.getuid()}"):
        try:
            folder = _make_in(base)
        except OSError as error:
            first = first or _hindrance(base, error)
            continue
        return folder, f"{first}, so the recording is in {base}" if first else None
    raise Problem("no-folder", "Can't write a recording anywhere.", f"{first}.")


def given_folder(folder: Path) -> Path:
    """`folder` as a recording folder: made if it does not exist. Raises Problem unless it is empty and writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError as error:
        raise Problem("bad-folder", f"Can't record to {folder}: {error.strerror}.") from error
    if occupied:
        raise Problem("bad-folder", f"Can't record to {folder}: it is not empty.", "Choose a new or an empty folder.")
    if not writable:
        raise Problem("bad-folder", f"Can't record to {folder}: it can't be written.")
    return folder.resolve()


def _hindrance(base: Path, error: OSError) -> str:
    """Why no recording can be made in `base`, the folder of recordings."""
    if os.path.lexists(base) and not base.is_dir():
        return f"{base} is there and is no folder"
    return f"{base.parent if base.name == PARENT else base} can't be written ({error.strerror})"


def _make_in(base: Path) -> Path:
    base.mkdir(parents=True, exist_ok=True)
    ignore = base / ".gitignore"
    if not ignore.exists() or not ignore.stat().st_size:
        ignore.write_text("*\n", encoding="utf-8")
    stamp = time.strftime("%Y%m%d-%H%M%S")
    attempt = 1
    while True:
        folder = base / (stamp if attempt == 1 else f"{stamp}-{attempt}")
        try:
            folder.mkdir()
        except FileExistsError:
            attempt += 1
            continue
        _require_space(folder)
        _drop_oldest(base)
        return folder


def _require_space(folder: Path) -> None:
    """Remove `folder` again and raise OSError when nothing can be written into it: a full disk still makes folders."""
    probe = folder / ".space"
    try:
        probe.write_bytes(b"\0")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    probe.unlink()


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "compilescope" / "recordings"


def _drop_oldest(base: Path) -> None:
    """Keep the newest recordings. Only folders that we made and whose run has ended are ever removed."""
    ours = [(match, path) for path in base.iterdir() if (match := _NAME.fullmatch(path.name)) and not path.is_symlink()]
    ours.sort(key=lambda pair: (pair[0][1], int(pair[0][2] or 1)), reverse=True)
    for _, folder in ours[KEPT:]:
        if _ended(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _ended(folder: Path) -> bool:
    try:
        run = json.loads((folder / _RUN_FILE).read_text(encoding="utf-8"))
        if run["status"] != "running":
            return True
        pid = run["pid"]
    except (OSError, ValueError, TypeError, KeyError):
        return False  # not a recording of ours, or one that is only being made
    return pid is not None and not _alive(pid)


def _alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        return True
    return False
