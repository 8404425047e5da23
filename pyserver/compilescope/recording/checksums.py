"""Compares the payloads of logs with their checksums: of few here, of many in a process of its own, from the index.

That process is told on stdin what to compare, as JSON: `[INDEX, {LOG NUMBER: PATH}, AFTER]`, `AFTER` the number of the
last event that is compared already. It says `[UNTIL, [[LOG, OFFSET], …]]` again and again: up to which event all are
compared now, and where the payloads among them lie that are not as they were written.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from compilescope.recording import interpreter
from compilescope.recording.log import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MISMATCH = "the payload does not match its checksum"
_BATCH = 5000
_BUSY_S = 60.0
_NEXT = (
    "SELECT id, log, payload_offset, payload_length, checksum FROM events"
    " WHERE id > ? AND checksum IS NOT NULL AND payload_length > 0 ORDER BY id LIMIT ?"
)


class Compared(NamedTuple):
    """Some events that are compared, up to the one with the number `until`: where payloads lie that are not whole."""

    until: int
    mismatches: list[tuple[int, int]]


def compare(connection: sqlite3.Connection, logs: Mapping[int, Path | str], after: int) -> Iterator[Compared]:
    """Yield how the payloads of events after the one with this number are, some at a time. Logs that are gone are not.

    Between two of them nothing is held in the index: another process may write to it.
    """
    streams: dict[int, BinaryIO | None] = {}
    with ExitStack() as opened:
        while rows := connection.execute(_NEXT, (after, _BATCH)).fetchall():
            mismatches = []
            for _, log, offset, length, checksum in rows:
                if log not in streams:
                    streams[log] = _opened(logs.get(log), opened)
                stream = streams[log]
                if stream is not None and not _is_whole(stream, offset, length, checksum):
                    mismatches.append((log, offset))
            after = rows[-1][0]
            yield Compared(after, mismatches)


def _opened(path: Path | str | None, stack: ExitStack) -> BinaryIO | None:
    with contextlib.suppress(OSError):
        return None if path is None else stack.enter_context(open(path, "rb"))  # noqa: PTH123 - pathlib is slow to import
    return None


def _is_whole(stream: BinaryIO, offset: int, length: int, checksum: str) -> bool:
    try:
        stream.seek(offset)
        return is_whole(stream.read(length), checksum)
    except OSError:
        return True


class Comparing:
    """A process that compares, and what it found: an iterator that ends early when it fails. To be closed."""

    def __init__(self, index: Path, logs: Mapping[int, Path], after: int) -> None:
        self._process: subprocess.Popen[str] | None = None
        asked = json.dumps([str(index), {number: str(path) for number, path in logs.items()}, after])
        with contextlib.suppress(OSError, ValueError):
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with code of ours
                interpreter.command(__name__),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert self._process.stdin is not None
            self._process.stdin.write(asked + "\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with contextlib.suppress(OSError), process:
                pass

    def __iter__(self) -> Iterator[Compared]:
        lines = self._process.stdout if self._process is not None else None
        with contextlib.suppress(OSError, ValueError, TypeError):
            for line in lines or ():
                until, mismatches = json.loads(line)
                yield Compared(until, [(log, offset) for log, offset in mismatches])


def main() -> None:
    """Compare what stdin names."""
    index, logs, after = json.loads(sys.stdin.readline())
    connection = sqlite3.connect(index, timeout=_BUSY_S, isolation_level=None)
    with closing(connection):
        for one in compare(connection, {int(number): path for number, path in logs.items()}, after):
            sys.stdout.write(json.dumps(one) + "\n")
            sys.stdout.flush()
