"""Our own requests, notifications and commands beside LSP's, defined once.

`tools/generate_protocol.py` writes `extension/src/protocol.gen.ts` from this file; a test fails when that is stale.
Field names are Python's here and camelCase on the wire. Columns (lists of equal length, one entry per node) keep
large graphs small and quick to parse.
"""

from __future__ import annotations

import threading
from typing import Any

from attrs import Attribute, field, frozen, validators

from compilescope.lsp.coverage_shapes import CoverageFunction, CoverageParams, CoverageRegion, CoverageResult
from compilescope.lsp.recompile_shapes import (
    AlsoFailed,
    CauseInfo,
    DimensionInfo,
    DimensionSpan,
    FunctionChoice,
    GuardNode,
    GuardPlace,
    GuardRow,
    GuardTreeParams,
    GuardTreeResult,
    LimitInfo,
    RecompilesParams,
    RecompilesResult,
    RecompileTable,
    SourceLines,
    VersionInfo,
)
from compilescope.lsp.timeline_shapes import (
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

__all__ = [
    "AlsoFailed",
    "CauseInfo",
    "CoverageFunction",
    "CoverageParams",
    "CoverageRegion",
    "CoverageResult",
    "DimensionInfo",
    "DimensionSpan",
    "FunctionChoice",
    "GuardNode",
    "GuardPlace",
    "GuardRow",
    "GuardTreeParams",
    "GuardTreeResult",
    "LimitInfo",
    "RecompileTable",
    "RecompilesParams",
    "RecompilesResult",
    "SourceLines",
    "TimelineCost",
    "TimelineLane",
    "TimelineMark",
    "TimelineParams",
    "TimelinePlace",
    "TimelineResult",
    "TimelineSpans",
    "TimelineStage",
    "TimelineStep",
    "VersionInfo",
]


def _waiting_time(_: Any, attribute: Attribute[float | None], value: float | None) -> None:
    if value is not None and not 0 < value <= threading.TIMEOUT_MAX:
        raise ValueError(f"'{attribute.name}' must be a number of seconds above 0 (got {value})")


@frozen
class RunSummary:
    """One row of the runs view. `status`: running, finished, cancelled, timed-out, killed, failed.

    `script`: the file that was run, null when it was a module or the recording does not say. `cleared`: the user took
    its findings off, in this session or an earlier one, and they are not on show. `target`, `inputs`: what was called
    when the script was not run as a whole. `cost`: what tracing cost, in words.
    """

    recording: str
    title: str
    status: str
    started: str | None
    wall_s: float | None
    exit_code: int | None
    depth: str | None
    torch: str | None
    graphs: int
    breaks: int
    recompiles: int
    errors: int
    script: str | None = None
    cleared: bool = False
    target: str | None = None
    inputs: list[str] = field(factory=list)
    cost: str | None = None


@frozen
class CompileSummary:
    """One compile of one frame. `label` is what tells it from its neighbours, `0/1  sigma 1.0 → 0.5`."""

    id: str
    label: str
    status: str
    seconds: float
    nodes: int


@frozen
class FunctionSummary:
    """A compiled function with its compiles. `line` counts from 1."""

    name: str
    file: str
    line: int
    seconds: float
    graphs: int
    breaks: int
    recompiles: int
    skipped: bool
    compiles: list[CompileSummary]


@frozen
class FindingSummary:
    """One finding as the runs view lists it, dearest first. `line` and `character` count from 0."""

    rule: str
    severity: str
    title: str
    file: str | None
    line: int
    character: int
    count: int
    cost_s: float


@frozen
class RunsParams:
    """Nothing to ask."""


@frozen
class RunsResult:
    """All runs that the server knows, newest first."""

    runs: list[RunSummary]


@frozen
class RunDetailParams:
    """Which run: the path of its recording."""

    recording: str


@frozen
class RunDetailResult:
    """What the runs view shows inside one run."""

    run: RunSummary
    functions: list[FunctionSummary]
    findings: list[FindingSummary]
    notes: list[str]


@frozen
class StepSummary:
    """A step of one compile: `key` is capture, aot, passes, lowering, guards or code; `note` is ready to show.

    `seconds`: forward and backward; null when they were not recorded.
    """

    key: str
    seconds: float | None
    note: str


@frozen
class KernelSummary:
    """One call of a kernel. `nodes`: how many it computes; `line` counts from 0; `operator`: of a library call."""

    name: str
    kind: str
    graph: str
    nodes: int
    operator: str | None
    file: str | None
    line: int | None


@frozen
class CompileDetailParams:
    """One compile of a recording."""

    recording: str
    compile_id: str


@frozen
class CompileDetailResult:
    """What the runs view shows inside one compile, beside its passes."""

    steps: list[StepSummary]
    kernels: list[KernelSummary]


@frozen
class RunTextParams:
    """Which run: the path of its recording."""

    recording: str


@frozen
class RunTextResult:
    """A run without its times, as text to compare with another."""

    text: str


@frozen
class FindingPlace:
    """A finding, by what does not change while a recording is open. Positions count from 0, in UTF-16 code units."""

    rule: str
    file: str | None
    line: int
    character: int


@frozen
class ReportParams:
    """What to write of a recording: a run as `html`, `sarif` or `markdown`, or one finding of it as Markdown."""

    recording: str
    format: str
    finding: FindingPlace | None = None


@frozen
class ReportResult:
    """A report, and the name that a file with it may have."""

    name: str
    text: str


@frozen
class StageInfo:
    """One recorded state of one graph. `unavailable`: why it was not recorded; then `snapshot` is null.

    `cause` says the same in a word: capture, cache, failed, hook, backend, foreign, nothing.
    """

    graph: str
    stage: str
    position: str
    label: str
    snapshot: str | None
    nodes: int
    edges: int
    unavailable: str | None
    cause: str | None = None


@frozen
class StagesParams:
    """The stages of one compile; of the whole recording without a compile id."""

    recording: str
    compile_id: str | None


@frozen
class CompileInfo:
    """One compile as the pickers of the panels name it."""

    id: str
    title: str


@frozen
class FailureInfo:
    """What a compile failed with. `reason`: torch's words; `node` is the suspect, in `snapshot`, the last graph.

    `line` and `character` count from 0.
    """

    title: str
    reason: str
    node: str | None
    snapshot: str | None
    file: str | None
    line: int
    character: int


@frozen
class StagesResult:
    """`compiles`: all compiles of the recording, for the picker. `note`: why there are no stages.

    `failure`: of the compile that was asked for, null when it did not fail.
    """

    compiles: list[CompileInfo]
    stages: list[StageInfo]
    note: str | None = None
    failure: FailureInfo | None = None


@frozen
class GraphParams:
    """One snapshot of one recording."""

    recording: str
    snapshot: str


@frozen
class KernelInfo:
    """One call of a kernel. `file` and `line` (from 1): where it stands in generated code, or is called there.

    `kind`: cpp, triton, template, extern, fallback, wrapper, other. `seconds`: of one call, null if not measured.
    """

    name: str
    kind: str
    language: str
    operator: str | None
    nodes: int
    file: str | None
    line: int | None
    seconds: float | None


@frozen
class GraphResult:
    """A graph in columns. `edges` are pairs of node positions, flattened (from, to, from, to).

    `module`: position in `modules`, -1 for none; `file`: position in `files`, -1 for none. `line`, `column`, `end_line`
    and `end_column` count from 0 in UTF-16, -1 for unknown. `kind` is the colour group: matmul, pointwise, reduction,
    view, input, output, kernel, extern, fallback, other. `kernel`: positions in `kernels` (all calls, in order) that
    compute a node; empty where no kernels are recorded of this graph.
    """

    snapshot: str
    names: list[str]
    ops: list[str]
    targets: list[str]
    args: list[str]
    kinds: list[str]
    dtypes: list[str]
    shapes: list[str]
    strides: list[str]
    devices: list[str]
    module: list[int]
    modules: list[list[str]]
    file: list[int]
    files: list[str]
    line: list[int]
    column: list[int]
    end_line: list[int]
    end_column: list[int]
    code: list[str]
    origins: list[list[str]]
    edges: list[int]
    kernel: list[list[int]] = field(factory=list)
    kernels: list[KernelInfo] = field(factory=list)


@frozen
class GraphDiffParams:
    """Two snapshots of one recording."""

    recording: str
    before: str
    after: str


@frozen
class GraphDiffResult:
    """Two snapshots laid over each other. `states`, one a node: same, added, removed, changed.

    `edge_states` has one entry for each edge of `graph`: same, added, removed. `was`: what a changed node called
    before. `replaces`: the removed nodes that an added one stands for. `delta`: (|V1| - |V2|) + (|E1| - |E2|).
    """

    graph: GraphResult
    states: list[str]
    was: list[str]
    replaces: list[list[str]]
    edge_states: list[str]
    nodes_before: int
    nodes_after: int
    edges_before: int
    edges_after: int
    delta: int


@frozen
class LineageParams:
    """One node of one snapshot."""

    recording: str
    snapshot: str
    node: str


@frozen
class LineageStep:
    """What a node was or became at one recorded stage. `here`: the stage that was asked about."""

    graph: str
    stage: str
    position: str
    label: str
    snapshot: str
    nodes: list[str]
    here: bool


@frozen
class LineInfo:
    """A line of the program; `line` counts from 1."""

    file: str
    line: int
    code: str


@frozen
class LineageResult:
    """The stages that a node came from and went to, in order, and the kernels that compute it in the end.

    `lines`: of the nodes after the last pass that it is or was made from.
    """

    steps: list[LineageStep]
    kernels: list[KernelInfo]
    lines: list[LineInfo] = field(factory=list)


@frozen
class PassesParams:
    """The passes of one compile; of the whole recording without a compile id."""

    recording: str
    compile_id: str | None


@frozen
class MatchInfo:
    """One match of a pattern in a pass: the nodes that it took and those made for it.

    `file` and `line` (from 1): where the first of them comes from; null when that is not known.
    """

    pattern: str
    target: str
    nodes: list[str]
    created: list[str]
    file: str | None
    line: int | None


@frozen
class PassInfo:
    """One step of a graph. `before` and `after` are snapshots; null when there is nothing to compare.

    `kind`: pass, phase (a change of the compiler's that is no pass) or gap (a change that nothing observed). `source`:
    the graph that `before` is of, when that is another one. `slot`: where the program registered a pass of its own.
    `error` is the type of what the step raised, `message` its text. `why`: what is known about why a pass of the
    program's changed nothing.
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
    before: str | None
    after: str | None
    function: str | None
    file: str | None
    line: int | None
    gap: bool
    error: str | None
    kind: str
    source: str | None
    slot: str | None
    message: str | None
    matches: list[MatchInfo]
    why: str | None = None


@frozen
class UnrunInfo:
    """A pass that the program registered in `slot` and that did not run, and why. `compile_id`: null for in no compile.

    `line` counts from 1.
    """

    compile_id: str | None
    slot: str
    function: str
    file: str | None
    line: int | None
    reason: str


@frozen
class PassesResult:
    """Passes in the order in which they ran. `overhead`: tracing overhead as a share, null if not measured.

    `note` says why there are none, and `cause` in a word: eager, or one of a stage's. `unrun`: the program's own that
    did not run.
    """

    compiles: list[CompileInfo]
    passes: list[PassInfo]
    compile_seconds: float | None
    overhead: float | None
    note: str | None
    cause: str | None = None
    unrun: list[UnrunInfo] = field(factory=list)


@frozen
class GraphTextParams:
    """The text of one snapshot, for the diff editor."""

    recording: str
    snapshot: str


@frozen
class GraphTextResult:
    """Readable text, one node a line."""

    text: str


@frozen
class CodeParams:
    """The generated code of one graph; without `graph` of the first of the compile, without that of the first.

    `file` and `line` (from 0): without a graph, rather of one that computes something of this line.
    """

    recording: str
    compile_id: str | None
    graph: str | None = None
    file: str | None = None
    line: int | None = None


@frozen
class ExpressionInfo:
    """A source expression: position of its file in `CodeResult.files`, and its range (from 0, in UTF-16)."""

    file: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@frozen
class SourceFile:
    """A file as it was traced; `lines` is empty when its text is not known."""

    path: str
    lines: list[str]


@frozen
class CodeNodeInfo:
    """A node after the last pass. `expressions`: positions, its own first; `why`: why no kernel computes it."""

    name: str
    op: str
    target: str
    args: str
    shape: str
    dtype: str
    module: str
    expressions: list[int]
    why: str | None


@frozen
class CodeKernelInfo:
    """One call of a kernel. Lines count from 1; null where it is a library's, or not known.

    `nodes`, `expressions`: positions; `main`: the expression of most of its operations, -1 for none. `stages`: those of
    Triton's that are recorded; `figures`: what Triton said of it. `fused`: why its loops are one kernel, as the end of
    a sentence; `hints`: sentences.
    """

    name: str
    kind: str
    language: str
    operator: str | None
    start: int | None
    end: int | None
    call: int | None
    nodes: list[int]
    expressions: list[int]
    main: int
    stages: list[str]
    figures: list[str]
    fused: str | None
    hints: list[str]


@frozen
class FoldInfo:
    """Lines (from 1) that can be shown as one. `kind`: kernel (`label` is its name) or other."""

    start: int
    end: int
    kind: str
    label: str


@frozen
class CodeTextInfo:
    """Code of a graph. `kind`: cpp or triton; `bands`: the expression of each line, -1 for none.

    `preview`: what a GPU would run, with its `limits` in words.
    """

    kind: str
    file: str
    text: str
    bands: list[int]
    folds: list[FoldInfo]
    kernels: list[CodeKernelInfo]
    preview: bool
    limits: list[str]


@frozen
class CodeResult:
    """`compiles`: those with code, for the picker; `graphs`: those of this compile.

    `note`: what is not known, or why there is no code; then `cause` says the same in a word: capture, cache, failed,
    hook, backend, foreign, nothing, eager.
    """

    compiles: list[CompileInfo]
    compile_id: str | None
    graph: str | None
    graphs: list[str]
    expressions: list[ExpressionInfo]
    files: list[SourceFile]
    nodes: list[CodeNodeInfo]
    texts: list[CodeTextInfo]
    note: str | None = None
    cause: str | None = None


@frozen
class KernelStagesParams:
    """What Triton made of a kernel. `preview`: of the kernel that a GPU would run."""

    recording: str
    compile_id: str | None
    graph: str | None
    kernel: str
    preview: bool = False


@frozen
class KernelStageInfo:
    """One of Triton's stages: ttir, ttgir, llir, ptx, amdgcn. `bands` as in CodeTextInfo.

    `data`: first and last line (from 1) of what is only debug data, flattened.
    """

    stage: str
    text: str
    bands: list[int]
    data: list[int]


@frozen
class KernelStagesResult:
    """The recorded stages, in order."""

    stages: list[KernelStageInfo]


@frozen
class TraceParams:
    """Run a script (or module) under the tracer. `python`: null for the server's own choice."""

    script: str | None
    module: str | None = None
    args: list[str] = field(factory=list)
    cwd: str | None = None
    python: str | None = None
    depth: str = field(default="full", validator=validators.in_(("full", "capture")))
    timeout_s: float | None = field(default=None, validator=_waiting_time)
    env: dict[str, str] = field(factory=dict)
    target: str | None = None
    inputs: list[str] = field(factory=list)
    profile: bool = False
    logs: str | None = None


@frozen
class TargetAtParams:
    """A place in a Python file: its path or URI, and a line from 0."""

    file: str
    line: int


@frozen
class TargetInfo:
    """A function or nn.Module class that can be traced by itself.

    `made`, `inputs`: expressions to propose for `TraceParams.target` and `TraceParams.inputs`. `signature`: its own.
    """

    file: str
    name: str
    made: str
    inputs: str
    signature: str


@frozen
class TargetAtResult:
    """The target at that place; null when there is none."""

    target: TargetInfo | None


@frozen
class Problem:
    """Something that went wrong: what, why, and the commands of the buttons that mend it."""

    code: str
    title: str
    detail: str
    actions: list[str]


@frozen
class TraceResult:
    """How the run ended. `problem` when it could not be run or ended in another way than by itself.

    `difference`: to the run of the script before it, `2 fixed, 1 new`; null when there was none, or it ended early.
    """

    recording: str | None
    exit_code: int | None
    status: str
    findings: int
    problem: Problem | None
    difference: str | None = None


@frozen
class OpenRecordingParams:
    """A recording folder, or a TORCH_TRACE file or folder."""

    path: str


@frozen
class OpenRecordingResult:
    """`problem` when it can't be read. No recording and no problem: the user gave up waiting."""

    recording: str | None
    findings: int
    problem: Problem | None


@frozen
class CancelParams:
    """Cancel the run that goes on, if any."""


@frozen
class ClearParams:
    """Take off the findings of all runs, for later sessions too; recordings stay on disk."""


@frozen
class Done:
    """Done; `count` says how many."""

    count: int


@frozen
class LogNamesParams:
    """Which logs torch has, for a run in `cwd` with `python`; null for the server's own choice."""

    python: str | None = None
    cwd: str | None = None


@frozen
class LogNameInfo:
    """One name for `TraceParams.logs`. `kind`: component (which has levels) or artifact.

    `off_by_default`: an artifact that no level of its component brings.
    """

    name: str
    kind: str
    description: str
    off_by_default: bool


@frozen
class LogNamesResult:
    """All names that this torch has. `problem`: why they can't be asked for."""

    torch: str | None
    names: list[LogNameInfo]
    problem: Problem | None


@frozen
class LogCountsParams:
    """What one run recorded of torch's logs."""

    recording: str


@frozen
class LogLevelInfo:
    """What setting a log to this level would print, higher levels included. `size`: `bytes` in words, `52.8 KB`."""

    level: str
    records: int
    bytes: int
    size: str


@frozen
class LogCountInfo:
    """How much of one log there is. `recorded_from`: its lowest level that was asked for; null when not known.

    `levels`: from the lowest that was recorded to the highest.
    """

    name: str
    component: str
    kind: str
    recorded_from: str | None
    levels: list[LogLevelInfo]


@frozen
class LogCountsResult:
    """The log with most bytes first. `dropped`: records that were only counted."""

    logs: list[LogCountInfo]
    dropped: int


@frozen
class LogTextParams:
    """The records of some logs, components or artifacts, from a level on; of all logs without names."""

    recording: str
    names: list[str] = field(factory=list)
    level: str = field(default="DEBUG", validator=validators.in_(("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")))


@frozen
class LogTextResult:
    """The records as text in the order in which they were made."""

    text: str


@frozen
class StaticHintsParams:
    """Whether to show likely breaks of functions that nothing has traced yet."""

    enabled: bool


@frozen
class InterpreterParams:
    """An interpreter to use from now on; null to go back to the server's own choice."""

    python: str | None


@frozen
class InterpreterResult:
    """What that interpreter is."""

    python: str | None
    version: str | None
    torch: str | None
    problem: Problem | None


@frozen
class FixChoice:
    """A fix of a finding: where that starts in `file` as it was traced (from 0), its `code`, and the fix's title."""

    file: str
    line: int
    character: int
    code: str
    fix: str


@frozen
class FixParams:
    """Fixes of findings of one recording, to be made together."""

    recording: str
    fixes: list[FixChoice]


@frozen
class FixAndVerifyParams:
    """Fixes of findings of one recording, to be tried together and made when they are proven.

    `python`, `env`: as in TraceParams.
    """

    recording: str
    fixes: list[FixChoice]
    python: str | None = None
    env: dict[str, str] = field(factory=dict)


@frozen
class FixedFile:
    """A file that was changed, its text before and after, and the line (from 0, of after) of the last change in it."""

    file: str
    before: str
    after: str
    line: int


@frozen
class FixResult:
    """What became of fixes. `message`: ready to show; empty when nothing needs to be said.

    `status`: applied; unproven (tried, and not applied because of what `message` says); refused (not applied, and
    not tried); cancelled. `files`: what was changed. `values`: what differed, as text. `note`: what was proven, short
    enough to stand beside the change.
    """

    status: str
    message: str = ""
    files: list[FixedFile] = field(factory=list)
    values: str | None = None
    note: str | None = None
    problem: Problem | None = None


@frozen
class ExplainParams:
    """A page to open: an address that a finding or a code action named."""

    href: str


@frozen
class RunsChanged:
    """The runs view and the panels should ask again for `recording`; for all when it is null."""

    recording: str | None


@frozen
class StatusChanged:
    """For the status bar: `state` is idle, starting, tracing; `text` is ready to show."""

    state: str
    text: str
    tooltip: str
    breaks: int
    recompiles: int
    skipped: int
    errors: int
    graphs: int


@frozen
class ProgramOutput:
    """A piece of what the user's program printed."""

    text: str


REQUESTS: dict[str, tuple[type, type]] = {
    "compilescope/trace": (TraceParams, TraceResult),
    "compilescope/cancel": (CancelParams, Done),
    "compilescope/targetAt": (TargetAtParams, TargetAtResult),
    "compilescope/clear": (ClearParams, Done),
    "compilescope/openRecording": (OpenRecordingParams, OpenRecordingResult),
    "compilescope/setInterpreter": (InterpreterParams, InterpreterResult),
    "compilescope/runs": (RunsParams, RunsResult),
    "compilescope/runDetail": (RunDetailParams, RunDetailResult),
    "compilescope/compileDetail": (CompileDetailParams, CompileDetailResult),
    "compilescope/runText": (RunTextParams, RunTextResult),
    "compilescope/report": (ReportParams, ReportResult),
    "compilescope/stages": (StagesParams, StagesResult),
    "compilescope/graph": (GraphParams, GraphResult),
    "compilescope/graphDiff": (GraphDiffParams, GraphDiffResult),
    "compilescope/lineage": (LineageParams, LineageResult),
    "compilescope/passes": (PassesParams, PassesResult),
    "compilescope/graphText": (GraphTextParams, GraphTextResult),
    "compilescope/code": (CodeParams, CodeResult),
    "compilescope/kernelStages": (KernelStagesParams, KernelStagesResult),
    "compilescope/recompiles": (RecompilesParams, RecompilesResult),
    "compilescope/guardTree": (GuardTreeParams, GuardTreeResult),
    "compilescope/timeline": (TimelineParams, TimelineResult),
    "compilescope/coverage": (CoverageParams, CoverageResult),
    "compilescope/logNames": (LogNamesParams, LogNamesResult),
    "compilescope/logCounts": (LogCountsParams, LogCountsResult),
    "compilescope/logText": (LogTextParams, LogTextResult),
    "compilescope/setStaticHints": (StaticHintsParams, Done),
    "compilescope/applyFix": (FixParams, FixResult),
    "compilescope/fixAndVerify": (FixAndVerifyParams, FixResult),
}

NOTIFICATIONS: dict[str, type] = {
    "compilescope/runsChanged": RunsChanged,
    "compilescope/status": StatusChanged,
    "compilescope/output": ProgramOutput,
}

COMMANDS = {
    "compilescope.server.trace": "Trace a file: one argument, TraceParams",
    "compilescope.server.cancel": "Cancel the run that goes on",
    "compilescope.server.clear": "Clear all findings",
    "compilescope.server.openRecording": "Open a recording: one argument, OpenRecordingParams",
    "compilescope.server.applyFix": "Make fixes in the text of now: one argument, FixParams",
    "compilescope.server.fixAndVerify": "Make fixes when they are proven: one argument, FixAndVerifyParams",
    "compilescope.server.explain": "Open the page about a finding: one argument, ExplainParams",
}
