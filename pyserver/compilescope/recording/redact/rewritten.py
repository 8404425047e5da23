"""Writes the logs of a recording anew without what is to be left out. Two readings: what is there, then the writing.

What could not be read could not be looked at, so it goes; a record in which something still shows goes as a whole.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from compilescope.recording.envelope import Record
from compilescope.recording.files import LogFile, plain_name, unrotated
from compilescope.recording.log import Position, payload_text, scan
from compilescope.recording.redact.hidden_names import Names
from compilescope.recording.redact.hidden_paths import Paths
from compilescope.recording.redact.hidden_source import SourceText, is_program
from compilescope.recording.redact.redaction import NAMES, PATHS, PAYLOADS, SOURCE, LeftOut, Redaction
from compilescope.recording.redact.split import bridged, joined, splits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# Where in torch an event was written says nothing that its name does not.
_HEAD = "V{} {} torch/_logging/structured.py:1] "
_LOG_NAME = re.compile(r"(dedicated_log_torch_trace(?:_rank_\d+)?(?:_\w+)?|.*?)(\.log(?:\.\d+)?)", re.DOTALL)
# Fields that hold a folder, or a file whatever its name; and lists of arguments.
_PATH_FIELDS = frozenset(
    {
        *("cwd", "python", "file", "main_file", "torch_root", "library_roots", "str"),
        *("filename", "file_path", "co_filename", "fail_user_frame_filename"),
    }
)
_ARGUMENTS = frozenset({"argv", "command"})
_SPANS = "chromium_event"


class StillShown(Exception):
    """Something that is to be left out stands in a text in a way in which it can't be."""


class Rewriting:
    """Leaves out of logs, and of what `run.json` says, what `redaction` asks for."""

    def __init__(self, redaction: Redaction, check: Callable[[], None] | None = None) -> None:
        kinds = redaction.kinds
        self.left_out = LeftOut()
        self._check = check
        self._payloads, self._hides_files = PAYLOADS in kinds, NAMES in kinds
        self._source = SourceText() if SOURCE in kinds else None
        self._names = Names(redaction.hidden, own=PATHS in kinds)
        self._paths = Paths(files=NAMES in kinds) if PATHS in kinds else None
        self._own_names: dict[str, str] = {}
        self._log_folders: dict[str, str] = {}
        self._sought: list[re.Pattern[str]] = []
        self._sought_in_pieces: list[re.Pattern[str]] = []
        self._hide_text = lru_cache(maxsize=1 << 14)(self._hidden)

    def read(self, logs: Iterable[LogFile], info: dict[str, Any] | None) -> None:
        """Note all that is to be hidden: it may stand anywhere."""
        if info is not None:
            self._meet(info)
            self._take(info, str(info.get("cwd") or ""))
        cwd = str((info or {}).get("cwd") or "")
        for log in logs:
            for record, envelope, payload in self._records(log):
                self._meet(envelope, payload)
                self._take(envelope, cwd)
                if record.name == _SPANS or not payload:
                    continue
                cwd = self._take_payload(record, payload, cwd)
        for part in (self._source, self._paths):
            if part is not None:
                part.ready()
        if self._paths is not None:
            for folder in self._paths.folders:
                self._names.take_path(folder)
                self._names.take_folder(folder)
            for name in sorted(self._paths.files):
                (self._names.take_folder if self._hides_files else self._names.keep)(name.partition(".")[0])
        self._names.ready()
        self._sought = [*self._names.sought, *(self._paths.sought if self._paths is not None else [])]
        self._sought_in_pieces = [*self._sought, *(self._source.sought if self._source is not None else [])]

    def _meet(self, value: dict[str, Any], payload: bytes = b"") -> None:
        """Note which of the texts that were named to be hidden are there."""
        if not self._names.unmet:
            return
        for text in (json.dumps(value, ensure_ascii=False), payload_text(payload)):
            for one in (text, *(split.text for split in splits(text))):
                self._names.meet(one)

    def write(self, log: LogFile, number: int, folder: Path) -> LogFile:
        """Write a log anew as a file of `folder`; `number`: which of the recording's."""
        path = folder / f"{number}.log"
        with path.open("wb") as out:
            for record, envelope, payload in self._records(log, count=True):
                self._write(out, record, envelope, payload)
        return LogFile(self._log_name(plain_name(log.name)), path, log.rank)

    def value(self, value: Any) -> Any:
        """Return a JSON value without what is to be left out."""
        if isinstance(value, str):
            return self._hide_text(value)
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            if self._source is not None and isinstance(value.get("loc"), str):  # a frame of a stack, or its locals
                value = {key: one for key, one in value.items() if key != "loc"}
            return {self._hide_text(key): self.value(one) for key, one in value.items()}
        return value

    def info(self, info: dict[str, Any]) -> dict[str, Any]:
        """Return what `run.json` says without what is to be left out; arguments stand in a payload, too."""
        kept: dict[str, Any] = self.value(info)
        return kept | {"command": []} if self._payloads and "command" in kept else kept

    def finished(self) -> LeftOut:
        """Return what was left out."""
        self.left_out.lines = len(self._source.lines) if self._source is not None else 0
        self.left_out.folders = len(self._paths) if self._paths is not None else 0
        self.left_out.names = len(self._names)
        self.left_out.unmet = self._names.unmet
        return self.left_out

    def _records(self, log: LogFile, *, count: bool = False) -> Iterator[tuple[Record, dict[str, Any], bytes]]:
        """Yield the records of a log with their envelopes and their payloads as they stand there."""
        with log.path.open("rb") as stream, log.path.open("rb") as parts:
            for number, item in enumerate(scan(parts)):
                if self._check is not None and not number % 64:
                    self._check()
                if isinstance(item, Record):
                    stream.seek(item.envelope_offset)
                    try:
                        envelope = json.loads(stream.read(item.envelope_length).decode(errors="replace"))
                    except (ValueError, RecursionError):
                        envelope = None
                    stream.seek(item.payload_offset)
                    if isinstance(envelope, dict):
                        yield item, envelope, stream.read(item.payload_length)
                        continue
                if count and not (isinstance(item, Position) and item.pending is None):
                    self.left_out.damaged += 1

    def _take(self, value: Any, cwd: str, field: str = "") -> None:
        """Note what is to be hidden of a JSON value."""
        if isinstance(value, str):
            self._take_text(value, cwd, field)
        elif isinstance(value, list):
            for one in value:
                self._take(one, cwd, field)
        elif isinstance(value, dict):
            if self._source is not None and isinstance(value.get("loc"), str):
                self._source.take(value["loc"])
            for key, one in value.items():
                if self._paths is not None and ("/" in key or "\\" in key):
                    self._paths.take_value(key)
                self._take(one, cwd, key)

    def _take_text(self, text: str, cwd: str, field: str) -> None:
        for split in splits(text):
            self._take_text(split.text, cwd, "")
        is_path = field in _PATH_FIELDS and "\n" not in text
        if self._source is not None:
            self._source.take_quoted(text)
            if is_path:
                self._source.take_file(text)
        if self._paths is None:
            return
        self._names.take_text(text)
        if "/" in text or "\\" in text:
            self._names.take_path(text)
            (self._paths.take_field if is_path else self._paths.take_value)(text)
            if field in _ARGUMENTS:
                self._paths.take_relative(text.rpartition("=")[2], cwd)

    def _take_payload(self, record: Record, payload: bytes, cwd: str) -> str:
        """Note what is to be hidden of a payload; return the folder that the program runs in."""
        text = payload_text(payload, record.checksum)
        value = _json(text)
        if value is None:
            self._take(text, cwd)
        elif record.name == "compilescope_environment" and isinstance(value, dict):
            cwd = str(value.get("cwd") or cwd)
        if self._source is not None:
            if is_program(record.name):
                self._source.take(text if record.name == "dump_file" else "")
            elif record.name == "compilescope_source" and isinstance(value, dict):
                self._source.take(str(value.get("text") or ""))
                value = {key: one for key, one in value.items() if key != "text"}
        if value is not None:
            self._take(value, cwd)
        return cwd

    def _write(self, out: IO[bytes], record: Record, envelope: dict[str, Any], payload: bytes) -> None:
        head = _HEAD.format(record.timestamp, record.pid)
        try:
            kept = self.value(envelope)
        except StillShown:
            self.left_out.withheld += 1
            return
        withheld = False
        try:
            text = self._payload(record, payload)
        except StillShown:
            text, withheld = None, True
        if text is not None and self._shows(text):
            text, withheld = None, True
        if text is not None:
            kept["has_payload"] = hashlib.md5(text.encode(errors="replace"), usedforsecurity=False).hexdigest()
        elif payload or self._payloads:
            kept.pop("has_payload", None)
        line = head + json.dumps(kept)
        if self._shows(line):
            self.left_out.withheld += 1
            return
        self.left_out.withheld += withheld
        body = "" if text is None else "\n\t" + text.replace("\n", "\n\t")
        self.left_out.kept_events += 1
        self.left_out.kept_payloads += bool(body)
        self.left_out.kept_bytes += len(body)
        out.write(f"{line}{body}\n".encode(errors="replace"))

    def _payload(self, record: Record, payload: bytes) -> str | None:
        """Return what is left of a payload; None for nothing."""
        if not payload:
            return None
        of_program = self._source is not None and is_program(record.name)
        if self._payloads or of_program:
            self.left_out.payloads += 1
            self.left_out.payload_bytes += len(payload)
            return None
        text = payload_text(payload, record.checksum)
        value = _json(text)
        if value is None:
            return self._hide_text(text)
        removed = self._source is not None and record.name == "compilescope_source" and isinstance(value, dict)
        if removed:
            value = {key: one for key, one in value.items() if key != "text"}
        kept = self.value(value)
        return text if kept == value and not removed else json.dumps(kept)

    def _hidden(self, text: str) -> str:
        text = joined(text, self._hidden)
        if bridged(text, self._sought_in_pieces):
            raise StillShown
        if self._source is not None:
            text = self._source.hide(text)
        if self._paths is not None:
            text = self._paths.hide(text)
        return self._names.hide(text)

    def _shows(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in self._sought)

    def _log_name(self, name: str) -> str:
        """Return the name of a log: folders go, and a name that is not torch's, since both may tell something."""
        if self._paths is None:
            return name
        folder, _, own = name.rpartition("/")
        match = _LOG_NAME.fullmatch(own)
        assert match is not None
        if not match[1].startswith("dedicated_log_torch_trace"):
            first = self._own_names.setdefault(unrotated(own), f"log-{len(self._own_names) + 1}")
            own = first + match[2]
        if not folder:
            return own
        return f"{self._log_folders.setdefault(folder, f'folder-{len(self._log_folders) + 1}')}/{own}"


def _json(text: str) -> Any:
    """Return the JSON value that a payload is; None when it is none."""
    if not text.startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
