"""The timeline of a run, for the timeline panel."""

from __future__ import annotations

from typing import Generic, TypeVar

from compilescope.analysis.sources import Sources
from compilescope.analysis.timeline_model import STAGES, Line, Timeline, TimeSpan
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.passes import compile_infos
from compilescope.lsp.shapes.timeline import (
    TimelineCost,
    TimelineLane,
    TimelineMark,
    TimelineParams,
    TimelinePlace,
    TimelineResult,
    TimelineSpans,
    TimelineStage,
    TimelineStep,
)

T = TypeVar("T")

_MICRO = 1e6
_NONE = -1
_STAGES = {stage: number for number, stage in enumerate(STAGES)}
LONGEST_LINE = 500


def timeline(opened: OpenRecording, _params: TimelineParams) -> TimelineResult:
    """All spans of a recording in columns, with lanes, marks and costs."""
    with opened.timeline() as (found, sources):
        compiles = compile_infos(opened.result())
        titles = {one.id: one.title for one in compiles}
        ids = dict.fromkeys([*titles, *(one.compile_id for one in found.spans if one.compile_id is not None)])
        return _result(found, sources, list(ids), [titles.get(one, one) for one in ids])


class _Table(Generic[T]):
    """Values, each once, by their places."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._places: dict[T, int] = {}

    def place(self, value: T | None) -> int:
        """The place of a value; -1 for none."""
        if value is None:
            return _NONE
        if value not in self._places:
            self._places[value] = len(self.values)
            self.values.append(value)
        return self._places[value]

    def place_or_none(self, value: T | None) -> int | None:
        """The place of a value, null for none."""
        return None if value is None else self.place(value)


def _result(found: Timeline, sources: Sources, compiles: list[str], titles: list[str]) -> TimelineResult:
    texts, places = _Table[str](), _Table[Line]()
    spans = _columns(found.spans, texts, places)
    marks = [
        TimelineMark(_micro(one.time), one.kind, one.text, one.process, one.compile_id, places.place_or_none(one.line))
        for one in found.marks
    ]
    costs = [
        TimelineCost(one.compile_id, places.place_or_none(one.line), one.what, _STAGES[one.stage], _micro(one.seconds))
        for one in found.costs
    ]
    return TimelineResult(
        time=_micro(found.seconds),
        running=found.running,
        compiles=compiles,
        compile_titles=titles,
        stages=[TimelineStage(key, title) for key, title in STAGES.items()],
        texts=texts.values,
        places=[TimelinePlace(one.file, one.line, _text(sources, one)) for one in places.values],
        lanes=[TimelineLane(one.name, one.kind, one.process, one.pid, one.rank, one.rows) for one in found.lanes],
        spans=spans,
        open=[number for number, one in enumerate(found.spans) if one.open],
        steps=[
            TimelineStep(
                number, step.order, step.nodes_before, step.nodes_after, step.changed, step.custom, step.snapshot
            )
            for number, step in enumerate(one.step for one in found.spans)
            if step is not None
        ],
        marks=marks,
        costs=costs,
        capture=found.parts.get("capture"),
        compile=found.parts.get("compile"),
        guard=found.parts.get("guard"),
        execute=found.parts.get("execute"),
        overhead=found.overhead,
    )


def _columns(spans: list[TimeSpan], texts: _Table[str], places: _Table[Line]) -> TimelineSpans:
    starts = [_micro(one.start) for one in spans]
    return TimelineSpans(
        lane=[one.lane for one in spans],
        row=[one.row for one in spans],
        parent=[_NONE if one.parent is None else one.parent for one in spans],
        start=starts,
        time=[_micro(one.end) - start for one, start in zip(spans, starts, strict=True)],
        own=[max(_micro(one.own), 0) for one in spans],
        stage=[_STAGES[one.stage] for one in spans],
        name=[texts.place(one.name) for one in spans],
        label=[texts.place(one.label) for one in spans],
        compile=[texts.place(one.compile_id) for one in spans],
        graph=[texts.place(one.graph) for one in spans],
        kernel=[texts.place(one.kernel) for one in spans],
        place=[places.place(one.line) for one in spans],
    )


def _micro(seconds: float) -> int:
    return round(seconds * _MICRO)


def _text(sources: Sources, line: Line) -> str:
    source = sources.get(line.file)
    text = source.line(line.line) if source else None
    return (text or "").strip()[:LONGEST_LINE]
