"""The versions of a compiled function side by side, as plain data: for the recompile panel and the HTML report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.dimensions import Dimension
    from compilescope.analysis.model import Place


@dataclass
class Choice:
    """A function in the list. `compile_id` is its first compile, `cost_s` what recompiling and checking took.

    `resumed`: the line that it goes on after, when it is a piece of a function. `rank`: in a run with several.
    """

    compile_id: str
    function: str
    file: str
    line: int
    versions: int
    recompiles: int
    cost_s: float
    resumed: int | None = None
    rank: int | None = None


@dataclass(frozen=True)
class Also:
    """Another version did not fit either, for another reason."""

    version: str
    about: str
    check: str
    old: str | None
    new: str | None


@dataclass
class Cause:
    """Why a version was made. `about`: the row of `Table.rows`. `version`: the one that did not fit.

    `check` is in words, code in backticks; `guard` is torch's check in the program's names, `words` all that torch
    said. `place` is the line that the guard is for, `caller` the call. `explanation`, `write`, `note`, `hints`: of the
    finding, whose `code` is for a fix, `fix` is the title of the first.
    """

    about: str
    version: str
    check: str
    guard: str
    old: str | None
    new: str | None
    words: str
    place: Place | None = None
    place_text: str | None = None
    caller: Place | None = None
    caller_text: str | None = None
    also: list[Also] = field(default_factory=list)
    explanation: str = ""
    write: str = ""
    note: str = ""
    hints: list[str] = field(default_factory=list)
    code: str = ""
    fix: str | None = None


@dataclass
class VersionOf:
    """One version. `calls` and `guard_s` (one look-up, as torch timed it) are None where not recorded.

    `dead`: why no call can use it any more. `open`: something in it is variable. `read`: its guards are known.
    """

    id: str
    status: str
    seconds: float
    calls: int | None = None
    guards: int | None = None
    guard_s: float | None = None
    dead: str | None = None
    open: bool = False
    read: bool = False
    cause: Cause | None = None


@dataclass
class Row:
    """One thing that is guarded. `cells`: what each version accepts, None where it does not look at it.

    A row that is the same in all versions has `same` in place of cells. `failures`: the versions that it made, as
    positions.
    """

    about: str
    kind: str
    place: Place | None = None
    failures: list[int] = field(default_factory=list)
    cells: list[str | None] = field(default_factory=list)
    same: str | None = None


@dataclass
class Limit:
    """How many versions count against one of torch's limits. `refused`: compiles that it did not allow."""

    name: str
    used: int
    most: int
    refused: int = 0


@dataclass
class SourceText:
    """The function's lines as they were traced, the first of which is `line`."""

    file: str
    line: int
    lines: list[str] = field(default_factory=list)


@dataclass
class Table:
    """The versions of one function. `rows`: those that failed first, then those that differ, then the same ones.

    `more`: how many are left out. `calls`, `guard_s`, `recompile_s`: C = guard_s + recompile_s
    in all calls, None where not recorded. `unread`: versions whose guards are left out because there are too many.
    `no_guards`: why there are no guards.
    """

    compile_id: str
    function: str
    file: str
    line: int
    resumed: int | None
    versions: list[VersionOf] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    more: int = 0
    calls: int | None = None
    guard_s: float | None = None
    recompile_s: float = 0.0
    recompiles: int = 0
    limit: Limit | None = None
    refusals: list[Cause] = field(default_factory=list)
    dimensions: list[Dimension] = field(default_factory=list)
    source: SourceText | None = None
    unread: int = 0
    no_calls: str | None = None
    no_guards: str | None = None
