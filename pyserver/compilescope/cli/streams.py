"""The command's own streams: messages on stderr, a report on stdout or in a file."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


def say(message: str) -> None:
    """A message of ours on stderr."""
    with contextlib.suppress(OSError, ValueError):
        print(f"compilescope: {clean(message)}", file=sys.stderr, flush=True)


def hold_standard_streams() -> None:
    """Put /dev/null where stdin, stdout or stderr are closed, so that no file of ours gets their numbers."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def check_output(file: str | None) -> None:
    """Raise Problem when `file` can't be written: better now than after a long run."""
    if file is None:
        return
    try:
        is_new = not os.path.lexists(file)
        with Path(file).open("a", encoding="utf-8"):
            pass
        if is_new:  # an empty file would be left where nothing comes of it
            Path(file).unlink()
    except OSError as error:
        raise Problem("bad-output", f"Can't write {file}: {why(error, file)}.") from error


def why(error: OSError, file: str | Path) -> str:
    """Why a file can't be written, in words."""
    folder = Path(file).parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return f"the folder {folder} does not exist"
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "a file is in the place of a folder"
    return error.strerror or str(error)


@contextlib.contextmanager
def opened_output(file: str | None) -> Iterator[TextIO]:
    """Yield `file` to write to, or stdout; a reader of stdout that went away is no error."""
    if file is not None:
        try:
            with Path(file).open("w", encoding="utf-8", errors="backslashreplace") as stream:
                yield stream
        except OSError as error:
            raise Problem("bad-output", f"Can't write {file}: {why(error, file)}.") from error
        return
    stdout = sys.stdout
    if stdout is None:
        with Path(os.devnull).open("w", encoding="utf-8") as stream:
            yield stream
        return
    try:
        with _buffered(stdout) as stream:
            yield stream
    except OSError as error:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stdout.fileno())  # or the interpreter complains when it flushes at exit
        os.close(devnull)
        if error.errno not in {errno.EPIPE, errno.EIO}:  # `| head`, a terminal that went away: nobody reads on
            raise Problem("bad-output", f"Can't write to stdout: {error.strerror}.") from error


@contextlib.contextmanager
def _buffered(stdout: TextIO) -> Iterator[TextIO]:
    """Yield `stdout`, or one to its file where it is unbuffered (`python -u`) and forgets what did not fit."""
    if isinstance(stdout, io.TextIOWrapper) and not isinstance(stdout.buffer, io.RawIOBase):
        stdout.reconfigure(errors="backslashreplace")
        yield stdout
        stdout.flush()
        return
    stream = open(stdout.fileno(), "w", encoding=stdout.encoding, errors="backslashreplace", closefd=False)  # noqa: SIM115
    try:
        yield stream
        stream.flush()
    finally:
        with contextlib.suppress(OSError):
            stream.close()
