"""Reads a recording: its events in order, their fields and payloads, and what could not be read."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from compilescope.recording.decode import decode
from compilescope.recording.error import RecordingError
from compilescope.recording.event import DamagedPlace, Event
from compilescope.recording.files import (
    LEFT_OUT,
    RUN_FILE,
    LogFile,
    by_age,
    check_all,
    is_other,
    log_file,
    log_name,
    log_paths,
    rank_of,
    unrotated,
)
from compilescope.recording.files import check as check_path
from compilescope.recording.index import Index
from compilescope.recording.log import payload_text
from compilescope.recording.mapping import PathMapping
from compilescope.recording.processes import Shared, log_number
from compilescope.recording.streams import Streams
from compilescope.recording.unpack import is_pack
from compilescope.recording.unpacked import Unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from compilescope.recording.pieces import Readers
    from compilescope.recording.rows import Row

Source: TypeAlias = "Path | Sequence[Path]"
"""What is opened: a recording, a log or a folder of logs, or several logs that are one recording."""
_PROGRAM_TEXTS = {"dump_file", "compilescope_source"}
"""Events whose payload holds the text of a file, in which nothing is replaced."""


class Recording:
    """A recording that is open for reading. Payloads may be read from any thread, all else from one at a time."""

    def __init__(
        self,
        root: Path,
        check: Callable[[], None] | None = None,
        logs: Sequence[Path] | None = None,
        readers: Readers | None = None,
    ) -> None:
        self.path = root
        self.paths = PathMapping()
        """What the paths of the log are here; applied to all that is read of it but program texts."""
        self._only = logs
        self._check = check
        self._unpacked = Unpacked(root, check)
        self._reading_damage: dict[tuple[int, int], str] = {}
        self._nameless: dict[int, tuple[int, int, int]] = {}
        self._files: dict[str, LogFile] = {}
        self._named: dict[str, LogFile] = {}
        self._others: list[DamagedPlace] = []
        self._streams = Streams()
        self._strings: dict[int, tuple[PathMapping, dict[int, str]]] = {}
        self.logs: dict[int, LogFile] = {}
        self.oldest: dict[int, int] = {}
        """The number of the oldest rotation of a log by those of the others; empty where none was rotated."""
        self.shared: dict[int, Shared] = {}
        """The processes of logs that several wrote, by the number of the log's oldest rotation."""
        self._root = self._unpacked.contents()
        self.left_out = self._unpacked.left_out
        """The kinds of things that were left out of it on request, when it was packed."""
        try:
            place = self._root if logs is None else _place_of(root, logs)
            self._index = Index(place, self._find_logs(), check, readers)
        except BaseException:
            self._unpacked.close()
            raise
        try:
            self.refresh()
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        path: str | Source,
        check: Callable[[], None] | None = None,
        readers: Readers | None = None,
    ) -> Recording:
        """Open a recording folder, a pack of one, a TORCH_TRACE log (also .gz, .zst), several, or a folder of them.

        Raise `RecordingError` when there is nothing readable at `path`. `check` is called now and then while logs are
        read; what it raises ends that. `readers`: what reads them first, if it has begun.
        """
        if isinstance(path, (str, Path)):
            root = Path(path).absolute()
            if not is_pack(root):
                check_path(root)
            return cls(root, check, readers=readers)
        logs = [one.absolute() for one in path]
        check_all(logs)
        return cls(Path(os.path.commonpath([one.parent for one in logs])), check, logs, readers)

    def close(self) -> None:
        """Close the index and remove what was unpacked."""
        self._streams.close()
        self._index.close()
        self._unpacked.close()

    def __enter__(self) -> Recording:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> int:
        """Read what was appended since; return the number of new events."""
        self._streams.close()
        self._strings.clear()
        self._nameless.clear()
        self._reading_damage.clear()  # told again where it is still so: the rest of a log may have come
        logs = self._find_logs()
        new = self._index.update(logs)
        self._named = by_name = {log.name: log for log in logs}
        self.logs = {number: by_name[name] for number, name in self._index.log_names().items() if name in by_name}
        self.oldest = _oldest({log.name: number for number, log in self.logs.items()}, logs)
        turns = self._index.turns()
        self.shared = {log: Shared(turns, rotated) for log, rotated in turns.shared(self.oldest).items()}
        return new

    def events(
        self, *names: str, compile_id: str | None = None, label: str | Sequence[str] | None = None
    ) -> Iterator[Event]:
        """Yield the events with one of `names` (all without), in order, those of all attempts of `compile_id`.

        `label` narrows spans (`chromium_event`) to names of a pattern, `pass.*`, or of one of several.
        """
        for row in self._index.rows.find(names, compile_id, (label,) if isinstance(label, str) else label or ()):
            process = self._process(row)
            if process is not None:
                yield Event(self, row, process)

    def _process(self, row: Row) -> int | None:
        """Return the number of the process that wrote an event; None where that can't be told or the log is gone."""
        if row.log not in self.logs:
            return None
        log = self.oldest.get(row.log, row.log)
        shared = self.shared.get(log) if self.shared else None
        return log if shared is None else shared.of(row)

    def log_of(self, process: int) -> LogFile:
        """Return the log that a process wrote, its oldest rotation."""
        return self.logs[log_number(process)]

    def counts(self) -> dict[str, int]:
        """Return how many events of each name there are."""
        return dict(self._index.rows.counts())

    def labels(self) -> Iterator[tuple[str, Event, int]]:
        """Yield the names of spans (`chromium_event`), each with its first event and how many there are."""
        for label, row, count in self._index.rows.labels():
            process = self._process(row)
            if process is not None:
                yield label, Event(self, row, process), count

    def event_at(self, log: str, offset: int) -> Event | None:
        """Return the event whose envelope starts at byte `offset` of the log with this name; None if there is none."""
        row = next((self._index.rows.at(number, offset) for number, one in self.logs.items() if one.name == log), None)
        process = None if row is None else self._process(row)
        return None if row is None or process is None else Event(self, row, process)

    def payload(self, event: Event) -> str:
        """Return an event's payload as text; empty if it has none or the log is gone."""
        text = self.written(event)
        return text if event.name in _PROGRAM_TEXTS else self.paths.text(text)

    def written(self, event: Event) -> str:
        """Return an event's payload with its paths as the log has them."""
        row = event.raw()
        return payload_text(self._read(row, row.payload_offset, row.payload_length), row.checksum)

    def raw_payload(self, event: Event, most: int | None = None) -> bytes:
        """Return (the first bytes of) an event's payload as it stands in the log, with a tab before each line."""
        row = event.raw()
        length = row.payload_length if most is None else min(row.payload_length, most)
        return self._read(row, row.payload_offset, length)

    def raw_envelope(self, event: Event) -> bytes:
        """Return an event's envelope as it stands in the log."""
        row = event.raw()
        return self._read(row, row.envelope_offset, row.envelope_length)

    def json(self, event: Event) -> Any:
        """Return an event's payload as JSON; None when it is none."""
        row = event.raw()
        try:
            is_program = event.name in _PROGRAM_TEXTS
            text = self.written(event)
            value = decode(text if is_program else self.paths.json(text))
        except (ValueError, RecursionError):
            if row.payload_length or "payloads" not in self.left_out:
                self._reading_damage[row.log, row.payload_offset] = "the payload is not JSON"
            return None
        if is_program and isinstance(value, dict) and isinstance(value.get("file"), str):
            value["file"] = self.paths.path(value["file"])
        return value

    def envelope(self, row: Row) -> dict[str, Any]:
        """Return the envelope that `row` points at."""
        raw = self._read(row, row.envelope_offset, row.envelope_length)
        try:
            value = json.loads(raw.decode(errors="replace"))
        except (ValueError, RecursionError):
            return {}
        return self.paths.value(value) if isinstance(value, dict) else {}

    def strings(self, process: int) -> dict[int, str]:
        """Return the file names that a process's events give by number."""
        known = self._strings.get(process)
        if known is None or known[0] is not self.paths:
            shared = self.shared.get(log_number(process))
            found = self._index.strings(process) if shared is None else shared.strings(process)
            for later, oldest in self.oldest.items() if shared is None else ():
                if oldest == process:
                    found |= self._index.strings(later)
            known = (self.paths, {number: self.paths.path(file) for number, file in found.items()})
            self._strings[process] = known
        return known[1]

    def stack(self, event: Event, key: str = "stack") -> list[dict[str, Any]]:
        """Return a stack of an event of torch's, outermost frame first, as `{"file", "line", "function"}`."""
        names = self.strings(event.process)
        frames = event.fields.get(key) or event.envelope.get(key)
        if not isinstance(frames, list):
            return []
        found = []
        for frame in frames:
            if isinstance(frame, dict) and isinstance(number := frame.get("filename"), int):
                if number not in names:
                    row = event.raw()
                    self._nameless.setdefault(event.process, (row.log, row.envelope_offset, number))
                file = names.get(number, "<unknown>")
                found.append({"file": file, "line": frame.get("line"), "function": frame.get("name")})
        return found

    @property
    def is_stale(self) -> bool:
        """Whether it was unpacked from a file that another one has taken the place of."""
        return self._unpacked.is_stale

    def begin_to_compare(self) -> None:
        """Have the payloads of a large log compared with their checksums meanwhile; `damage` waits for that."""
        self._index.begin_to_compare({number: log.path for number, log in self.logs.items()})

    @property
    def damage(self) -> list[DamagedPlace]:
        """What could not be read so far; all payloads are compared with their checksums for it."""
        self._index.compare({number: log.path for number, log in self.logs.items()})
        places = [DamagedPlace(name, *damage) for name, damage in self._index.damage() if name in self._named]
        seen = {(place.log, place.offset) for place in places}
        for log, offset, number in self._nameless.values():
            self._reading_damage[log, offset] = f"no name of a file has the number {number}: it is lost"
        for (log, offset), problem in self._reading_damage.items():
            name = self.logs[log].name if log in self.logs else "?"
            if (name, offset) not in seen:
                places.append(DamagedPlace(name, offset, problem))
        shared = [one for told in self.shared.values() for one in told.damage]
        places += [DamagedPlace(self.logs[log].name, *damage) for log, damage in shared if log in self.logs]
        return places + self._others

    @property
    def info(self) -> dict[str, Any] | None:
        """What `run.json` says; None for a foreign trace or when it can't be read."""
        file = self._root / RUN_FILE
        try:
            value = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
        except (OSError, ValueError, RecursionError):
            return None
        return self.paths.value(value) if isinstance(value, dict) else None

    @property
    def ranks(self) -> list[int]:
        """The ranks that wrote logs, sorted."""
        return sorted({rank for _, rank in self.processes().values() if rank is not None})

    def processes(self) -> dict[int, tuple[int | None, int | None]]:
        """Return process id and rank by the numbers of the processes, as far as they are known."""
        known = self._index.processes()
        found = {}
        for number, log in self.logs.items():
            if number in self.oldest:
                continue
            if number in self.shared:
                for one in self.shared[number].processes:
                    found[one.number] = (one.pid, log.rank if one.rank is None else one.rank)
                continue
            pid, rank = known.get(number, (None, None))
            found[number] = (pid, rank if log.rank is None else log.rank)
        return found

    def state(self) -> str:
        """Return a text that changes when the recording's events do."""
        return self._index.state()

    def _find_logs(self) -> list[LogFile]:
        logs, others = [], []
        try:
            paths = log_paths(self._root) if self._only is None else by_age(self._only)
        except OSError:
            paths = []
        for path in paths:
            if self._check is not None:
                self._check()
            known = self._files.get(str(path))
            if known is None and self._only is None and is_other(path):
                others.append(path)
                continue
            known = known or self._log_file(path)
            if known.path.exists():
                logs.append(known)
        self._others = list(_left_out(self._root, others)) if logs else []
        return logs or [LogFile(log_name(self._root, path), path, None) for path in others]

    def _log_file(self, path: Path) -> LogFile:
        try:
            found = log_file(self._root, path, self._unpacked.folder, self._check)
        except OSError:  # the index tells why, and it is tried again
            return LogFile(log_name(self._root, path), path, rank_of(path))
        self._files[str(path)] = found
        return found

    def _read(self, row: Row, offset: int, length: int) -> bytes:
        if row.log not in self.logs or not length:
            return b""
        return self._streams.read(row.log, self.logs[row.log].path, offset, length)


def _left_out(root: Path, others: list[Path]) -> Iterator[DamagedPlace]:
    """Yield that files beside logs are left out; what is empty may still become one."""
    for path in others:
        with contextlib.suppress(OSError):
            if path.stat().st_size:
                yield DamagedPlace(log_name(root, path), 0, LEFT_OUT)


def _place_of(root: Path, logs: Sequence[Path]) -> Path:
    """Return a path for the index of some of a folder's logs: none that is there, so the index goes to the cache."""
    return root / ("compilescope-" + hashlib.sha256(b"\n".join(map(os.fsencode, sorted(logs)))).hexdigest()[:16])


def _oldest(numbers: dict[str, int], logs: list[LogFile]) -> dict[int, int]:
    """Return the number of the oldest rotation for each other one. `logs`: the oldest rotation of each first."""
    first: dict[str, int] = {}
    found = {}
    for log in logs:
        number = numbers.get(log.name)
        if number is None:  # it could not be opened
            continue
        oldest = first.setdefault(unrotated(log.name), number)
        if oldest != number:
            found[number] = oldest
    return found


__all__ = ["DamagedPlace", "Event", "Recording", "RecordingError", "Source"]
