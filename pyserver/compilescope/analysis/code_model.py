"""Generated code beside the nodes and the source expressions that it came from, as `code_view` makes it.

What belongs together is said by the number of a source expression.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.code_folds import Fold
    from compilescope.analysis.expressions import Expression


@dataclass(frozen=True)
class CodeNode:
    """A node of the graph after the last pass. `expressions`: numbers, its own first; `why`: why no kernel has it."""

    name: str
    op: str
    target: str
    args: str
    shape: str
    dtype: str
    module: str
    expressions: list[int]
    why: str | None


@dataclass
class CodeKernel:
    """One call of a kernel. Lines count from 1 in the text; null where it is a library's, or not known.

    `nodes`: positions; `expressions`: numbers, in the order of the graph; `main`: that of most of its operations, -1
    for none. `stages`: which of Triton's stages are recorded; `figures`: what Triton said of it. `fused`: why its loops
    are one kernel, as the end of a sentence; `hints`: sentences.
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
    stages: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    fused: str | None = None
    hints: list[str] = field(default_factory=list)


@dataclass
class CodeText:
    """Code of one graph: `kind` is `cpp` or `triton`. `bands`: each line's expression, -1 for none.

    `preview`: it is what a GPU would run (`trace --triton-preview`), with its `limits` in words.
    """

    kind: str
    file: str
    text: str
    bands: list[int]
    folds: list[Fold]
    kernels: list[CodeKernel]
    preview: bool = False
    limits: list[str] = field(default_factory=list)


@dataclass
class CodeView:
    """The code of one graph of one compile. `graphs`: all of that compile with code, in order; `files`: by path, lines.

    `note`: what is not known, in a sentence. Without code `texts` is empty.
    """

    compile_id: str | None
    graph: str | None
    graphs: list[str]
    expressions: list[Expression]
    files: dict[str, list[str]]
    nodes: list[CodeNode]
    texts: list[CodeText]
    note: str | None = None


@dataclass(frozen=True)
class StageText:
    """One of Triton's stages of a kernel. `bands`: each line's expression; `data`: lines of debug data, from and to."""

    stage: str
    text: str
    bands: list[int]
    data: list[tuple[int, int]]
