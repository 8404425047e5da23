"""How often the graphs of each compile ran, how long the first call took, and how long one takes from then on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.analysis.facts import Compiled
    from compilescope.recording.reader import Event, Recording


@dataclass
class Ran:
    """`calls` by direction (`forward`, `backward`, `inference`, `dynamo`), `seconds` as `Compile.seconds` has them."""

    calls: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass
class _Graph:
    where: Compiled
    calls: int = 0
    first: float | None = None
    later: list[float] = field(default_factory=list)


def running(recording: Recording, where: Callable[[Event, str], Compiled]) -> dict[Compiled, Ran]:
    """Return what is known of the calls of each compile's graphs.

    The last record of a process has the counts; without it, they are those of the last call that was timed.
    """
    graphs: dict[tuple[int, str], _Graph] = {}
    for event in recording.events("compilescope_call"):
        data = ours.mapping(recording.json(event))
        name, number = ours.text(data.get("graph")), ours.integer(data.get("call"))
        seconds = ours.duration(data.get("seconds"))
        if name is None or number is None or number < 1 or seconds is None:
            continue
        one = graphs.setdefault((event.process, name), _Graph(where(event, name)))
        one.calls = max(one.calls, number)
        if number == 1:
            one.first = seconds
        else:
            one.later.append(seconds)
    for event in recording.events("compilescope_exit"):
        for name, count in ours.numbers(ours.mapping(recording.json(event)).get("calls")).items():
            one = graphs.setdefault((event.process, name), _Graph(where(event, name)))
            one.calls = max(one.calls, int(count))
    found: dict[Compiled, Ran] = defaultdict(Ran)
    for (_process, name), one in graphs.items():
        ran, direction = found[one.where], name.rpartition("/")[2].partition("#")[0]
        ran.calls[direction] = ran.calls.get(direction, 0) + one.calls
        prefix = "backward_" if direction == "backward" else ""
        for key, seconds in ((f"{prefix}first_call", one.first), (f"{prefix}steady_call", _middle(one.later))):
            if seconds is not None:
                ran.seconds[key] = ran.seconds.get(key, 0.0) + seconds
    return {compiled: ran for compiled, ran in found.items() if compiled.id is not None}


def lookups(recording: Recording) -> list[tuple[int, int]]:
    """Return hits and misses of guards of each process that says, as it last said."""
    found: dict[int, tuple[int, int]] = {}
    for name, key in (("compilescope_call", "lookups"), ("compilescope_exit", "guard_lookups")):
        for event in recording.events(name):
            counts = ours.numbers(ours.mapping(recording.json(event)).get(key))
            if {"hit", "miss"} <= counts.keys():
                found[event.process] = (int(counts["hit"]), int(counts["miss"]))
    return list(found.values())


def _middle(seconds: list[float]) -> float | None:
    from statistics import median  # noqa: PLC0415 - takes its time to load, and few recordings have calls

    return median(seconds) if seconds else None
