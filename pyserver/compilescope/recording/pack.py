"""Writes a recording as one file: a zip in which equal payloads stand once. The same recording gives the same bytes.

Members: `manifest.json` (what is inside, with sizes and checksums), `payloads` (every large payload once), and for each
log `N.text` (the bytes between those payloads) and `N.parts` (a line `TEXT OFFSET LENGTH` for each payload: so many
bytes of text come before it, and where it stands in `payloads`). `run.json` says what it did. What is to be left out is
left out of the logs before they are taken apart.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from compilescope.recording.files import RUN_FILE, plain_name
from compilescope.recording.log import Record, scan
from compilescope.recording.placed import mode_of, placed
from compilescope.recording.reader import Recording, Source
from compilescope.recording.redact.redaction import KINDS, LeftOut, Redaction
from compilescope.recording.redact.rewritten import Rewriting
from compilescope.recording.unpack import FORMAT, MANIFEST, PAYLOADS, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.recording.files import LogFile

SMALLEST = 512
"""Bytes of a payload that is worth a place of its own: smaller ones stay where they are."""
# Time of a member: the first that a zip can hold, so that it says nothing.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_COPY = 1 << 20
_CALLED = "compilescope_environment"
"""The event that says what the program was called with."""


@dataclass(frozen=True)
class Packed:
    """What became of a recording: bytes of its logs and of the file, and how many payloads were there already.

    `kinds`: what is not in it, from this time or before; `left_out`: how much, when something was to be left out.
    `arguments`: whether it says what the program was called with.
    """

    logs: int
    file: int
    repeated: int
    kinds: tuple[str, ...] = ()
    left_out: LeftOut | None = None
    arguments: bool = False


class _Payloads:
    """Payloads in a file, each once."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._end = stream, 0
        self._places: dict[bytes, tuple[int, int]] = {}
        self.repeated = 0
        self.arguments = False
        """Whether one says what the program was called with."""

    def place(self, payload: bytes) -> tuple[int, int]:
        """Where `payload` stands, offset and length in bytes; it is written when it is new."""
        digest = hashlib.blake2b(payload, digest_size=20).digest()
        known = self._places.get(digest)
        if known is not None:
            self.repeated += 1
            return known
        self._stream.write(payload)
        place = self._places[digest] = (self._end, len(payload))
        self._end += len(payload)
        return place


def pack(
    path: Source, file: Path, check: Callable[[], None] | None = None, redaction: Redaction | None = None
) -> Packed:
    """Write the recording at `path` as `file`, without what `redaction` says.

    Memory is bounded by a few times the largest record, and by 200 bytes for each payload that is kept once (with a
    redaction also by the program's text and its folders). A file that is there is replaced once the new one is whole,
    the one that a link leads to rather than the link; what is there and no file (a device, a pipe) is written to. Who
    may read the logs may read the new file.

    Raises RecordingError for what is no recording and OSError when something can't be written. `check` is called now
    and then; what it raises ends that.
    """
    with ExitStack() as stack:
        recording = stack.enter_context(Recording.open(path, check))
        logs, info, left_out = sorted(recording.logs.values(), key=lambda log: log.name), recording.info, None
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="compilescope-pack-")))
        size_before = sum(log.path.stat().st_size for log in logs)
        kinds = list(recording.left_out)
        if redaction:
            kinds = [kind for kind in KINDS if kind in redaction.kinds or kind in kinds]
            rewriting = Rewriting(redaction, check)
            rewriting.read(logs, info)
            logs = [rewriting.write(log, number, spool) for number, log in enumerate(logs)]
            info, left_out = None if info is None else rewriting.info(info), rewriting.finished()
        with placed(file, mode_of(path)) as stream, zipfile.ZipFile(stream, "w", compression()) as out:
            payloads = _write(out, spool, logs, info, kinds, check=check)
            out.close()
            size = stream.seek(0, os.SEEK_END)
    arguments = payloads.arguments or bool(info and info.get("command"))
    return Packed(size_before, size, payloads.repeated, tuple(kinds), left_out, arguments)


def compression() -> int:
    """LZMA, or deflate where Python was built without it."""
    try:
        import lzma  # noqa: F401, PLC0415 - an optional part of Python
    except ImportError:
        return zipfile.ZIP_DEFLATED
    return zipfile.ZIP_LZMA


def _write(
    out: zipfile.ZipFile,
    spool: Path,
    logs: list[LogFile],
    info: dict[str, Any] | None,
    left_out: list[str],
    *,
    check: Callable[[], None] | None,
) -> _Payloads:
    """Write all members; return the payloads."""
    described: list[dict[str, Any]] = []
    with (spool / PAYLOADS).open("wb") as stream:
        payloads = _Payloads(stream)
        for number, log in enumerate(logs):
            texts, parts = spool / f"{number}.text", spool / f"{number}.parts"
            with texts.open("wb") as text, parts.open("wb") as lines:
                size, digest = _split(log, payloads, text, lines, check)
            described.append({"name": plain_name(log.name), "size": size, "sha256": digest})
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "payloads": (spool / PAYLOADS).stat().st_size,
        "logs": described,
        **({"left_out": left_out} if left_out else {}),
    }
    _add(out, MANIFEST, json.dumps(manifest, indent=1).encode())
    if info is not None:
        _add(out, RUN_FILE, json.dumps(info, indent=1).encode())
    members = [name for number in range(len(logs)) for name in (f"{number}.text", f"{number}.parts")]
    for member in [*members, PAYLOADS]:
        with (spool / member).open("rb") as stream, out.open(_entry(member), "w", force_zip64=True) as target:
            while block := stream.read(_COPY):
                if check is not None:
                    check()
                target.write(block)
    return payloads


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type, entry.create_system, entry.external_attr = compression(), 3, 0o644 << 16
    return entry


def _add(out: zipfile.ZipFile, name: str, content: bytes) -> None:
    out.writestr(_entry(name), content)


def _split(
    log: LogFile,
    payloads: _Payloads,
    text: IO[bytes],
    lines: IO[bytes],
    check: Callable[[], None] | None,
) -> tuple[int, str]:
    """Write a log as text and payloads; return its size in bytes and its SHA-256."""
    size, before, digest = 0, 0, hashlib.sha256()
    for number, (literal, payload, event) in enumerate(_pieces(log)):
        if check is not None and not number % 256:
            check()
        for part in (literal, payload):
            digest.update(part)
            size += len(part)
        payloads.arguments |= event == _CALLED and bool(payload)
        if len(payload) < SMALLEST:
            text.write(literal + payload)
            before += len(literal) + len(payload)
            continue
        text.write(literal)
        offset, length = payloads.place(payload)
        lines.write(b"%d %d %d\n" % (before + len(literal), offset, length))
        before = 0
    return size, digest.hexdigest()


def _pieces(log: LogFile) -> Iterator[tuple[bytes, bytes, str]]:
    """Yield all of the log in pieces: bytes, and the payload after them with its event's name."""
    with log.path.open("rb") as stream:
        done = 0
        for record in _records(log):
            stream.seek(done)
            for block in _in_blocks(stream, record.payload_offset - done):
                yield block, b"", ""
            yield b"", stream.read(record.payload_length), record.name
            done = record.payload_offset + record.payload_length
        stream.seek(done)
        while block := stream.read(_COPY):
            yield block, b"", ""


def _in_blocks(stream: IO[bytes], length: int) -> Iterator[bytes]:
    while length > 0:
        block = stream.read(min(length, _COPY))
        if not block:
            return
        length -= len(block)
        yield block


def _records(log: LogFile) -> Iterator[Record]:
    with log.path.open("rb") as stream:
        for item in scan(stream):
            if isinstance(item, Record):
                yield item
