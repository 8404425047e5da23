"""Where an index is kept, and its tables. What is there but can't be used is made anew; else it is in memory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from typing import TYPE_CHECKING

from compilescope.recording.cache_folder import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from compilescope.recording.files import LogFile

VERSION = 9
SMALL = 8 << 20
"""Bytes of logs below which reading anew is quicker than a file is worth."""
_BUSY_S = 2.0
_TABLES = """
CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT UNIQUE, offset INTEGER, head TEXT, tail TEXT, rank INTEGER,
  pid INTEGER, mended INTEGER DEFAULT 0);
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE events (id INTEGER PRIMARY KEY, log INTEGER, name INTEGER, compile_id TEXT, rank INTEGER, pid INTEGER,
  timestamp TEXT, envelope_offset INTEGER, envelope_length INTEGER, payload_offset INTEGER, payload_length INTEGER,
  checksum TEXT, label TEXT);
CREATE TABLE strings (log INTEGER, offset INTEGER, id INTEGER, text TEXT, PRIMARY KEY (log, offset)) WITHOUT ROWID;
CREATE TABLE turns (event INTEGER PRIMARY KEY, log INTEGER, pid INTEGER, rank INTEGER, records INTEGER, first TEXT,
  last TEXT);
CREATE TABLE damage (log INTEGER, offset INTEGER, problem TEXT);
CREATE TABLE compared (until INTEGER);
INSERT INTO compared VALUES (0);
"""


def beside(root: Path) -> Path:
    """Return where the index of a log or a folder of logs is, if that can be written."""
    if root.is_file():
        return root.with_name(root.name + ".index.sqlite")
    return root / ("index.sqlite" if (root / "run.json").is_file() else "compilescope.index.sqlite")


def place(root: Path, logs: Sequence[LogFile]) -> Path | None:
    """Return where the index of `root` is kept; None for in memory. A new one may be read by whom the logs may."""
    states = [log.path.stat() for log in logs]
    if sum(state.st_size for state in states) < SMALL:
        return None
    own = beside(root)
    if not ((own.is_file() and os.access(own, os.W_OK)) or os.access(own.parent, os.W_OK)):
        cache = cache_folder("index")
        try:
            cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return None
        if not os.access(cache, os.W_OK):
            return None
        own = cache / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.sqlite"
    mode = 0o666
    for state in states:
        mode &= state.st_mode
    with contextlib.suppress(OSError):
        os.close(os.open(own, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode | 0o600))
    return own


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the index at `path`, made anew when it is broken or of another version; in memory when that fails too."""
    try:
        return _open(path)
    except (sqlite3.OperationalError, OSError):  # held by another process, full disk
        return _open(None)
    except sqlite3.DatabaseError:
        assert path is not None
    try:
        path.unlink()
        return _open(path)
    except (sqlite3.DatabaseError, OSError):
        return _open(None)


def _open(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(
        ":memory:" if path is None else path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                connection.execute(f'DROP TABLE "{table}"')
            for statement in _TABLES.strip().split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection
