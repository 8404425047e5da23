"""Generated code beside its nodes and the source."""

from __future__ import annotations

from attrs import frozen

from compilescope.lsp.shapes.graphs import CompileInfo


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
    """`compiles`: those with code and the one asked for, for the picker; `graphs`: those of this compile.

    `note`: what is not known, or why there is no code; then `cause` says the same in a word: capture, cache, failed,
    hook, backend, foreign, nothing, eager, empty.
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
