"""The shapes of `compilescope/recompiles` and `compilescope/guardTree` on the wire (a part of `protocol`)."""

from __future__ import annotations

from attrs import field, frozen


@frozen
class GuardPlace:
    """A range in a file. Lines and characters count from 0 in UTF-16; `text`: the program's there, if it is short."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str | None = None


@frozen
class RecompilesParams:
    """The function that has this compile; without one, or if there is none, the dearest of the recording."""

    recording: str
    compile_id: str | None


@frozen
class FunctionChoice:
    """A compiled function as the picker lists it, by its first compile. `line` counts from 1.

    `resumed`: it is the piece of a function that goes on after this line. `cost_s`: recompiling it and checking its
    guards. `rank`: in a run with several.
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


@frozen
class AlsoFailed:
    """Why another version did not fit either."""

    version: str
    about: str
    check: str
    old: str | None
    new: str | None


@frozen
class CauseInfo:
    """Why a version was made: `about` (a row's) was `old` in `version`, and `new` in the call.

    `check` is what failed in words with code in backticks, `guard` torch's check, `words` all that torch said.
    `place`: the line that the guard is for; `caller`: the call. The rest is the finding's.
    """

    about: str
    version: str
    check: str
    guard: str
    old: str | None
    new: str | None
    words: str
    place: GuardPlace | None
    caller: GuardPlace | None
    also: list[AlsoFailed] = field(factory=list)
    explanation: str = ""
    write: str = ""
    note: str = ""
    hints: list[str] = field(factory=list)
    code: str = ""
    fix: str | None = None


@frozen
class VersionInfo:
    """One version of a function. `status`: ok, failed, skipped, running. Null where not recorded.

    `calls`: how often it ran. `guards`: how many; `guard_s`: one look-up as torch timed it, with a cold cache. `dead`:
    why no call can use it any more. `open`: something in it is variable. `read`: its cells are known.
    """

    id: str
    status: str
    seconds: float
    calls: int | None
    guards: int | None
    guard_s: float | None
    dead: str | None
    open: bool
    read: bool
    cause: CauseInfo | None


@frozen
class GuardRow:
    """What each version accepts of one thing, by version; null where a version does not look at it.

    A row that is the same in all has no `cells` and its text in `same`. `failures`: positions of the versions that
    it made.
    """

    about: str
    kind: str
    place: GuardPlace | None
    failures: list[int]
    cells: list[str | None]
    same: str | None


@frozen
class LimitInfo:
    """How many versions count against a limit of torch's. `refused`: how often it did not compile another one."""

    name: str
    used: int
    most: int
    refused: int


@frozen
class DimensionSpan:
    """What one version accepts of a size or number, from `low` to `high`, null for no bound. `seen`: its first."""

    version: str
    low: int | None
    high: int | None
    seen: str | None
    text: str


@frozen
class DimensionInfo:
    """A size or number that a version leaves open. `sentences`: why, with code in backticks.

    `place`: the line that limits it. `saves`: the version that is not needed if it is marked dynamic from the start.
    """

    expression: str
    since: str
    symbols: list[str]
    spans: list[DimensionSpan]
    sentences: list[str]
    place: GuardPlace | None
    saves: str | None


@frozen
class SourceLines:
    """A piece of a file as it was traced. `line` is that of the first, counted from 1."""

    file: str
    line: int
    lines: list[str]


@frozen
class RecompileTable:
    """The versions of one function and its guards: those that failed first, then those that differ, then the others.

    `guard_s` and `recompile_s` add up to the price; `calls` and `guard_s` are null where not recorded, `no_calls` and
    `no_guards` say why. `more`: so many rows are left out. `unread`: versions whose guards
    are left out because there are too many. `refusals`: what failed when torch compiled no further version.
    """

    compile_id: str
    function: str
    file: str
    line: int
    resumed: int | None
    versions: list[VersionInfo]
    rows: list[GuardRow]
    more: int
    calls: int | None
    guard_s: float | None
    recompile_s: float
    recompiles: int
    limit: LimitInfo | None
    refusals: list[CauseInfo]
    dimensions: list[DimensionInfo]
    source: SourceLines | None
    unread: int
    no_calls: str | None
    no_guards: str | None


@frozen
class RecompilesResult:
    """`functions`: all that were compiled, the dearest first. `table` is null when nothing was compiled."""

    functions: list[FunctionChoice]
    table: RecompileTable | None


@frozen
class GuardTreeParams:
    """The guards of one compile."""

    recording: str
    compile_id: str


@frozen
class GuardNode:
    """A guard, or a value that guards are on with all below it. The list is in the order of the tree.

    `depth` counts from 0. `text`: the value or what is checked, in short; `code`: the whole check. `kind`: torch's kind
    of a guard, empty for a value. `checks`: how many guards it stands for. `about`: the rows that a guard is
    in.
    """

    depth: int
    text: str
    code: str
    kind: str
    checks: int
    about: list[str]
    place: GuardPlace | None


@frozen
class GuardTreeResult:
    """`latency_us`: one look-up of the whole tree, timed once with a cold cache; torch times no guard alone.

    `left_out`: so many guards more are not in `nodes`.
    """

    latency_us: float | None
    count: int
    nodes: list[GuardNode]
    left_out: int
