"""Stages of a compile, graphs in columns, their comparison and lineage."""

from __future__ import annotations

from attrs import field, frozen


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
class GraphTextParams:
    """The text of one snapshot, for the diff editor."""

    recording: str
    snapshot: str


@frozen
class GraphTextResult:
    """Readable text, one node a line."""

    text: str
