"""Hits in what stands in the logs: names of events and spans, their fields, files, sources, and all payloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.load import source_texts
from compilescope.analysis.search.model import Hit, Kind
from compilescope.analysis.search.shown import member, shown, units
from compilescope.recording.log import payload_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from compilescope.analysis.search.query import Matcher
    from compilescope.recording.reader import Event, Recording

    Naming = Callable[[Event], str | None]

SPAN = "chromium_event"
STRING = "str"
_GUARDS = "dynamo_cpp_guards_str"
_COMMENT = "  # "
"""Before the line of the program that made a guard necessary."""


class Written:
    """The logs of one recording, searched; `name` gives an event's compile id, `check` is called for each event."""

    def __init__(self, recording: Recording, matcher: Matcher, name: Naming, check: Callable[[], None]) -> None:
        self._recording = recording
        self._matcher = matcher
        self._name = name
        self._check = check

    def events(self) -> Iterator[Hit]:
        """Yield hits in names of events, in names of spans, then in the fields of single events."""
        counts = self._recording.counts()
        firsts = ((name, next(self._recording.events(name), None), count) for name, count in sorted(counts.items()))
        yield from self._named(firsts)
        yield from self._named(self._recording.labels())
        names = tuple(name for name in counts if name not in {SPAN, STRING})
        for event in self._recording.events(*names) if names else ():
            self._check()
            raw = self._recording.raw_envelope(event)
            if self._matcher.may_be_in(raw):
                for _, line, *match in self._matcher.of([raw.decode(errors="replace")]):
                    for one in self._places(line, *match):
                        yield self._of(event, "event", line, one)

    def _named(self, named: Iterable[tuple[str, Event | None, int]]) -> Iterator[Hit]:
        for name, event, count in named:
            for _, line, start, end in self._matcher.of([name]):
                if event is not None:
                    yield self._of(event, "event", line, (start, end), count=count)

    def guards(self) -> Iterator[Hit]:
        """Yield hits in the guards of each compile, as torch wrote them: what is checked before why it is."""
        for event, found in self._payloads(_GUARDS):
            for number, line, start, end in sorted(found, key=lambda one: 0 <= one[1].find(_COMMENT) < one[2]):
                lead = len(line) - len(line.lstrip("| +-")) if line.startswith(("| ", "+-")) else 0
                lead = min(lead, start)
                kind = line[lead:].partition(":")[0].strip()
                yield self._of(
                    event,
                    "guard",
                    line[lead:],
                    (start - lead, end - lead),
                    name=kind[:40],
                    payload_line=number + 1,
                    lead=lead,
                )

    def sources(self) -> Iterator[Hit]:
        """Yield hits in the program's texts, as they were recorded."""
        for file, text in source_texts(self._recording).items():
            self._check()
            for number, line, start, end in self._matcher.of(text.splitlines()):
                text_, first, last = shown(line, start, end)
                yield Hit(
                    "source",
                    text_,
                    first,
                    last,
                    _base(file),
                    file=file,
                    line=number + 1,
                    column=units(line[:start]) + 1,
                )

    def files(self) -> Iterator[Hit]:
        """Yield hits in the names of files: of stacks, of the program's texts, and of generated code."""
        for file in self._file_names():
            self._check()
            for _, line, start, end in self._matcher.of([file]):
                text, first, last = shown(line, start, end)
                yield Hit("file", text, first, last, _base(file), file=file)

    def _file_names(self) -> Iterator[str]:
        seen: set[str] = set()
        for process in self._recording.processes():
            yield from self._new(sorted(self._recording.strings(process).values()), seen)
        named = {"compilescope_source": ("file",), "inductor_output_code": ("filename",)}
        for event in self._recording.events(*named):
            fields: Any = event.fields
            if event.name == "compilescope_source" and event.has_payload:
                fields = ours.mapping(self._recording.json(event))
            values = (ours.text(fields.get(key)) for key in named[event.name])
            yield from self._new([value for value in values if value], seen)

    def _new(self, names: list[str], seen: set[str]) -> Iterator[str]:
        for name in names:
            if name not in seen:
                seen.add(name)
                yield name

    def texts(self) -> Iterator[Hit]:
        """Yield hits in the lines of all payloads, in the order in which they were written."""
        for event, found in self._payloads():
            for number, line, *match in found:
                for one in self._places(line, *match):
                    yield self._of(event, "text", line, one, payload_line=number + 1)

    def _places(self, line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where in a line there is a hit: at the first match; in a long line of JSON at each key with one."""
        if member(line, start, end) is None:
            yield start, end
            return
        last = 0
        for match in self._matcher.all_in(line) or [(start, end)]:
            if match[0] >= last:
                part = member(line, *match)
                last = part[1] if part is not None else match[1]
                yield match

    def _payloads(self, *names: str) -> Iterator[tuple[Event, list[tuple[int, str, int, int]]]]:
        for event in self._recording.events(*names):
            self._check()
            raw = self._recording.raw_payload(event) if event.has_payload else b""
            if raw and self._matcher.may_be_in(raw):
                yield event, self._matcher.of(lines(raw))

    def _of(
        self,
        event: Event,
        kind: Kind,
        line: str,
        match: tuple[int, int],
        *,
        name: str | None = None,
        payload_line: int | None = None,
        lead: int = 0,
        count: int = 1,
    ) -> Hit:
        text, start, end = shown(line, *match)
        log, offset = place(self._recording, event)
        return Hit(
            kind,
            text,
            start,
            end,
            event.name if name is None else name,
            compile_id=self._name(event),
            event=event.name,
            log=log,
            offset=offset,
            payload_line=payload_line,
            column=None if payload_line is None else units(line[: match[0]]) + 1 + lead,
            count=count,
        )


def lines(raw: bytes) -> Iterator[str]:
    """Yield the lines of a payload as it stands in the log."""
    for line in payload_text(raw).split("\n"):
        yield line.removesuffix("\r")


def place(recording: Recording, event: Event) -> tuple[str, int]:
    """Return the log that an event stands in, and at which byte."""
    row = event.raw()
    return recording.logs[row.log].name, row.envelope_offset


def _base(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]
