"""The shapes of `compilescope/timeline` on the wire (a part of `protocol`). Times are whole microseconds."""

from __future__ import annotations

from attrs import frozen


@frozen
class TimelineParams:
    """The timeline of a recording."""

    recording: str


@frozen
class TimelineLane:
    """A thread, a thread that only compiles kernels (`worker`), or the calls of compiled graphs (`calls`)."""

    name: str
    kind: str
    process: int
    pid: int | None
    rank: int | None
    rows: int


@frozen
class TimelinePlace:
    """A line of the program, from 1, with its text where it is known."""

    file: str
    line: int
    text: str


@frozen
class TimelineMark:
    """Something that happened at one moment: `first`, `recompile`, `failure` or `end`; `text` says what."""

    time: int
    kind: str
    text: str
    process: int
    compile_id: str | None
    place: int | None


@frozen
class TimelineStage:
    """A stage of a compile, as a word and as it is called."""

    key: str
    title: str


@frozen
class TimelineStep:
    """What a pass, a span, did to its graph. `order`: of the pass in its process. `snapshot`: the graph after it."""

    span: int
    order: int
    nodes_before: int | None
    nodes_after: int | None
    changed: bool
    custom: bool
    snapshot: str | None


@frozen
class TimelineCost:
    """Time of one stage of one compile: of a place, or of the whole graph, and then `what` says of what."""

    compile_id: str | None
    place: int | None
    what: str
    stage: int
    time: int


@frozen
class TimelineSpans:
    """Spans in columns, by lane and start, a parent before what lies in it.

    `name` (torch's), `label` (ours), `compile`, `graph` and `kernel` are places in `TimelineResult.texts`, `stage` and
    `place` in its lists of that name; -1 for none. `parent` is a span. `own`: time that no span in it took.
    """

    lane: list[int]
    row: list[int]
    parent: list[int]
    start: list[int]
    time: list[int]
    own: list[int]
    stage: list[int]
    name: list[int]
    label: list[int]
    compile: list[int]
    graph: list[int]
    kernel: list[int]
    place: list[int]


@frozen
class TimelineResult:
    """`time`: from the first to the last moment. `open`: spans that had not ended.

    `capture`, `compile`, `guard`, `execute`: the parts of T_total in seconds, where known. `overhead`: tracing overhead
    as a share. `running`: more may come.
    """

    time: int
    running: bool
    compiles: list[str]
    compile_titles: list[str]
    stages: list[TimelineStage]
    texts: list[str]
    places: list[TimelinePlace]
    lanes: list[TimelineLane]
    spans: TimelineSpans
    open: list[int]
    steps: list[TimelineStep]
    marks: list[TimelineMark]
    costs: list[TimelineCost]
    capture: float | None
    compile: float | None
    guard: float | None
    execute: float | None
    overhead: float | None
