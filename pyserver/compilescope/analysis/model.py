"""What the analysis says about a recording: the shapes of `--format json`, schema version 1.

The editor, the command line and the reports all show these and derive nothing of their own.
A `range` is LSP's: lines and characters count from 0, characters are UTF-16 code units. A plain `line` counts from 1,
as Python and torch print it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from compilescope.analysis.breakdown import Share
    from compilescope.analysis.caches import Lookup
    from compilescope.analysis.collectives import GraphCollectives
    from compilescope.analysis.coverage_model import FunctionCoverage
    from compilescope.analysis.exports_model import Export
    from compilescope.analysis.guards import GuardTree, Trees
    from compilescope.analysis.kernel_model import CudaGraph, Eliminated, FusionDecision, Hint, Kernel, TritonKernel
    from compilescope.analysis.profile_model import Profile
    from compilescope.analysis.ranks_model import Ranks
    from compilescope.analysis.symbols import Specialization, Symbol
    from compilescope.analysis.torch_records import Link, Restart, ShapeGuard
    from compilescope.analysis.versions import Versions

SCHEMA_VERSION = 1

Rule = Literal[
    "graph-break",
    "frame-skipped",
    "recompile",
    "recompile-limit",
    "fallback-op",
    "compile-error",
    "graph-break-error",
    "slow-compile",
    "pass-inert",
    "unknown-log-name",
    "export-issue",
]
Severity = Literal["error", "warning", "information", "hint"]
FindingClass = Literal[
    "guard", "control-flow", "backend-operator", "configuration", "python-feature", "library-code", "other"
]
Stage = Literal["capture", "aot", "compile", "guard", "execute"]


@dataclass(frozen=True)
class Position:
    """A place in a file, counted from 0 in UTF-16 code units."""

    line: int
    character: int


@dataclass(frozen=True)
class Range:
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position


@dataclass(frozen=True)
class StackFrame:
    """One frame of a finding's stack. `line` counts from 1."""

    file: str
    line: int
    function: str
    in_user_code: bool
    range: Range | None = None


@dataclass(frozen=True)
class Edit:
    """A replacement of `range` in `file` by `text`."""

    file: str
    range: Range
    text: str


@dataclass(frozen=True)
class Fix:
    """A change that may remove the finding.

    `kind`: which sort of change (docs/fixes.md). `preferred`: the one to take when asked for a fix, at most one of a
    finding. `note`: what it changes for the program, where it does. `verified`: what came of it when it was tried out
    (docs/findings.md), null when it was not.
    """

    title: str
    edits: list[Edit]
    kind: str = ""
    preferred: bool = False
    note: str = ""
    verified: dict[str, Any] | None = None


@dataclass
class Finding:
    """One cause on one line, with everything that it did. docs/findings.md says what `detail` holds."""

    rule: Rule
    severity: Severity
    file: str | None
    range: Range
    title: str
    explanation: str
    reason: str
    class_: FindingClass
    stage: Stage
    code: str
    href: str | None
    compile_ids: list[str] = field(default_factory=list)
    count: int = 1
    cost_s: float = 0.0
    frames: list[StackFrame] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass
class Compile:
    """One compile of one frame. `line` counts from 1, as torch's logs do. `resumed`: a piece after a graph break.

    `function` is the code's own name, `qualname` that of a method with its class: `Energy.forward`.
    """

    id: str
    function: str
    file: str
    line: int
    status: Literal["ok", "failed", "skipped", "running"]
    attempts: int
    seconds: dict[str, float]
    graph: dict[str, int]
    guards: int | None
    cache: str | None
    resumed: bool = False
    calls: dict[str, int] = field(default_factory=dict)
    """How often its graphs ran, by direction: `forward`, `backward`, `inference`, or `dynamo` of another backend."""
    qualname: str = ""
    step: str | None = None
    """What its process was doing with it when the log ended, `code generation`; None for all that did not end it."""
    empty: bool = False
    """Whether torch threw its graph away, as nothing was in it: `graph` has what torch counted before."""


@dataclass
class Match:
    """One match of a pattern: the nodes that it took, those made for it, and the places of the first."""

    pattern: str
    function: str | None
    target: str
    nodes: list[str]
    created: list[str]
    places: list[Place] = field(default_factory=list)


@dataclass(frozen=True)
class UnrunPass:
    """A pass of the program's that was registered in `slot` and did not run in a compile (in any, without an id)."""

    compile_id: str | None
    slot: str
    function: str
    file: str | None
    line: int | None
    cause: str | None
    reason: str


@dataclass(frozen=True)
class GraphCode:
    """Which file has the code that Inductor wrote for a graph; `event`: its number in the recording."""

    compile_id: str
    graph: str
    file: str
    event: int


@dataclass
class Pass:
    """One step of one graph. `delta` is (|V1| - |V2|) + (|E1| - |E2|): positive when the graph shrank.

    `kind`: a `pass`, a `phase` of the compiler that is none, or a `gap`: a change that nothing observed. `source`: the
    graph that `before` is of, when that is another one. `slot`: where the program registered it.
    """

    compile_id: str
    graph: str
    phase: str
    name: str
    order: int
    depth: int
    seconds: float
    nodes_before: int | None
    nodes_after: int | None
    edges_before: int | None
    edges_after: int | None
    delta: int | None
    changed: bool
    custom: bool
    before: str | None = None
    after: str | None = None
    function: str | None = None
    file: str | None = None
    line: int | None = None
    gap: bool = False
    error: str | None = None
    kind: str = "pass"
    source: str | None = None
    slot: str | None = None
    message: str | None = None
    matches: list[Match] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """A range in a file."""

    file: str
    range: Range


@dataclass(frozen=True)
class Refusal:
    """Why the function or module that was to be traced could not be called. `code` is stable, `detail` may be empty."""

    code: str
    title: str
    detail: str


@dataclass(frozen=True)
class UnknownIgnore:
    """A name in a `# compilescope: ignore[name]` that no finding can have. `line` counts from 1."""

    file: str
    line: int
    name: str


@dataclass
class LineTime:
    """What the compiles spent on one line (`analysis/lines.py`). `line` counts from 1.

    `seconds` has `total` and its parts as in `Compile.seconds`; `operations` are those that Dynamo captured there.
    """

    file: str
    line: int
    operations: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    compile_ids: list[str] = field(default_factory=list)


@dataclass
class Run:
    """What was run and how it ended. Null where the recording does not say.

    `disabled_by`: the environment variable that turned torch.compile off. `stance`: that of `torch.compiler.set_stance`
    when the program ended, if it was not the usual one. `silent`: no process said what it is. `refused`: why the target
    was not called. `ignored`: how many findings the program marks as ones to ignore; they are left out.
    `unknown_ignores`: names in such marks that mean nothing.
    """

    command: list[str]
    cwd: str | None
    python: str | None
    torch: str | None
    exit_code: int | None
    wall_s: float | None
    recording: str
    depth: str | None
    ranks: list[int]
    unavailable: list[dict[str, str]]
    status: str = "finished"
    started: str | None = None
    damage: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """The kinds of things that were left out of the recording on request (`compilescope pack --redact`)."""
    disabled_by: str | None = None
    stance: str | None = None
    silent: bool = False
    refused: Refusal | None = None
    ignored: int = 0
    unknown_ignores: list[UnknownIgnore] = field(default_factory=list)


@dataclass
class Result:
    """Everything that was found in one recording."""

    run: Run
    findings: list[Finding]
    compiles: list[Compile]
    passes: list[Pass]
    kernels: list[Kernel]
    metrics: dict[str, float | int | None]
    eliminated: list[Eliminated] = field(default_factory=list)
    fusion: list[FusionDecision] = field(default_factory=list)
    cudagraphs: list[CudaGraph] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)
    triton: list[TritonKernel] = field(default_factory=list)
    guards: list[GuardTree] = field(default_factory=list)
    trees: Trees | None = field(default=None, repr=False, compare=False)
    symbols: list[Symbol] = field(default_factory=list)
    specializations: list[Specialization] = field(default_factory=list)
    versions: list[Versions] = field(default_factory=list)
    caches: list[Lookup] = field(default_factory=list)
    lines: list[LineTime] = field(default_factory=list)
    profile: Profile | None = None
    metrics_by_function: list[Share] = field(default_factory=list)
    metrics_by_file: list[Share] = field(default_factory=list)
    unrun: list[UnrunPass] = field(default_factory=list)
    code: list[GraphCode] = field(default_factory=list)
    coverage: list[FunctionCoverage] = field(default_factory=list)
    ranks: Ranks | None = None
    exports: list[Export] = field(default_factory=list)
    collectives: list[GraphCollectives] = field(default_factory=list)
    restarts: list[Restart] = field(default_factory=list)
    shape_guards: list[ShapeGuard] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    logged: dict[str, dict[int, str]] = field(default_factory=dict)
    """Lines as the log has them, by file and number from 1, of files with findings whose text nobody has."""
    missing: list[str] = field(default_factory=list)
    """Files of the program that are not here, by their names in the log; without those whose place was given."""
