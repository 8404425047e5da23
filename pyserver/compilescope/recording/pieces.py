"""Reads a large log in pieces, most of them in processes of their own; what comes out is what one would read.

Where a log is cut a record starts: an envelope and the payload lines after it are read without what was before.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import subprocess
import tempfile
from collections import deque
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from compilescope.recording import interpreter
from compilescope.recording.log import Damage, Record, Stretch, start_of_record, stretches

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    Piece = tuple[int, int]

PIECE = 8 << 20
_SMALLEST = 1 << 16
LARGE = 4 * PIECE
"""Bytes from which on more than one process reads a log: of fewer one is through before another has started."""
HELPERS = 2
# So many pieces of each helper to one that is read here, where all of them also go into the index.
_SHARE = 8
# Pieces that a helper has to do, so that it neither waits nor fills the disk.
_AHEAD = 6


class Readers(contextlib.AbstractContextManager["Readers"]):
    """What reads logs, one after the other: helpers, too, once there is enough for them. Closed when they are read.

    `meanwhile` is called once, when helpers have something to read.
    """

    def __init__(self, meanwhile: Callable[[], object] | None = None) -> None:
        self._meanwhile = meanwhile
        self._helpers: list[Helper] = []
        self._stack = contextlib.ExitStack()
        self._is_started = False
        self._begun: _Begun | None = None

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, size: int) -> None:
        """Start helpers if so many bytes are enough for them, unless that was done."""
        if self._is_started:
            return
        self._is_started = True
        count = min(HELPERS, _processors() - 1) if size >= LARGE else 0
        place = _place() if count > 0 else None
        if place is not None:
            folder = Path(self._stack.enter_context(place))
            self._helpers = [self._stack.enter_context(Helper(folder / str(number))) for number in range(count)]

    def begin(self, path: Path) -> None:
        """Have helpers begin with a log of which nothing is read yet; it has to be the first that is read then."""
        with contextlib.suppress(OSError), path.open("rb") as stream:
            size = path.stat().st_size
            self.start(size)
            if self._helpers:
                self._begun = self._order(stream, path, 0, size)

    def read(self, stream: BinaryIO, path: Path, offset: int, size: int) -> Generator[Stretch, None, None]:
        """Yield what `stretches` does from `offset` on for the log at `path`, of `size` bytes, which `stream` is of."""
        begun, self._begun = self._begun, None
        if begun is not None and (begun.path, begun.offset) != (path, offset):  # helpers do what nobody asks for
            self._stack.close()
            self._helpers, begun = [], None
        by = (begun or self._order(stream, path, offset, size)).pieces
        if self._meanwhile is not None and by:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        for piece, helper in by:
            yield from stretches(stream, *piece) if helper is None else helper.read(stream, piece)
        yield from stretches(stream, by[-1][0][1] if by else offset)

    def _order(self, stream: BinaryIO, path: Path, offset: int, size: int) -> _Begun:
        """Give helpers their share of a log's pieces."""
        pieces = list(pairwise(_cuts(stream, offset, size))) if self._helpers else []
        turns = 1 + _SHARE * len(self._helpers)
        by = [self._helpers[at % len(self._helpers)] if at % turns else None for at in range(len(pieces))]
        for helper, piece in zip(by, pieces, strict=True):
            if helper is not None:
                helper.order(path, piece)
        return _Begun(path, offset, list(zip(pieces, by, strict=True)))


class _Begun(NamedTuple):
    """A log that is being read, from `offset` on, and who reads which piece: a helper, or None for this process."""

    path: Path
    offset: int
    pieces: list[tuple[Piece, Helper | None]]


def _place() -> tempfile.TemporaryDirectory[str] | None:
    """Return a folder for what helpers find; None where none can be made."""
    with contextlib.suppress(OSError):
        return tempfile.TemporaryDirectory(prefix="compilescope-", ignore_cleanup_errors=True)
    return None


def _processors() -> int:
    """Return on how many processors this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cuts(stream: BinaryIO, offset: int, size: int) -> Iterator[int]:
    """Yield where the pieces start, last where they end: what comes after that may not be whole yet."""
    length = min(PIECE, max(_SMALLEST, (size - offset) // 4))
    found: int | None = offset
    while found is not None:
        yield found
        found = start_of_record(stream, found + length) if found + length < size else None


class Helper:
    """A process that reads some pieces of logs, one after another. A context manager.

    Nothing depends on it: where it can't be started, is ended or fails, the pieces are read here.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._waiting: deque[tuple[Path, Piece]] = deque()
        self._sent = self._taken = 0
        self._process: subprocess.Popen[str] | None = None
        command = interpreter.command("compilescope.recording.helper")
        with contextlib.suppress(OSError, ValueError):
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with code of ours
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )

    def __enter__(self) -> Helper:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def order(self, log: Path, piece: Piece) -> None:
        """Have it read a piece of a log, after those before."""
        self._waiting.append((log, piece))
        self._send()

    def read(self, stream: BinaryIO, piece: Piece) -> Iterator[Stretch]:
        """Yield what `stretches` does for the next of the pieces that were ordered: `piece` of `stream`."""
        done = 0
        try:
            for done, stretch in enumerate(self._next(), 1):  # noqa: B007
                yield stretch
        except (OSError, ValueError, EOFError, TypeError):
            self._end()
            yield from islice(stretches(stream, *piece), done, None)

    def _next(self) -> Iterator[Stretch]:
        if self._process is None or self._process.stdout is None:
            raise EOFError
        file, said = self._file(self._taken), self._process.stdout
        self._taken += 1
        length = int(said.readline())
        with file.open("rb") as out:
            while length:
                records, damage = marshal.loads(out.read(length))  # noqa: S302 - of a process of ours
                yield Stretch(list(map(Record._make, records)), list(map(Damage._make, damage)))
                length = int(said.readline())
        file.unlink()
        self._send()

    def _file(self, number: int) -> Path:
        return self._place.with_name(f"{self._place.name}-{number}")

    def _send(self) -> None:
        while self._waiting and self._sent - self._taken < _AHEAD and self._process is not None:
            log, piece = self._waiting.popleft()
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps([*piece, str(log), str(self._file(self._sent))]) + "\n")
                self._process.stdin.flush()
            except OSError:
                self._end()
            self._sent += 1

    def _end(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with contextlib.suppress(OSError), process:  # what was still to be said to it
                pass
