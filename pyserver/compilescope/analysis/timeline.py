"""The timeline of a recording: every span that has a recorded begin and end, by thread, with what each is about.

Nothing here is worked out from durations: what has no recorded start is not in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from compilescope.analysis import timeline_costs, timeline_events, timeline_marks
from compilescope.analysis.analyse import context_of
from compilescope.analysis.timeline_about import About
from compilescope.analysis.timeline_events import COMPILE_FILE, MAIN, PASSES, UNKNOWN_WORKER
from compilescope.analysis.timeline_model import Lane, Timeline, TimeSpan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Result
    from compilescope.analysis.timeline_events import Interval
    from compilescope.recording.reader import Recording

# Spans that say no more than the one around them, which is as long.
_FOLDED = frozenset({"entire_frame_compile", "inductor_compile", "fx_codegen_and_compile", "code_gen"})
_ATTEMPT = "compile_attempt_"
# A clock that is further off than this from most others is not one.
_FARTHEST = 30 * 24 * 3600.0
# How many of the spans before a moment may still run then, when they are those that no other is around.
_NEAR = 8

Key = tuple[int, int]
"""A process and a thread."""


def timeline(recording: Recording, result: Result, context: Context | None = None) -> Timeline:
    """Return the timeline of a recording whose analysis is `result`; one without lanes when nothing has a time."""
    context = context or context_of(recording)
    found = Timeline(
        running=result.run.status == "running",
        parts=_parts(result),
        overhead=result.metrics.get("tracing_overhead"),
    )
    spans = timeline_events.torch_spans(recording)
    spans, calls = _sane(spans, spans), _sane(timeline_events.calls(recording), spans)
    if not spans:
        return found
    found.started = min(one.start for one in [*spans, *calls])
    last = max(one.start if one.end is None else one.end for one in [*spans, *calls])
    found.seconds = last - found.started
    about = About(context, result, spans)
    by_thread = _by_thread(recording, spans)
    for process in sorted({key[0] for key in by_thread}, key=lambda one: (_rank(context, one) or 0, one)):
        _add_process(found, context, about, {key[1]: by_thread[key] for key in by_thread if key[0] == process}, process)
        _add_calls(found, context, about, [one for one in calls if one.process == process], process)
    _name(found)
    found.marks = timeline_marks.marks(found, context)
    found.costs = timeline_costs.costs(found)
    return found


# --- which thread ---------------------------------------------------------------------------------------------------


def _by_thread(recording: Recording, spans: list[Interval]) -> dict[Key, list[Interval]]:
    """Return the spans of each thread, those of torch and ours, without those that say nothing."""
    retried = {(one.process, one.event.base_id) for one in spans if one.name == f"{_ATTEMPT}1"}
    passes = list(timeline_events.passes(recording))
    passing = {one.process for one in passes}
    found: dict[Key, list[Interval]] = defaultdict(list)
    for one in spans:
        if one.name in _FOLDED or (one.process in passing and one.name.startswith(PASSES)):
            continue
        if one.name.startswith(_ATTEMPT) and (one.process, one.event.base_id) not in retried:
            continue
        found[one.process, one.thread].append(one)
    threads = _Threads(found)
    for one in [*passes, *timeline_events.parts(recording)]:
        if (thread := threads.of(one)) is not None:
            found[one.process, thread].append(one)
    return found


class _Threads:
    """In which thread of its process something was: the one with a span of torch around it."""

    def __init__(self, found: dict[Key, list[Interval]]) -> None:
        self._spans: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
        for (process, thread), intervals in found.items():
            outer = float("-inf")
            for one in () if _is_worker(intervals) else sorted(intervals, key=lambda one: one.start):
                last = float("inf") if one.end is None else one.end
                if last > outer:
                    self._spans[process].append((one.start, last, thread))
                    outer = last
        for spans in self._spans.values():
            spans.sort()

    def of(self, one: Interval) -> int | None:
        """Return the thread; None when no span of torch is around."""
        spans = self._spans.get(one.process, [])
        place = bisect_right(spans, (one.start, float("inf"), 0))
        near = reversed(spans[max(place - _NEAR, 0) : place])
        return next((thread for start, end, thread in near if start <= one.start < end), None)


def _is_worker(intervals: Iterable[Interval]) -> bool:
    return all(one.name == COMPILE_FILE and one.event.base_id is None for one in intervals)


def _sane(intervals: Iterable[Interval], spans: Sequence[Interval]) -> list[Interval]:
    """Return intervals without those whose clock is not the one of most `spans`."""
    if not spans:
        return []
    middle = sorted(one.start for one in spans)[len(spans) // 2]

    def is_near(time: float | None) -> bool:
        return time is None or abs(time - middle) < _FARTHEST

    return [one for one in intervals if is_near(one.start) and is_near(one.end)]


# --- lanes ----------------------------------------------------------------------------------------------------------


def _add_process(
    found: Timeline, context: Context, about: About, threads: dict[int, list[Interval]], process: int
) -> None:
    """Add a lane for each thread: those that compile graphs, then those that compile only kernels."""
    ended = (found.started or 0.0) + found.seconds

    def place(thread: int) -> tuple[bool, bool, float]:
        return _is_worker(threads[thread]), thread != MAIN, min(one.start for one in threads[thread])

    for thread in sorted(threads, key=place):
        lane = _lane(context, process, "worker" if _is_worker(threads[thread]) else "thread", thread)
        found.lanes.append(lane)
        _nest(found, about, lane, threads[thread], ended)


def _nest(found: Timeline, about: About, lane: Lane, intervals: list[Interval], ended: float) -> None:
    """Add the spans of a thread, each in the last one that began before it and has not ended."""
    number, started = len(found.lanes) - 1, found.started or 0.0
    stack: list[int] = []
    intervals.sort(key=lambda one: (one.start, -(ended if one.end is None else one.end)))
    for one in intervals:
        start = one.start - started
        end = max((ended if one.end is None else one.end) - started, start)
        while stack and found.spans[stack[-1]].end <= start:
            stack.pop()
        parent = found.spans[stack[-1]] if stack else None
        if parent is not None:
            end = min(end, parent.end)  # it began in there: a later end is the clock's
            parent.own -= end - start
        span = TimeSpan(number, one.name, one.name, "capture", start, end, row=len(stack), open=one.end is None)
        span.parent = stack[-1] if stack else None
        span.own = span.seconds
        about.tell(span, one, parent)
        stack.append(len(found.spans))
        found.spans.append(span)
        lane.rows = max(lane.rows, len(stack))


def _add_calls(found: Timeline, context: Context, about: About, calls: list[Interval], process: int) -> None:
    if not calls:
        return
    found.lanes.append(_lane(context, process, "calls", MAIN))
    started, last = found.started or 0.0, 0.0
    for one in sorted(calls, key=lambda one: one.start):
        start = max(one.start - started, last)  # one that lies in another begins where that does
        last = max((one.end or one.start) - started, start)
        span = TimeSpan(len(found.lanes) - 1, "call", "call", "execute", start, last, own=last - start)
        about.tell(span, one, None)
        found.spans.append(span)


def _lane(context: Context, process: int, kind: str, thread: int) -> Lane:
    known = context.facts.processes.get(process)
    return Lane("", kind, process, known.pid if known else None, _rank(context, process), thread)  # type: ignore[arg-type]


def _rank(context: Context, process: int) -> int | None:
    known = context.facts.processes.get(process)
    return known.rank if known else None


def _name(found: Timeline) -> None:
    """Name the lanes, with their process where there are several."""
    several = len({lane.process for lane in found.lanes}) > 1
    counts: dict[tuple[int, str], int] = defaultdict(int)
    for lane in found.lanes:
        counts[lane.process, lane.kind] += 1
        number = counts[lane.process, lane.kind]
        if lane.kind == "calls":
            name = "Graph calls"
        elif lane.kind == "worker":
            name = "Compilers" if lane.thread == UNKNOWN_WORKER else f"Worker {number}"
        else:
            name = "Main thread" if lane.thread == MAIN else f"Thread {number}"
        process = f"Rank {lane.rank}" if lane.rank is not None else f"Process {lane.pid or lane.process}"
        lane.name = f"{process} · {name}" if several else name


def _parts(result: Result) -> dict[str, float]:
    names = {"capture": "capture_s", "compile": "compile_s", "guard": "guard_s", "execute": "execute_s"}
    known = {part: result.metrics.get(name) for part, name in names.items()}
    return {part: float(value) for part, value in known.items() if value is not None}
