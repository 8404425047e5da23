"""What the analysis says about kernels and what was decided about them (part of `model.Result`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.analysis.model import Place


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
