"""The runs view: runs, functions, findings, compiles with their steps and kernels; reports."""

from __future__ import annotations

from attrs import field, frozen


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
    """One finding as the runs view lists it, dearest first. `line` and `character` count from 0.

    `file_note`: that the file is not on this machine or has another line, with that of the log.
    """

    rule: str
    severity: str
    title: str
    file: str | None
    line: int
    character: int
    count: int
    cost_s: float
    file_note: str | None


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
class RankNote:
    """One thing to say of the ranks of a job; `groups`: which ranks agree, and on what."""

    title: str
    groups: list[str]


@frozen
class ExportIssueNote:
    """Something that a `torch.export` met. `line` counts from 0; null where the log names no place that is known."""

    title: str
    file: str | None
    line: int | None


@frozen
class ExportNote:
    """One call of `torch.export`. `log`, `offset`: of the program, or the graph up to where it failed; may be null."""

    title: str
    failed: bool
    issues: list[ExportIssueNote]
    log: str | None
    offset: int | None


@frozen
class DamageNote:
    """A place of a log that could not be read: the byte where it begins, of a packed log in its text, and why."""

    log: str
    offset: int
    problem: str


@frozen
class DamageNotes:
    """The places that could not be read, the first of each log first. `more`: how many are not listed."""

    title: str
    places: list[DamageNote]
    more: int


@frozen
class RunDetailResult:
    """What the runs view shows inside one run. `ranks`: empty without several; the first one counts the rest.

    `damage`: null where all could be read.
    """

    run: RunSummary
    functions: list[FunctionSummary]
    findings: list[FindingSummary]
    notes: list[str]
    ranks: list[RankNote] = field(factory=list)
    exports: list[ExportNote] = field(factory=list)
    damage: DamageNotes | None = None


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
class RunDiffParams:
    """Which two runs: the paths of their recordings."""

    before: str
    after: str


@frozen
class RunDiffResult:
    """What changed from one run to the other, as Markdown without links; `summary`: in a line."""

    text: str
    summary: str


@frozen
class FindingPlace:
    """A finding, by what does not change while a recording is open. Positions count from 0, in UTF-16 code units."""

    rule: str
    file: str | None
    line: int
    character: int


@frozen
class ReportParams:
    """What to write of a recording: a run as `html`, `sarif`, …, or one finding of it as Markdown."""

    recording: str
    format: str
    finding: FindingPlace | None = None


@frozen
class ReportResult:
    """A report, and the name that a file with it may have."""

    name: str
    text: str
