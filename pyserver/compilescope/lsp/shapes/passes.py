"""Passes of a compile."""

from __future__ import annotations

from attrs import field, frozen

from compilescope.lsp.shapes.graphs import CompileInfo


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
