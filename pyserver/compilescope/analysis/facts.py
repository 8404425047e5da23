"""What a recording says happened, in one shape whoever wrote it down: our tracer, or torch alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from compilescope.analysis.model import Refusal

BreakKind = Literal["break", "frame-skipped", "error", "recompile-limit"]


@dataclass(frozen=True)
class Frame:
    """A place in the program. Lines count from 1, columns are UTF-8 bytes from 0; None where not recorded."""

    file: str
    line: int
    function: str = ""
    end_line: int | None = None
    col: int | None = None
    end_col: int | None = None


class Compiled(NamedTuple):
    """Which compile something happened in: the process's log and the compile id without its attempt.

    `reset`: how often `torch._dynamo.reset()` had made the ids start anew before.
    """

    process: int
    id: str | None
    reset: int = 0


@dataclass(frozen=True)
class Break:
    """A graph ended, or a whole frame was given up.

    `gb_type` and `gb_id` are of the cause; `skip_type` and `skip_id` of what then kept torch from going on after it.
    `explanation` is torch's, `order` the number of its event: of two of one process, the later one has the higher.
    """

    where: Compiled
    attempt_id: str | None
    kind: BreakKind
    reason: str
    gb_type: str | None = None
    gb_id: str | None = None
    skip_type: str | None = None
    skip_id: str | None = None
    context: str = ""
    hints: tuple[str, ...] = ()
    user_error: str | None = None
    frames: tuple[Frame, ...] = ()
    above: tuple[Frame, ...] = ()
    code: Frame | None = None
    graph_nodes: int | None = None
    explanation: str = ""
    order: int = 0


@dataclass(frozen=True)
class Failed:
    """Why one existing version, `entry`, did not fit."""

    reason: str
    part: str
    frames: tuple[Frame, ...] = ()
    expression: str | None = None
    old: str | None = None
    new: str | None = None
    entry: str | None = None


@dataclass(frozen=True)
class Version:
    """A version that torch keeps of a frame, by its compile id; `dead`: why no call can use it any more."""

    id: str
    dead: str | None = None


@dataclass(frozen=True)
class Recompile:
    """A frame was compiled again, or would have been (`refused`). `failed` is newest version first.

    `kept`: the versions there were, most recently used first. `counted` and `limits`: how many of them count against
    each of torch's limits, `recompile` and `accumulated`. `region`: of a `torch.compile` call that keeps its own.
    `at_limit`: what one version more comes to: `eager`, `raises by fullgraph`, `raises by config`; empty if unknown.
    `nearest`: of the versions in `failed`, the one that differs least from the new one (`analysis/nearest.py`).
    """

    where: Compiled
    code: Frame
    versions: int
    failed: tuple[Failed, ...]
    above: tuple[Frame, ...] = ()
    refused: bool = False
    kept: tuple[Version, ...] = ()
    counted: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    region: int | None = None
    nearest: str | None = None
    at_limit: str = ""


@dataclass(frozen=True)
class Failure:
    """A stage of a compile failed. `chain` is outermost exception first, as (type, message).

    `called_back`: the frames of the program's own code that torch was running then, `called_by` the file of torch's
    that called it.
    """

    where: Compiled
    stage: str
    class_: str | None
    chain: tuple[tuple[str, str], ...]
    frames: tuple[Frame, ...] = ()
    above: tuple[Frame, ...] = ()
    code: Frame | None = None
    node: str | None = None
    node_target: str | None = None
    node_frame: Frame | None = None
    snapshot: str | None = None
    torch_frame: str | None = None
    backend: str | None = None
    suppressed: bool = False
    called_back: tuple[Frame, ...] = ()
    called_by: str | None = None


@dataclass
class Exit:
    """How a process ended by itself."""

    exit_code: int | None
    exception: tuple[str, str] | None
    frames: tuple[Frame, ...]
    seconds: dict[str, float]
    counters: dict[str, Any]
    calls: dict[str, int]
    guard_lookups: dict[str, int]
    stance: str | None = None


@dataclass
class Process:
    """One process of the run."""

    number: int
    rank: int | None
    pid: int | None
    environment: dict[str, Any] = field(default_factory=dict)
    exit: Exit | None = None


@dataclass
class Facts:
    """Everything the rules look at."""

    processes: dict[int, Process] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    recorded: set[str] = field(default_factory=set)
    """The program's files, also those whose text was left out of the recording."""
    unavailable: list[dict[str, str]] = field(default_factory=list)
    torch_root: str | None = None
    torch_version: str | None = None
    refused: Refusal | None = None
    breaks: list[Break] = field(default_factory=list)
    recompiles: list[Recompile] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    guards: dict[Compiled, tuple[str, ...]] = field(default_factory=dict)
    """What each compile checks, in torch's order, as Python over `L` and `G`."""
