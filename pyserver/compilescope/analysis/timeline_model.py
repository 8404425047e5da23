"""The times of a recording: who did what when (`timeline.py`). Seconds count from the start of the timeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Stage = Literal["capture", "aot", "pass", "lower", "codegen", "compiler", "wait", "guard", "execute"]
LaneKind = Literal["thread", "worker", "calls"]
MarkKind = Literal["first", "recompile", "limit", "failure", "end"]

STAGES: dict[Stage, str] = {
    "capture": "Capture",
    "aot": "AOT autograd",
    "pass": "Passes",
    "lower": "Lowering",
    "codegen": "Codegen",
    "compiler": "Kernel compile",
    "wait": "Waiting",
    "guard": "Guards",
    "execute": "Execute",
}
"""What the stages are called, in the order of a compile. `wait` is waiting for compilers in other threads."""


@dataclass(frozen=True)
class Line:
    """A line of the program, from 1."""

    file: str
    line: int


@dataclass
class Lane:
    """A thread, a thread that only compiles kernels, or the calls of compiled graphs. `rows`: how deep it nests."""

    name: str
    kind: LaneKind
    process: int
    pid: int | None
    rank: int | None
    thread: int
    rows: int = 1


@dataclass
class Graphs:
    """What a pass did to its graph, and the graph after it. `order`: its place among the steps of its process."""

    order: int
    nodes_before: int | None
    nodes_after: int | None
    changed: bool
    custom: bool
    snapshot: str | None = None


@dataclass
class TimeSpan:
    """Something that took time. `name` is torch's, `label` ours.

    `lane` and `parent` are places in `Timeline.lanes` and `Timeline.spans`; a span lies in its parent. `own`: seconds
    that none of its children took. `open`: it had not ended when the recording did. `line`: the only line of the
    program that it is about.
    """

    lane: int
    name: str
    label: str
    stage: Stage
    start: float
    end: float
    row: int = 0
    parent: int | None = None
    own: float = 0.0
    open: bool = False
    compile_id: str | None = None
    line: Line | None = None
    graph: str | None = None
    kernel: str | None = None
    step: Graphs | None = None

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


@dataclass(frozen=True)
class Mark:
    """Something that happened at one moment. `text` says what: of a recompile, what failed."""

    time: float
    kind: MarkKind
    text: str
    process: int
    compile_id: str | None = None
    line: Line | None = None


@dataclass(frozen=True)
class Cost:
    """Seconds of one stage of one compile: of a line, or else of the whole graph, and then `what` says of what."""

    compile_id: str | None
    line: Line | None
    what: str
    stage: Stage
    seconds: float


@dataclass
class Timeline:
    """Everything that has a time. `spans` are sorted by lane and start, a parent before its children.

    `started`: when second 0 was, in seconds since 1970; None when there is nothing. `parts`: the seconds of T_total,
    by `capture`, `compile`, `guard` and `execute`, where known. `costs` add up to the compiles' time in `spans`.
    """

    started: float | None = None
    seconds: float = 0.0
    running: bool = False
    lanes: list[Lane] = field(default_factory=list)
    spans: list[TimeSpan] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)
    overhead: float | None = None
