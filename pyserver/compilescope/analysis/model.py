"""What the analysis says about a recording: the shapes of `--format json`, schema version 1.

The editor, the command line and the reports all show these and derive nothing of their own.
A `range` is LSP's: lines and characters count from 0, characters are UTF-16 code units. A plain `line` counts from 1,
as Python and torch print it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from compilescope.analysis.caches import Lookup
    from compilescope.analysis.guards import GuardTree
    from compilescope.analysis.symbols import Specialization, Symbol
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
    """A change that may remove the finding."""

    title: str
    edits: list[Edit]


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


@dataclass
class KernelPart:
    """One loop or call in a kernel: its nodes and where they come from."""

    nodes: list[str]
    places: list[Place]


@dataclass(frozen=True)
class KernelPlace:
    """Where a kernel stands in the code that Inductor wrote to `file`, in lines that count from 1.

    `call_line`: where it is called; the first two are None for a library call.
    """

    file: str
    start_line: int | None
    end_line: int | None
    call_line: int | None


@dataclass
class Kernel:
    """One call of a kernel or library function that a graph became.

    `places`: exactly what of the program it computes; `parts`: the loops that were put into it, if more than one;
    `code`: the name of the file with it. `autotune`: the choices that were measured for it, Triton's with `registers`,
    `spills` and the like where those are known.
    """

    compile_id: str
    graph: str
    name: str
    kind: str
    language: str
    nodes: list[str]
    lines: list[dict[str, Any]]
    operator: str | None = None
    places: list[Place] = field(default_factory=list)
    parts: list[KernelPart] = field(default_factory=list)
    process: int = 0
    code: str | None = None
    source: KernelPlace | None = None
    autotune: dict[str, Any] | None = None


@dataclass(frozen=True)
class FusionDecision:
    """Whether two groups of loops were put into one kernel; `reason`: torch's words against it. `times`: how often."""

    compile_id: str
    graph: str
    first: KernelPart
    second: KernelPart
    fused: bool
    reason: str | None
    times: int


@dataclass(frozen=True)
class CudaGraph:
    """What became of the CUDA graph of a compiled graph: `skip`, `record`, `re-record`, `new-size` or `partition`.

    `count`: recordings so far (`record`, `re-record`), graphs for different sizes (`new-size`), pieces (`partition`).
    `place`: what of the program `reason` is about, where torch says it.
    """

    compile_id: str
    graph: str | None
    what: str
    reason: str | None
    count: int | None
    sizes: list[str]
    place: Place | None = None


@dataclass(frozen=True)
class Hint:
    """A performance hint of torch's, and the node that was being lowered when it came."""

    compile_id: str
    graph: str | None
    text: str
    node: str | None
    place: Place | None


@dataclass(frozen=True)
class Eliminated:
    """A node after the last pass that no kernel computes: why, and the node whose data it has."""

    compile_id: str
    graph: str
    node: str
    why: str
    of: str | None
    place: Place | None


@dataclass(frozen=True)
class TritonKernel:
    """A Triton kernel that a GPU ran or, for a `preview`, would run; `limits` are the preview's, in words.

    `registers` per thread, `spills` in words of four bytes per thread, `shared` in bytes per block. `candidates`:
    configurations that there were to choose from. A `trial` is no kernel of the generated code and has no name: `nodes`
    were put together to measure it. Else, without a `kernel`, it is a graph whose preview failed with `error`.
    """

    compile_id: str
    graph: str
    kernel: str | None
    registers: int | None
    spills: int | None
    shared: int | None
    num_warps: int | None
    num_stages: int | None
    config: dict[str, Any]
    candidates: int | None
    preview: bool
    target: str | None
    limits: list[str]
    error: str | None
    seconds: float | None
    nodes: list[str]
    key: str | None = None
    process: int = 0
    trial: bool = False


@dataclass(frozen=True)
class TritonCode:
    """A Triton kernel's texts by stage: `source`, `ttir`, `ttgir`, `llir`, `ptx` (`amdgcn` on AMD)."""

    kernel: TritonKernel
    texts: dict[str, str]


@dataclass(frozen=True)
class Refusal:
    """Why the function or module that was to be traced could not be called. `code` is stable, `detail` may be empty."""

    code: str
    title: str
    detail: str


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


@dataclass(frozen=True)
class ProfiledOperator:
    """An operator with how often it ran and for how long, in seconds; those that it calls itself are in its time."""

    operator: str
    calls: int
    seconds: float


@dataclass(frozen=True)
class ProfiledGraph:
    """A compiled graph that ran; `operations` is `calls` times those that it has, None where they are not recorded."""

    graph: str
    calls: int
    seconds: float
    operations: int | None


@dataclass
class Profile:
    """What `--profile` counted while nothing was compiling.

    `eager`: operators outside of compiled graphs, `inside`: those that compiled graphs call in ATen. `ended`: why the
    profile does not reach to the program's end.
    """

    seconds: float = 0.0
    ended: str | None = None
    lookups: int = 0
    guard_s: float = 0.0
    eager: list[ProfiledOperator] = field(default_factory=list)
    inside: list[ProfiledOperator] = field(default_factory=list)
    graphs: list[ProfiledGraph] = field(default_factory=list)

    @property
    def eager_operations(self) -> int:
        """Operators that ran in eager."""
        return sum(one.calls for one in self.eager)

    @property
    def compiled_operations(self) -> int | None:
        """Operations that ran in compiled graphs; None where those of one are not recorded."""
        known = [one.operations for one in self.graphs if one.operations is not None]
        return sum(known) if len(known) == len(self.graphs) else None

    @property
    def graph_share(self) -> float | None:
        """The share of compiled graphs in the time of operators and compiled graphs."""
        compiled, eager = (sum(one.seconds for one in each) for each in (self.graphs, self.eager))
        return round(compiled / (compiled + eager), 6) if compiled + eager else None


@dataclass
class Run:
    """What was run and how it ended. Null where the recording does not say.

    `disabled_by`: the environment variable that turned torch.compile off. `refused`: why the target was not called.
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
    disabled_by: str | None = None
    refused: Refusal | None = None


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
    symbols: list[Symbol] = field(default_factory=list)
    specializations: list[Specialization] = field(default_factory=list)
    versions: list[Versions] = field(default_factory=list)
    caches: list[Lookup] = field(default_factory=list)
    lines: list[LineTime] = field(default_factory=list)
    profile: Profile | None = None
    unrun: list[UnrunPass] = field(default_factory=list)
    code: list[GraphCode] = field(default_factory=list)
