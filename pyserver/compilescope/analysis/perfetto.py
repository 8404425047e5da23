"""A timeline as a trace that Perfetto opens (Chrome's trace event format, JSON)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from compilescope.analysis.timeline_model import STAGES

if TYPE_CHECKING:
    from compilescope.analysis.timeline_model import Mark, Timeline, TimeSpan

_MICRO = 1e6


def render(timeline: Timeline) -> str:
    """Return the trace: a process for each of the run, a thread for each lane, an instant for each mark."""
    events = [*_names(timeline)]
    events += [_span(timeline, span) for span in timeline.spans]
    events += [_mark(timeline, mark) for mark in timeline.marks]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, separators=(",", ":"), ensure_ascii=False)


def _names(timeline: Timeline) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, lane in enumerate(timeline.lanes):
        process = f"rank {lane.rank}" if lane.rank is not None else f"process {lane.pid or lane.process}"
        base = {"ph": "M", "pid": lane.process, "tid": number}
        found.append({**base, "name": "process_name", "args": {"name": process}})
        found.append({**base, "name": "thread_name", "args": {"name": lane.name}})
        found.append({**base, "name": "thread_sort_index", "args": {"sort_index": number}})
    return found


def _span(timeline: Timeline, span: TimeSpan) -> dict[str, Any]:
    args: dict[str, Any] = {
        "compile_id": span.compile_id,
        "name": span.name,
        "graph": span.graph,
        "kernel": span.kernel,
    }
    if span.line is not None:
        args["line"] = f"{span.line.file}:{span.line.line}"
    if span.step is not None:
        args |= {"nodes_before": span.step.nodes_before, "nodes_after": span.step.nodes_after}
        args["changed"] = span.step.changed
    return {
        "ph": "X",
        "name": span.label,
        "cat": STAGES[span.stage],
        "ts": round(span.start * _MICRO, 3),
        "dur": round(span.seconds * _MICRO, 3),
        "pid": timeline.lanes[span.lane].process,
        "tid": span.lane,
        "args": {key: value for key, value in args.items() if value is not None},
    }


def _mark(timeline: Timeline, mark: Mark) -> dict[str, Any]:
    lane = next((number for number, one in enumerate(timeline.lanes) if one.process == mark.process), 0)
    base = {"ph": "i", "s": "g", "name": mark.text, "cat": mark.kind, "pid": mark.process, "tid": lane}
    return {**base, "ts": round(mark.time * _MICRO, 3)}
