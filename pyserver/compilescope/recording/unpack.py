"""Reads a file that `pack` wrote back into a folder. The file may come from anybody: nothing in it is believed.

Names that lead out of the folder, more data than a pack of its size can hold, and checksums that don't match are
refused with a `RecordingError`; what was written until then is only in the folder that was given.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from compilescope.recording.compressed import SPARE
from compilescope.recording.error import RecordingError
from compilescope.recording.files import RUN_FILE
from compilescope.recording.redact.redaction import known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FORMAT = "compilescope-pack"
VERSION = 1
MANIFEST, PAYLOADS = "manifest.json", "payloads"
SUFFIX = ".compilescope"
LARGEST_RATIO = 1000
SMALL = 2 << 30
"""Bytes that any pack may hold; a larger one may hold `LARGEST_RATIO` times its own size more."""
_LARGEST_MANIFEST = 8 << 20
# LZMA makes at most 30 MB of so many bytes.
_BLOCK = 4096
_PIECE = 1 << 20
_LONGEST_LINE = 80
_BLOCKS = 4096
_LARGEST_WINDOW = 64 << 20
# What is before the data of a member: its header with the lengths of name and more at its end, then LZMA's own.
_HEADER, _LENGTHS, _LZMA = struct.Struct("<30x"), struct.Struct("<HH"), struct.Struct("<HHBI")
_NAME = re.compile(
    r"[\w+=@ -][\w.+=@ -]*(?:/[\w+=@ -][\w.+=@ -]*)*\.(?:log(?:\.\d{1,9})?|txt|jsonl?)|[\w+=@ -][\w.+=@ -]*"
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    TypeError,
    ValueError,
    RecursionError,
    NotImplementedError,
    MemoryError,
    RuntimeError,
)


class _TooLarge(Exception):
    """More came out than is believable."""


class _Unsafe(Exception):
    """A name leads out of the folder."""


def is_pack(path: Path) -> bool:
    """Whether `path` is a file with the name of a pack."""
    return path.suffix.lower() == SUFFIX and path.is_file()


def unpack(file: Path, folder: Path, check: Callable[[], None] | None = None) -> tuple[str, ...]:
    """Write the recording in `file` to `folder`, which is there and empty; return the kinds that were left out of it.

    Memory is bounded. Raises RecordingError for a file that is damaged, cut short or not made by `pack`, and OSError
    when something can't be read or written. `check` is called now and then; what it raises ends that.
    """
    try:
        with zipfile.ZipFile(file) as opened:
            return _Unpacking(opened, folder, SMALL + LARGEST_RATIO * file.stat().st_size, check).run()
    except _TooLarge as error:
        raise RecordingError(f"{file} is refused: it would unpack to more data than its size can hold.") from error
    except _Unsafe as error:
        raise RecordingError(f"{file} is refused: a name in it leads out of its folder ({error}).") from error
    except RecordingError as error:
        raise RecordingError(f"{file} {error}") from error
    except _BROKEN as error:
        raise RecordingError(f"{file} is damaged or cut short, or no file of `compilescope pack`.") from error
    except Exception as error:
        if type(error).__name__ == "LZMAError":  # of a module that may be missing
            raise RecordingError(f"{file} is damaged or cut short, or no file of `compilescope pack`.") from error
        raise


class _Unpacking:
    def __init__(self, opened: zipfile.ZipFile, folder: Path, most: int, check: Callable[[], None] | None) -> None:
        self._zip, self._folder, self._left, self._check = opened, folder, most, check

    def run(self) -> tuple[str, ...]:
        manifest = json.loads(b"".join(self._blocks(MANIFEST, _LARGEST_MANIFEST)))
        if manifest["format"] != FORMAT:
            raise ValueError(manifest["format"])
        if manifest["version"] != VERSION:
            raise RecordingError("was packed by a newer version of Compilescope.")
        logs = manifest["logs"]
        sizes = [log["size"] for log in logs] + [manifest["payloads"]]
        names = [_safe(log["name"]) for log in logs]
        if not all(type(size) is int and size >= 0 for size in sizes) or len({*map(str.lower, names)}) != len(names):
            raise ValueError(sizes)
        # Texts and payloads are here twice for a while.
        if 2 * sum(sizes) > self._left:
            raise _TooLarge
        free = shutil.disk_usage(self._folder).free
        if 2 * sum(sizes) > free:
            raise RecordingError(f"needs {2 * sum(sizes) >> 20} MB to unpack, and {free >> 20} MB are free.")
        if RUN_FILE in self._zip.namelist():
            self._write(RUN_FILE, self._folder / RUN_FILE, _LARGEST_MANIFEST)
        spool = self._folder / ".unpacking"
        spool.mkdir()
        self._write(PAYLOADS, spool / PAYLOADS, manifest["payloads"])
        for number, (name, log) in enumerate(zip(names, logs, strict=True)):
            text, parts = spool / "text", spool / "parts"
            self._write(f"{number}.text", text, log["size"])
            self._write(f"{number}.parts", parts, self._left)
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                self._join(out, text, parts, spool / PAYLOADS, log)
        shutil.rmtree(spool)
        return known(manifest.get("left_out"))

    def _join(self, out: IO[bytes], text: Path, parts: Path, payloads: Path, log: dict[str, Any]) -> None:
        digest, left = hashlib.sha256(), log["size"]
        with text.open("rb") as literal, parts.open("rb") as lines, payloads.open("rb") as shared:
            while line := lines.readline(_LONGEST_LINE):
                before, offset, length = map(int, line.split())
                left -= before + length
                if min(before, offset, length, left) < 0:
                    raise ValueError(line)
                shared.seek(offset)
                for source, wanted in ((literal, before), (shared, length)):
                    for block in _exactly(source, wanted):
                        digest.update(block)
                        out.write(block)
                self._look()
            while block := literal.read(_PIECE):
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != log["sha256"]:
            raise ValueError(log["name"])

    def _write(self, member: str, target: Path, most: int) -> None:
        with target.open("xb" if target.name == RUN_FILE else "wb") as out:
            for number, block in enumerate(self._blocks(member, most)):
                if number % _BLOCKS == 0 and (free := shutil.disk_usage(self._folder).free) < SPARE:
                    raise RecordingError(f"needs more room to unpack than there is: {free >> 20} MB are free.")
                out.write(block)

    def _blocks(self, member: str, most: int) -> Iterator[bytes]:
        """Yield what a member holds: not more than `most` bytes, and not more than is left for the whole pack."""
        if _window(self._zip, member) > _LARGEST_WINDOW:
            raise _TooLarge
        with self._zip.open(member) as stream:
            while block := stream.read(_BLOCK):
                most -= len(block)
                self._left -= len(block)
                if most < 0 or self._left < 0:
                    raise _TooLarge
                self._look()
                yield block

    def _look(self) -> None:
        if self._check is not None:
            self._check()


def _window(opened: zipfile.ZipFile, member: str) -> int:
    """Return how many bytes of memory LZMA asks for to unpack a member; 0 for other ways. Raises struct.error."""
    info = opened.getinfo(member)
    if info.compress_type != zipfile.ZIP_LZMA or opened.filename is None:
        return 0
    with open(opened.filename, "rb") as stream:  # noqa: PTH123 - it may be a name that is not text
        stream.seek(info.header_offset + _HEADER.size - _LENGTHS.size)
        stream.seek(sum(_LENGTHS.unpack(stream.read(_LENGTHS.size))), 1)
        return int(_LZMA.unpack(stream.read(_LZMA.size))[-1])


def _safe(name: object) -> str:
    """Return a name of a log as it is; raise when it could be a place outside of a folder."""
    if not isinstance(name, str) or len(name) > 1000 or not _NAME.fullmatch(name):  # noqa: PLR2004
        raise _Unsafe(repr(name)[:100])
    parts = name.split("/")
    if name == RUN_FILE or any(part.strip(" .") in ("", "..") or part.startswith(".") for part in parts):
        raise _Unsafe(repr(name)[:100])
    return name


def _exactly(stream: IO[bytes], length: int) -> Iterator[bytes]:
    while length > 0:
        block = stream.read(min(length, _PIECE))
        if not block:
            raise EOFError
        length -= len(block)
        yield block
