"""What became of each compiled function: its graphs, breaks, recompiles and seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result

_RESUME = re.compile(r"torch_dynamo_resume_in_(.+)_at_\d+")
BREAKS = ("graph-break", "frame-skipped", "graph-break-error")


@dataclass
class CompiledFunction:
    """A function of the user's with the compiles of its pieces. `line` counts from 1."""

    name: str
    file: str
    line: int
    compiles: list[Compile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def graphs(self) -> int:
        """Graphs that came out, those of recompiles included."""
        return sum(compile_.status == "ok" and compile_.graph.get("nodes", 0) > 0 for compile_ in self.compiles)

    @property
    def breaks(self) -> int:
        """Places where a graph ended."""
        return sum(finding.rule in BREAKS for finding in self.findings)

    @property
    def recompiles(self) -> int:
        """Compiles after the first of the same code."""
        return sum(compile_.id.split("/")[-1].split("_")[0] != "0" for compile_ in self.compiles)

    @property
    def skipped(self) -> bool:
        """Whether a whole frame of it runs in eager."""
        return any(compile_.status == "skipped" for compile_ in self.compiles)

    @property
    def seconds(self) -> float:
        """Time of all its compiles."""
        return sum(map(compile_seconds, self.compiles))


def compiled_functions(result: Result) -> list[CompiledFunction]:
    """The functions of `result`, in the order of their first compile. Pieces after a break count to their function."""
    functions: dict[tuple[str, str], CompiledFunction] = {}
    for compile_ in result.compiles:
        match = _RESUME.fullmatch(compile_.function)
        name = match[1] if match else compile_.function
        function = functions.setdefault((compile_.file, name), CompiledFunction(name, compile_.file, compile_.line))
        function.compiles.append(compile_)
    for function in functions.values():
        ids = {compile_.id for compile_ in function.compiles}
        function.findings = [
            finding for finding in result.findings if ids & {_base(id_) for id_ in finding.compile_ids}
        ]
    return list(functions.values())


def compile_seconds(compile_: Compile) -> float:
    """Seconds of one compile."""
    return compile_.seconds.get("total", 0.0)


def _base(compile_id: str) -> str:
    return compile_id.partition("_")[0]
