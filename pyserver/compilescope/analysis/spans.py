"""The spans that torch times (`chromium_event`): a begin and an end of the same name on one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.ours import mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from compilescope.recording.reader import Event, Recording


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
        data = mapping(recording.json(event))
        name, time = text(data.get("name")), number(data.get("ts"))
        if name is None or time is None:
            continue
        stack = open_.setdefault((event.process, str(data.get("tid"))), [])
        if data.get("ph") == "B":
            stack.append((name, time))
        elif data.get("ph") == "E":
            place = next((place for place in reversed(range(len(stack))) if stack[place][0] == name), None)
            if place is not None:
                start = stack.pop(place)[1]
                within = tuple(outer for outer, _ in stack[:place])
                yield Span(event, name, max(time - start, 0.0) / 1e6, within)
