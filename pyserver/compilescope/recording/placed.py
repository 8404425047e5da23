"""Writes a file as a whole: it takes the place of one that is there only once it is complete."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from compilescope.recording.files import log_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ALL, _OWN = 0o666, 0o600


def mode_of(source: Path | Iterable[Path]) -> int:
    """Return the permissions that all logs of a recording have, so that who can't read one can't read what is made."""
    mode = _ALL
    for path in log_paths(source) if isinstance(source, Path) else source:
        mode &= path.stat().st_mode
    return mode | _OWN


@contextmanager
def placed(file: Path, mode: int) -> Iterator[IO[bytes]]:
    """Yield a stream to write `file` with, which can be read and sought in; with an error nothing is changed.

    Where `file` is a link, what it leads to is written. A device or a pipe is written to when all is there. A new file
    has the permissions `mode`, or fewer by the process's umask. Raises OSError.
    """
    target = Path(os.path.realpath(file))
    try:
        kind = stat.S_IFMT(target.stat().st_mode)
    except FileNotFoundError:
        kind = stat.S_IFREG
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if kind != stat.S_IFREG:
        with tempfile.TemporaryFile() as made:
            yield made
            made.seek(0)
            with target.open("wb") as stream:
                shutil.copyfileobj(made, stream)
        return
    whole = target.with_name(f".{target.name}.{os.getpid()}")
    whole.unlink(missing_ok=True)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(whole, flags, mode), "w+b") as made:
            yield made
        whole.replace(target)
    finally:
        whole.unlink(missing_ok=True)
