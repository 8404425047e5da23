"""Compile coverage file by file, as the formats of test coverage have it: a line that ran in a graph is a hit."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.coverage_model import FunctionCoverage
    from compilescope.analysis.model import Result


@dataclass(frozen=True)
class CoveredFunction:
    """A function by the line of its `def`. `hits`: runs of its graphs, by line; lines that did not run are left out."""

    name: str
    line: int
    hits: dict[int, int]

    @property
    def calls(self) -> int:
        """Runs of the graph that ran most."""
        return max(self.hits.values(), default=0)


@dataclass(frozen=True)
class CoveredFile:
    """A file by its path from the working directory, whole when it is elsewhere, with `/` between folders."""

    path: str
    functions: list[CoveredFunction] = field(default_factory=list)

    @property
    def hits(self) -> dict[int, int]:
        """All lines of its functions, in order."""
        every = {line: hits for one in self.functions for line, hits in one.hits.items()}
        return dict(sorted(every.items()))


def covered_files(result: Result, cwd: Path) -> list[CoveredFile]:
    """The files of `result` with a function of which something ran. Functions of one name get their lines behind it."""
    files: dict[str, list[FunctionCoverage]] = {}
    for one in result.coverage:
        if one.percent is not None:
            files.setdefault(one.file, []).append(one)
    return [CoveredFile(_path(file, cwd), _functions(own)) for file, own in files.items()]


def _functions(every: list[FunctionCoverage]) -> list[CoveredFunction]:
    names = [one.function for one in every]
    return [
        CoveredFunction(
            one.function if names.count(one.function) == 1 else f"{one.function}:{one.line}",
            one.line,
            {
                line.line: max(line.calls, 1) if line.state == "captured" else 0
                for line in one.lines
                if _ran(line.state)
            },
        )
        for one in every
    ]


def _ran(state: str) -> bool:
    return state != "not_run"


def _path(file: str, cwd: Path) -> str:
    inside = Path(file).is_relative_to(cwd)
    return (os.path.relpath(file, cwd) if inside else file).replace(os.sep, "/")
