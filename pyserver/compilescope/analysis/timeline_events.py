"""The times that a recording has, each with the thread that it is of.

Torch's spans (`chromium_event`, torch/_dynamo/utils.py `ChromiumEventLogger`, 2.6 to 2.14), and what our tracer adds:
passes with their start, the lowering of nodes and the code generation of kernels (`compilescope_times`), calls of
compiled graphs. All times are seconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.recording.reader import Event, Recording

COMPILE_FILE = "compile_file"
PASSES = "pass."
MAIN = 0
UNKNOWN_WORKER = -1
"""The thread of C++ compiles whose thread is not recorded: torch alone writes 0 for all."""
_LOG_TIME = "%Y %m%d %H:%M:%S.%f"
_TAKE_OVER = {"source", "kernels", "kernel_name", "compile_id", "what"}


@dataclass
class Interval:
    """A span as it was recorded. `end` is None while it runs. `event`: the number of the event that began it."""

    process: int
    thread: int
    name: str
    start: float
    end: float | None
    event: Event
    data: dict[str, Any] = field(default_factory=dict)
    times: int = 1


def torch_spans(recording: Recording) -> list[Interval]:
    """Return torch's spans in the order in which they began."""
    found: list[Interval] = []
    open_: dict[tuple[int, int], list[Interval]] = {}
    for event in recording.events("chromium_event"):
        data = ours.mapping(recording.json(event))
        name, time = ours.text(data.get("name")), ours.duration(data.get("ts"))
        if name is None or time is None or data.get("ph") not in ("B", "E"):
            continue
        thread = ours.integer(data.get("tid")) or MAIN
        if name == COMPILE_FILE and thread == MAIN and event.base_id is None and open_.get((event.process, MAIN)):
            thread = UNKNOWN_WORKER
        stack = open_.setdefault((event.process, thread), [])
        if data["ph"] == "B":
            args = ours.mapping(data.get("args"))
            kept = {key: args[key] for key in _TAKE_OVER & args.keys()}
            span = Interval(event.process, thread, name, time / 1e6, None, event, kept)
            _begin(stack, span, found)
        else:
            _end(stack, name, time / 1e6)
    return found


def _begin(stack: list[Interval], span: Interval, found: list[Interval]) -> None:
    if span.thread == UNKNOWN_WORKER and stack:
        stack[-1].times += 1  # which of them ends first is not recorded: they are one span
        stack[-1].data["open"] = stack[-1].data.get("open", 1) + 1
        return
    stack.append(span)
    found.append(span)


def _end(stack: list[Interval], name: str, time: float) -> None:
    place = next((place for place in reversed(range(len(stack))) if stack[place].name == name), None)
    if place is None:
        return
    span = stack[place]
    if span.data.get("open", 1) > 1:
        span.data["open"] -= 1
        return
    for one in stack[place:]:
        one.end = max(time, one.start)
    del stack[place:]


def passes(recording: Recording) -> Iterator[Interval]:
    """Yield the passes whose start is recorded; their thread is not."""
    for event in recording.events("compilescope_pass"):
        data = ours.mapping(recording.json(event))
        start, seconds = ours.duration(data.get("start")), ours.duration(data.get("seconds"))
        if start is not None and seconds is not None and data.get("kind") == "pass":
            name = ours.text(data.get("name")) or "?"
            yield Interval(event.process, MAIN, name, start, start + seconds, event, data)


def parts(recording: Recording) -> Iterator[Interval]:
    """Yield the lowering of each node (`data` has its `node` and `frame`) and the code generation of each `kernel`."""
    for event in recording.events("compilescope_times"):
        data = ours.mapping(recording.json(event))
        since, graph = ours.duration(data.get("since")), ours.text(data.get("graph")) or ""
        if since is None:
            continue
        frames = list(map(ours.frame, ours.items(data.get("frames"))))
        for name, kind in (("lowering", "node"), ("codegen", "kernel")):
            for one in ours.items(data.get(name)):
                match one:
                    case [what, frame, start, duration]:
                        begun, took = ours.duration(start), ours.duration(duration)
                        if begun is None or took is None:
                            continue
                        place = ours.integer(frame)
                        known = frames[place] if place is not None and 0 <= place < len(frames) else None
                        about = {kind: ours.text(what), "frame": known, "graph": graph}
                        first = since + begun / 1e6
                        yield Interval(event.process, MAIN, name, first, first + took / 1e6, event, about)


def calls(recording: Recording) -> Iterator[Interval]:
    """Yield the calls of compiled graphs that were timed. They are written when they end."""
    clocks = _clocks(recording)
    for event in recording.events("compilescope_call"):
        data = ours.mapping(recording.json(event))
        seconds, ended = ours.duration(data.get("seconds")), _logged(event)
        if event.process in clocks and seconds is not None and ended is not None:
            end = ended + clocks[event.process]
            name = ours.text(data.get("graph")) or "?"
            yield Interval(event.process, MAIN, name, end - seconds, end, event, data)


def ends(recording: Recording) -> dict[int, float]:
    """Return when the last event of each process was written, as far as its clock is known."""
    clocks = _clocks(recording)
    found: dict[int, float] = {}
    for event in recording.events("compilescope_exit"):
        ended = _logged(event)
        if ended is not None and event.process in clocks:
            found[event.process] = ended + clocks[event.process]
    return found


def _clocks(recording: Recording) -> dict[int, float]:
    """Return what to add to the times in each process's log, which are local: its first span has both."""
    found: dict[int, float] = {}
    for event in recording.events("chromium_event"):
        if event.process in found:
            continue
        logged = _logged(event)
        time = ours.duration(ours.mapping(recording.json(event)).get("ts"))
        if logged is not None and time is not None:
            found[event.process] = time / 1e6 - logged
    return found


def _logged(event: Event) -> float | None:
    """Return the time in the log as seconds of some year."""
    try:
        return (datetime.strptime(f"2000 {event.timestamp}", _LOG_TIME) - datetime(2000, 1, 1)).total_seconds()  # noqa: DTZ001, DTZ007 - only differences count
    except ValueError:
        return None
