"""The write side of a recording: one process's append-only log, in the format of `TORCH_TRACE`.

Standard library only: the tracer uses it inside the user's program.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LOG_PREFIX = "dedicated_log_torch_trace_"
# A lone surrogate, which UTF-8 has no bytes for, is written as JSON writes it: `\ud800`.
_ESCAPE = "backslashreplace"


def _in_words(value: Any) -> Any:
    """What JSON has no word for."""
    return list(value) if isinstance(value, set) else str(value)


def _encoder() -> Callable[[Any], str]:
    """`json.dumps` by the C encoder alone: a third of the calls."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return lambda value: json.dumps(value, default=_in_words)
    encode = make(None, _in_words, json.encoder.encode_basestring_ascii, None, ": ", ", ", False, False, True)  # noqa: FBT003
    return lambda value: "".join(encode(value, 0))


to_json = _encoder()


class LogWriter:
    """Appends records to one process's log; the file is made at the first record.

    Every record is one `write` on a descriptor opened with `O_APPEND`, so that a killed process loses nothing that was
    appended. When the folder can't be written any more the writer falls silent: it never raises.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path: str | None = None
        self._descriptor = -1
        self._identity = (0, 0)
        self._silent = False

    def append(self, envelope: dict[str, Any], payload: str | None, origin: str) -> None:
        """Write one record. `origin` is the `path:line` that made it; `has_payload` is added to the envelope."""
        if payload is not None:
            digest = hashlib.md5(payload.encode(errors=_ESCAPE), usedforsecurity=False).hexdigest()
            envelope["has_payload"] = digest
        self.append_text(to_json(envelope), payload, origin)

    def append_text(self, envelope: str, payload: str | None, origin: str) -> None:
        """Write one record whose envelope is complete and already JSON."""
        if self._silent:
            return
        now = time.time()
        stamp = time.strftime("%m%d %H:%M:%S", time.localtime(now))
        head = f"V{stamp}.{int(now % 1 * 1e6):06d} {os.getpid()} {origin}] {envelope}"
        body = "" if payload is None else "\n\t" + payload.replace("\n", "\n\t")
        data = f"{head}{body}\n".encode(errors=_ESCAPE)
        try:
            self._ensure_open()
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            self._silent = True

    def fork(self) -> LogWriter:
        """A writer for a forked child: the same folder, a log of its own."""
        if self._descriptor >= 0 and self._is_ours():
            os.close(self._descriptor)
        return LogWriter(self.folder)

    def _ensure_open(self) -> None:
        if self._descriptor >= 0:
            if self._is_ours():
                return
            self._open()  # the program closed our descriptor
        else:
            rank = os.environ.get("RANK", "")
            rank = f"rank_{rank}_" if rank.isdecimal() else ""
            name = f"{LOG_PREFIX}{rank}{os.getpid()}_{secrets.token_hex(4)}.log"
            self.path = os.path.join(self.folder, name)  # noqa: PTH118 - no pathlib inside of the program
            self._open()

    def _open(self) -> None:
        assert self.path is not None
        low = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        self._descriptor = _move_high(low)
        status = os.fstat(self._descriptor)
        self._identity = (status.st_dev, status.st_ino)

    def _is_ours(self) -> bool:
        """False when the program closed the descriptor, or closed it and got its number for a file of its own."""
        try:
            status = os.fstat(self._descriptor)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity


def _move_high(descriptor: int) -> int:
    """Leave the low numbers to the program, which may count on them."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)
    except (ImportError, OSError):
        return descriptor
    os.close(descriptor)
    return high
