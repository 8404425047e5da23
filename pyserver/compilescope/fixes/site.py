"""What a fix looks at: one finding, and the text around the place that it points at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parso.python.tree import Function, Lambda
    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Finding, Result
    from compilescope.fixes.recorded import Recorded
    from compilescope.fixes.source import SourceFile

    Kind = Callable[["Site"], Iterator[Fix]]
    """One kind of fix: yields those that apply at a site, the best first, and nothing where none does."""


@dataclass(frozen=True)
class Site:
    """A finding and where it is.

    `files`: opens a file of the program by its path, None for one nobody has. `recorded`: what the guards of compiles
    say, by their ids.
    """

    finding: Finding
    result: Result
    source: SourceFile
    files: Callable[[str], SourceFile | None]
    recorded: Callable[[frozenset[str]], Recorded]

    @cached_property
    def node(self) -> NodeOrLeaf | None:
        """What stands exactly at the finding's range, else the smallest node around it."""
        return self.source.at(self.finding.range) or self.source.around(self.finding.range)

    @cached_property
    def call(self) -> NodeOrLeaf | None:
        """The call that the finding's range is, also when it is a statement of its own."""
        found = self.node
        if found is not None and found.type == "simple_stmt":
            found = found.children[0]  # type: ignore[attr-defined]
        return found if found is not None and source.is_call(found) else None

    @cached_property
    def statement(self) -> NodeOrLeaf | None:
        """The statement that the finding is in."""
        return source.statement(self.node) if self.node is not None else None

    @cached_property
    def function(self) -> Function | Lambda | None:
        """The function that the finding is in."""
        return source.function(self.node) if self.node is not None else None

    @property
    def is_break(self) -> bool:
        """Whether the finding is a graph break, and on the very line that broke the graph: not inside a library."""
        return self.finding.rule in {"graph-break", "frame-skipped", "graph-break-error"} and self.is_own_line

    @property
    def torch_version(self) -> tuple[int, ...]:
        """Major and minor version of the torch that ran; nothing when it is not known."""
        return tuple(int(one) for one in re.findall(r"\d+", self.result.run.torch or "")[:2])

    @property
    def is_own_line(self) -> bool:
        """Whether nothing of a library is below the finding's line in its stack."""
        frames = self.finding.frames
        return not frames or frames[-1].in_user_code
