"""Logs that are packed, gzip or Zstandard: told by their first bytes, unpacked as far as they are whole.

Zstandard is in Python from 3.14 on; before, the package `zstandard` or the command `zstd` does it if one is there.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

SUFFIXES = (".gz", ".zst")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_WITH_GZIP_HEADER = 31
# A few bytes can stand for a hundred thousand: no more than this at a time.
_CHUNK = 1 << 13
_PIECE = 1 << 20
MISSING = (
    "packed with Zstandard, which can't be unpacked here: install the Python package zstandard or the command zstd,"
    " or unpack it yourself"
)
EARLY = "the compressed data ends early"
SMALL = 2 << 30
LARGEST_RATIO = 300
"""A log is unpacked to `SMALL` bytes and this many times its own size: real ones are packed to a 5th to an 80th."""
SPARE = 512 << 20
"""Bytes of the disk that are left free."""
_LOOK_EVERY = 16 << 20


class _Stopped(Exception):
    """More came out than there is room for."""


class _Bounded:
    """Writes as much as there is room for; `check` is called now and then."""

    def __init__(self, out: BinaryIO, most: int, check: Callable[[], None] | None) -> None:
        self._out, self._most, self._check = out, most, check
        self._done, self._next = 0, 0

    def write(self, data: bytes) -> None:
        """Write `data`. Raise `_Stopped` with what is wrong when there is no more room."""
        if self._done + len(data) > self._most:
            self._out.write(data[: self._most - self._done])
            raise _Stopped(f"it unpacks to more than {self._most >> 20} MB, which is too much for its size: cut there")
        if self._done + len(data) >= self._next:
            self._next = self._done + _LOOK_EVERY
            free = shutil.disk_usage(Path(self._out.name).parent).free
            if free < SPARE + _LOOK_EVERY:
                raise _Stopped(
                    f"there is no room to unpack it: {free >> 20} MB are free; cut after {self._done >> 20} MB"
                )
        self._done += len(data)
        self._out.write(data)
        if self._check is not None:
            self._check()


def is_packed(path: Path) -> bool:
    """Whether a file's first bytes are those of a packed one. Raises OSError when it can't be read."""
    return _magic(path) is not None


def beginning(path: Path, length: int) -> bytes | None:
    """Return the first `length` bytes of what a file holds, unpacked; less when it ends, None when nothing here can.

    Raises OSError when it can't be read.
    """
    magic = _magic(path)
    with path.open("rb") as stream:
        if magic is None:
            return stream.read(length)
        engine = _engine(magic)
        if engine is None:
            return _zstd_beginning(path, length)
        found = bytearray()
        _pump(stream, engine, found.extend, until=length)
        return bytes(found[:length])


def unpack(path: Path, out: BinaryIO, check: Callable[[], None] | None = None) -> str | None:
    """Write what can be unpacked of a file to `out`, a file, and return what is wrong with the rest.

    It ends where more comes out than a log of its size can hold, or than there is room on the disk. Raises OSError when
    the file can't be read or `out` not be written. `check` is called now and then; what it raises ends that.
    """
    engine = _engine(_magic(path) or _GZIP)
    bounded = _Bounded(out, SMALL + LARGEST_RATIO * path.stat().st_size, check)
    try:
        if engine is None:
            return _zstd(path, bounded)
        with path.open("rb") as stream:
            return _pump(stream, engine, bounded.write)
    except _Stopped as stopped:
        return str(stopped)


def _magic(path: Path) -> bytes | None:
    with path.open("rb") as stream:
        start = stream.read(4)
    return _GZIP if start[:2] == _GZIP else _ZSTD if start == _ZSTD else None


def _engine(magic: bytes) -> Callable[[], Any] | None:
    """Return what makes an unpacker of one stream; None when the command has to do it."""
    if magic == _GZIP:
        return lambda: zlib.decompressobj(wbits=_WITH_GZIP_HEADER)
    try:
        decompressor: Callable[[], Any] = importlib.import_module("compression.zstd").ZstdDecompressor
    except ImportError:
        pass
    else:
        return decompressor
    try:
        made = importlib.import_module("zstandard").ZstdDecompressor
    except (ImportError, AttributeError):
        return None
    return lambda: made().decompressobj()


def _pump(
    stream: BinaryIO, engine: Callable[[], Any], write: Callable[[bytes], object], until: int | None = None
) -> str | None:
    """Unpack streams that follow each other; stop after `until` bytes."""
    current, within, done = engine(), False, 0
    while chunk := stream.read(_CHUNK):
        while chunk:
            try:
                piece = current.decompress(chunk)
            except Exception as error:  # noqa: BLE001 - each unpacker has an exception of its own
                return f"the packed log is damaged: {error}"
            write(piece)
            done += len(piece)
            if until is not None and done >= until:
                return None
            within, chunk = not current.eof, current.unused_data if current.eof else b""
            if current.eof:
                current = engine()
    return EARLY if within else None


def _zstd_beginning(path: Path, length: int) -> bytes | None:
    command = shutil.which("zstd")
    if command is None:
        return None
    with subprocess.Popen(  # noqa: S603 - a program by its own path, and a file
        [command, "-dcq", "--", str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        found = process.stdout.read(length)
        process.kill()
    return found


def _zstd(path: Path, out: _Bounded) -> str | None:
    command = shutil.which("zstd")
    if command is None:
        return MISSING
    with subprocess.Popen(  # noqa: S603
        [command, "-dcq", "--", str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            while piece := process.stdout.read(_PIECE):
                out.write(piece)
        except BaseException:
            process.kill()
            raise
        said = process.stderr.read().decode(errors="replace").strip()
    if not process.returncode:
        return None
    last = said.rpartition("\n")[2].rpartition(" : ")[2].strip(" :")
    return EARLY if "premature" in last.lower() or "truncated" in last.lower() else f"the packed log is damaged: {last}"
