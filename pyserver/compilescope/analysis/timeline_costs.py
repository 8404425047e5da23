"""What the time of the compiles went into, by line of the program.

A span that is about one line counts for that line, with what lies in it; the rest counts for whole graphs. Time in
which a thread waits for compilers counts for what they compiled meanwhile, in equal parts; what they did while nobody
waited took nobody's time. So all costs add up to the time in which threads compiled.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from compilescope.analysis.timeline_model import Cost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.timeline_model import Line, Stage, Timeline, TimeSpan

_WHAT: dict[Stage, str] = {
    "capture": "tracing Python",
    "aot": "joint graph, partition",
    "pass": "passes",
    "lower": "lowering, fake tensors",
    "codegen": "scheduling, code",
    "compiler": "loading, kernels of several lines",
    "wait": "waiting",
    "guard": "building guards",
    "execute": "running",
}

_Key = tuple["str | None", "Line | None", "Stage"]


def costs(timeline: Timeline) -> list[Cost]:
    """Return the costs, the dearest first."""
    found: dict[_Key, float] = defaultdict(float)
    lines: list[Line | None] = []
    workers = _Workers(timeline)
    for span in timeline.spans:
        lane = timeline.lanes[span.lane]
        line = span.line or (lines[span.parent] if span.parent is not None else None)
        lines.append(line)
        if lane.kind != "thread" or span.own <= 0:
            continue
        left = span.own
        for worker, seconds in workers.during(lane.process, span) if span.stage == "wait" else ():
            taken = min(seconds, left)
            found[span.compile_id, worker.line, worker.stage] += taken
            left -= taken
        found[span.compile_id, line, span.stage] += left
    table = [
        Cost(compile_id, line, "" if line else _WHAT[stage], stage, seconds)
        for (compile_id, line, stage), seconds in found.items()
        if seconds > 0
    ]
    return sorted(table, key=lambda one: -one.seconds)


class _Workers:
    """What the compilers of each process did when."""

    def __init__(self, timeline: Timeline) -> None:
        self._spans: dict[int, list[TimeSpan]] = defaultdict(list)
        for span in timeline.spans:
            lane = timeline.lanes[span.lane]
            if lane.kind == "worker":
                self._spans[lane.process].append(span)

    def during(self, process: int, wait: TimeSpan) -> Iterator[tuple[TimeSpan, float]]:
        """Yield what was compiled during a wait, with its share: at each moment the same for all that ran."""
        running = [one for one in self._spans.get(process, ()) if one.start < wait.end and one.end > wait.start]
        times = sorted({wait.start, wait.end, *(one.start for one in running), *(one.end for one in running)})
        for begin, end in pairwise(times):
            if begin < wait.start or end > wait.end:
                continue
            now = [one for one in running if one.start <= begin and one.end >= end]
            for one in now:
                yield one, (end - begin) / len(now)
