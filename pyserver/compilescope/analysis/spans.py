"""The spans that torch times (`chromium_event`): a begin and an end of the same name on one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.ours import mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from compilescope.recording.reader import Event, Recording


class Span(NamedTuple):
    """One span that ended: `event` is its end, `depth` the number of spans it lies in among those asked for."""

    event: Event
    name: str
    seconds: float
    depth: int


def spans(recording: Recording, label: str, without: Collection[int] = ()) -> Iterator[Span]:
    """Yield the spans whose names fit a pattern (`pass.*`), in the order in which they ended.

    `without`: processes whose spans are not wanted.
    """
    open_: dict[tuple[int, str, str], list[tuple[float, int]]] = {}
    for event in recording.events("chromium_event", label=label):
        if event.process in without:
            continue
        data = mapping(recording.json(event))
        name, time = text(data.get("name")), number(data.get("ts"))
        if name is None or time is None:
            continue
        key = (event.process, str(data.get("tid")), name)
        if data.get("ph") == "B":
            depth = sum(len(starts) for (process, tid, _), starts in open_.items() if (process, tid) == key[:2])
            open_.setdefault(key, []).append((time, depth))
        elif data.get("ph") == "E" and open_.get(key):
            start, depth = open_[key].pop()
            yield Span(event, name, max(time - start, 0.0) / 1e6, depth)
