"""The spans that torch times (`chromium_event`): a begin and an end of the same name on one thread."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.ours import mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from compilescope.recording.reader import Event, Recording

# How torch begins and ends the JSON of a span; what stands between may be long.
_FIRST = re.compile(rb'\s*\{\s*"name": "([^"\\\x00-\x1f]*)",\s*"ts": (\d{1,16}\.\d{1,9}),')
_LAST = re.compile(rb'\},\s*"ph": "(\w)",\s*"cat": "[^"\\]*",\s*"tid": (\d{1,9}),\s*"pid": \d{1,9}\s*\}\s*$')
_ENDING = 200


class Span(NamedTuple):
    """One span that ended: `event` is its end, `within` the names of those it lies in, among those asked for."""

    event: Event
    name: str
    seconds: float
    within: tuple[str, ...]

    @property
    def depth(self) -> int:
        """The number of spans it lies in."""
        return len(self.within)


def spans(recording: Recording, *labels: str, without: Collection[int] = ()) -> Iterator[Span]:
    """Yield the spans whose names fit one of the patterns (`pass.*`), in the order in which they ended.

    `without`: processes whose spans are not wanted.
    """
    open_: dict[tuple[int, str], list[tuple[str, float]]] = {}
    for event in recording.events("chromium_event", label=labels):
        if event.process in without:
            continue
        name, time, kind, thread = _told(recording, event)
        if name is None or time is None:
            continue
        stack = open_.setdefault((event.process, thread), [])
        if kind == "B":
            stack.append((name, time))
        elif kind == "E":
            place = len(stack) - 1
            while place >= 0 and stack[place][0] != name:
                place -= 1
            if place >= 0:
                start = stack.pop(place)[1]
                within = tuple([outer for outer, _ in stack[:place]])
                yield Span(event, name, max(time - start, 0.0) / 1e6, within)


def _told(recording: Recording, event: Event) -> tuple[str | None, float | None, object, str]:
    """Return name, microseconds, kind (`B`, `E`) and thread of a span's begin or end."""
    said = recording.raw_payload(event)
    if (first := _FIRST.match(said)) and (last := _LAST.search(said, max(len(said) - _ENDING, 0))):
        return str(first[1], errors="replace"), float(first[2]), str(last[1], "ascii"), str(last[2], "ascii")
    data = mapping(recording.json(event))
    return text(data.get("name")), number(data.get("ts")), data.get("ph"), str(data.get("tid"))
