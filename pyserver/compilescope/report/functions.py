"""What became of each compiled function: its graphs, breaks, recompiles and seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result

BREAKS = ("graph-break", "graph-break-error")


@dataclass
class CompiledFunction:
    """A function of the user's with the compiles of its pieces; a method's name has its class. `line` counts from 1."""

    name: str
    file: str
    line: int
    compiles: list[Compile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def graphs(self) -> int:
        """Graphs that came out, those of recompiles included; one with nothing but its output is none."""
        made = (one for one in self.compiles if one.status == "ok" and not one.empty)
        return sum(one.graph.get("nodes", 0) > 1 for one in made)

    @property
    def breaks(self) -> int:
        """Places where a graph ended."""
        return sum(finding.rule in BREAKS for finding in self.findings)

    @property
    def recompiles(self) -> int:
        """Compiles of code that had a version already, those that the limit refused left out."""
        return len(self._again())

    @property
    def skipped(self) -> bool:
        """Whether a whole frame of it runs in eager."""
        return any(compile_.status == "skipped" for compile_ in self.compiles)

    @property
    def calls(self) -> int:
        """How often its graphs ran, backward graphs left out."""
        return sum(
            calls
            for compile_ in self.compiles
            for direction, calls in compile_.calls.items()
            if direction != "backward"
        )

    @property
    def seconds(self) -> float:
        """Time of all its compiles."""
        return sum(map(compile_seconds, self.compiles))

    @property
    def seconds_again(self) -> float:
        """Time of the recompiles."""
        return sum(map(compile_seconds, self._again()))

    @property
    def failed(self) -> int:
        """Compiles that failed, or that an exception for the program interrupted."""
        return sum(compile_.status == "failed" for compile_ in self.compiles)

    @property
    def unfinished(self) -> int:
        """Compiles of whose end nothing is recorded."""
        return sum(compile_.status == "running" for compile_ in self.compiles)

    def _again(self) -> list[Compile]:
        """The compiles of a frame that had a version already: after one that failed there is none."""
        found: list[Compile] = []
        made: set[str] = set()
        for compile_ in self.compiles:
            frame = compile_.id.rpartition("/")[0]
            if frame in made and compile_.status != "skipped":
                found.append(compile_)
            if compile_.status == "ok":
                made.add(frame)
        return found


def compiled_functions(result: Result) -> list[CompiledFunction]:
    """The functions of `result`, in the order of their first compile. Pieces after a break count to their function."""
    functions: dict[tuple[str, str, int], CompiledFunction] = {}
    starts = {(compile_.file, compile_.function, compile_.line) for compile_ in result.compiles if not compile_.resumed}
    for compile_ in result.compiles:
        line = _start(compile_, starts)
        key = (compile_.file, compile_.function, line)
        name = compile_.qualname or compile_.function
        functions.setdefault(key, CompiledFunction(name, compile_.file, line)).compiles.append(compile_)
    for function in functions.values():
        ids = {compile_.id for compile_ in function.compiles}
        function.findings = [
            finding for finding in result.findings if ids & {_base(id_) for id_ in finding.compile_ids}
        ]
    return list(functions.values())


def _start(compile_: Compile, starts: set[tuple[str, str, int]]) -> int:
    """The first line of the function that a compile is a piece of: the nearest one above a piece after a break."""
    lines = [line for file, name, line in starts if (file, name) == (compile_.file, compile_.function)]
    return max((line for line in lines if line <= compile_.line), default=compile_.line)


def timed(functions: list[CompiledFunction]) -> bool:
    """Whether torch's time of any compile is recorded."""
    return any("total" in compile_.seconds for one in functions for compile_ in one.compiles)


def compile_seconds(compile_: Compile) -> float:
    """Seconds of one compile."""
    return compile_.seconds.get("total", 0.0)


def _base(compile_id: str) -> str:
    return compile_id.partition("_")[0]
