"""One function's versions as columns and its guards as rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from compilescope.analysis import guards, syntax
from compilescope.analysis.dimensions import dimensions
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.guard_readings import ANY, HOLDS, Reading, readings, span
from compilescope.analysis.price import calls
from compilescope.analysis.recompile_cause import CauseOf
from compilescope.analysis.recompile_model import Limit, Row, SourceText, Table, VersionOf
from compilescope.analysis.stack_values import named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled, Frame, Recompile
    from compilescope.analysis.guards import GuardTree
    from compilescope.analysis.model import Finding, Result
    from compilescope.analysis.symbols import Symbols
    from compilescope.recording.reader import Recording

_MOST_LINES = 40_000
"""Lines of guard trees that are read for one function."""
_MOST_ROWS = 400
"""Rows that failed, rows that differ, and rows that are the same in all versions."""
_MOST_SOURCE = 400
_LONGEST = 200
_NO_CALLS = "How often a version ran is not in this recording."
_NO_GUARDS = "Torch's guards are not in this recording: only what failed is known."


# Something that is there, as it is looked at.
_ATTRIBUTE = re.compile(r"(?P<owner>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)(?:\.(?P<key>\w+)|\['(?P<item>\w+)'\])")


@dataclass(frozen=True)
class Price:
    """C = guard_s + recompile_s. `calls` of all versions, `guard_s` in all of them; None where not recorded."""

    calls: int | None
    guard_s: float | None
    recompile_s: float


@dataclass
class Made:
    """The compiles of one function, oldest first, and why they were made."""

    function: str
    code: Frame
    compiles: list[Attempted] = field(default_factory=list)
    facts: list[Recompile] = field(default_factory=list)

    @property
    def again(self) -> list[Recompile]:
        """The recompiles that were made."""
        return [fact for fact in self.facts if not fact.refused]

    def price(self, context: Context) -> Price:
        """Return what recompiling and checking guards took."""
        ran = [(one, count) for one in self.compiles if (count := calls(context, one.where)) is not None]
        timed = [count * one.seconds["guard_check"] for one, count in ran if "guard_check" in one.seconds]
        whole = bool(ran) and len(timed) == len(ran)
        again = context.seconds(fact.where for fact in self.again)
        return Price(sum(count for _, count in ran) if ran else None, sum(timed) if whole else None, again)


def table(  # noqa: PLR0917
    recording: Recording,
    context: Context,
    result: Result,
    symbols: Symbols,
    findings: Mapping[str, Finding],
    made: Made,
) -> Table:
    """Return one function's versions. `findings`: those on recompiles, by compile."""
    ids = [context.name(one.where) for one in made.compiles]
    rows = _Rows(ids, partial(named, context, made.compiles[0].where.process, made.code))
    unread = rows.read(recording, context)
    own = {id_: symbols.of(one.where) for id_, one in zip(ids, made.compiles, strict=True)}
    for column, id_ in enumerate(ids):
        for symbol in own[id_]:
            if symbol.expression is not None and symbol.is_ is None:
                rows.open(column, symbol.expression, span(symbol.lower, symbol.upper), symbol.value)
    causes = CauseOf(context, symbols, findings, rows.know)
    statuses = {one.id: one.status for one in result.compiles}
    dead = {one.id: one.dead for kept in result.versions for one in kept.entries or () if one.dead}
    facts = {context.name(fact.where): fact for fact in made.again}
    price = made.price(context)
    found = Table(
        compile_id=ids[0],
        function=made.function,
        file=made.code.file,
        line=resumed_at(made.code.function) or made.code.line,
        resumed=resumed_at(made.code.function),
        calls=price.calls,
        guard_s=price.guard_s,
        recompile_s=price.recompile_s,
        recompiles=len(made.again),
        unread=unread,
        limit=_limit(context, made, statuses),
        source=_source(context, made.code),
        no_guards=None if any(rows.known) else _reason(result, "guard", _NO_GUARDS),
    )
    for id_, one, known in zip(ids, made.compiles, rows.known, strict=True):
        fact = facts.get(id_)
        found.versions.append(
            VersionOf(
                id=id_,
                status=statuses.get(id_, "ok"),
                seconds=round(one.total, 6),
                calls=calls(context, one.where),
                guards=one.guards,
                guard_s=one.seconds.get("guard_check"),
                dead=dead.get(id_),
                open=any(symbol.sources for symbol in own[id_]),
                read=known,
                cause=None if fact is None else causes.of(fact, ids.index(id_)),
            )
        )
    found.refusals = [causes.of(fact, None) for fact in made.facts if fact.refused][:_MOST_ROWS]
    found.no_calls = no_calls(result, found.versions)
    learned = {context.name(one.where): symbols.learned(one.where) for one in made.compiles}
    found.dimensions = dimensions(context, own, learned, rows.accepted)
    found.rows, found.more = rows.sorted()
    return found


class _Rows:
    """What is guarded, and what each version accepts."""

    def __init__(self, ids: list[str], named_: Callable[[str], str]) -> None:
        self._named = named_
        self.accepted: dict[str, dict[str, str]] = {id_: {} for id_ in ids}
        self.known = [False for _ in ids]
        self._seen: list[dict[str, str]] = [{} for _ in ids]
        self._ids = ids
        self._rows: dict[str, Row] = {}
        self._objects: dict[str, dict[str, int]] = {}

    def read(self, recording: Recording, context: Context) -> int:
        """Read the guards of the versions as far as there are not too many; return of how many they are left out."""
        left, unread = _MOST_LINES, 0
        columns = {id_: column for column, id_ in enumerate(self._ids)}
        for compile_id in dict.fromkeys(id_.rpartition(":")[2] for id_ in self._ids):
            for tree in guards.trees(recording, context, compile_id):
                column = columns.get(tree.compile_id)
                if column is None:
                    continue
                left -= tree.size
                if left < 0:
                    unread += 1
                    continue
                self._take(column, tree)
        return unread

    def open(self, column: int, about: str, accepts: str, seen: str | None) -> None:
        """Note what a variable size or number may be, and what it was first."""
        about = self._row(about, "CHECK").about
        if seen is not None:
            self._seen[column][about] = seen
        accepted = self.accepted[self._ids[column]]
        if accepted.get(about, ANY) == ANY:  # a guard says more than the range that a symbol began with
            accepted[about] = accepts

    def know(self, column: int | None, version: str, reading: Reading, new: str | None) -> tuple[str, str, str | None]:
        """Note that a guard of a version failed, which made the one in `column`.

        Returns the name of its row, what the version accepted, and what came instead.
        """
        row = self._row(reading.about, reading.kind)
        accepted = self.accepted.get(version, {})
        text = accepted.get(row.about, "")
        if (reading.accepts and text in {"", ANY, HOLDS}) or reading.kind == "STATE":
            text = reading.accepts or text
            accepted.setdefault(row.about, text)
        if column is None:
            return row.about, text, new
        row.failures.append(column)
        own = self.accepted[self._ids[column]]
        if new is None:  # what the new version was made for is what the call brought
            new = self._seen[column].get(row.about) or own.get(row.about)
            new = None if new in {ANY, HOLDS} else new
        if new is not None and not self.known[column]:
            own.setdefault(row.about, new)
        if row.about.endswith(".stride()") and row.about in own:  # torch says only the one number that differs
            new = own[row.about]
        return row.about, text, new

    def sorted(self) -> tuple[list[Row], int]:
        """Return the rows, those that failed first, then those that differ, and how many more there are."""
        failed: list[Row] = []
        differ: list[Row] = []
        same: list[Row] = []
        for row in self._rows.values():
            cells = [self.accepted[id_].get(row.about) for id_ in self._ids]
            if len(set(cells)) == 1 and not row.failures:
                row.same = cells[0]
                same.append(row)
            else:
                row.cells = cells
                (failed if row.failures else differ).append(row)
        failed.sort(key=lambda row: row.failures[0])
        same.sort(key=_plainness)
        shown = [*failed[:_MOST_ROWS], *differ[:_MOST_ROWS], *same[:_MOST_ROWS]]
        return shown, len(self._rows) - len(shown)

    def _take(self, column: int, tree: GuardTree) -> None:
        self.known[column] = True
        accepted = self.accepted[self._ids[column]]
        for guard in guards.each_guard(tree.root):
            for reading in readings(guard.kind, guard.code):
                row = self._row(reading.about[:_LONGEST], reading.kind)
                row.place = row.place or guard.place
                accepts = self._accepts(reading)[:_LONGEST]
                if accepts != ANY or row.about not in accepted:
                    accepted[row.about] = accepts
                if looked := _ATTRIBUTE.fullmatch(reading.about):
                    accepted.setdefault(f"'{looked['key']}' in {looked['owner']}", "True")

    def _accepts(self, reading: Reading) -> str:
        if reading.object_id is None:
            return reading.accepts
        known = self._objects.setdefault(reading.about, {})
        return f"object {known.setdefault(reading.object_id, len(known) + 1)}"

    def _row(self, about: str, kind: str) -> Row:
        about = self._named(about)
        return self._rows.setdefault(about, Row(about, kind))


def _plainness(row: Row) -> tuple[bool, bool]:
    """Return a key by which what the program's lines need stands before torch's own state and marks."""
    return row.place is None, "'_dynamo_" in row.about


def no_calls(result: Result, versions: list[VersionOf]) -> str | None:
    """Return why it is not known how often some versions ran; those that failed never did."""
    unknown = [one for one in versions if one.calls is None]
    failed = [one.id for one in unknown if one.status == "failed"]
    if not unknown:
        return None
    if len(failed) < len(unknown):
        return _reason(result, "call", _NO_CALLS)
    return f"{', '.join(failed)} failed to compile."


def _limit(context: Context, made: Made, statuses: Mapping[str, str]) -> Limit | None:
    def _became(where: Compiled) -> bool:
        """Whether a compile became a version: one that failed is none."""
        return statuses.get(context.name(where)) not in {"failed", "skipped"}

    refused = sum(fact.refused for fact in made.facts)
    last = next((fact for fact in reversed(made.facts) if fact.limits), None)
    if last is not None:
        more = not last.refused and _became(last.where)
        each = [
            Limit(_LIMITS.get(name, name), int(last.counted[name]) + more, int(most), refused)
            for name, most in last.limits.items()
            if name in last.counted and most > 0
        ]
        if each:
            return max(each, key=lambda one: one.used / one.most)
    most = context.compiles.limit(made.compiles[0].where)
    return Limit("recompile_limit", sum(_became(one.where) for one in made.compiles), most, refused) if most else None


_LIMITS = {"recompile": "recompile_limit", "accumulated": "accumulated_recompile_limit"}


def _source(context: Context, code: Frame) -> SourceText | None:
    source = context.sources.get(code.file)
    function = syntax.function_at(source, code.line, plain_function(code.function))
    if source is None or function is None:
        return None
    last = function.end_lineno or code.line
    return SourceText(code.file, code.line, source.lines[code.line - 1 : min(last, code.line + _MOST_SOURCE)])


def _reason(result: Result, about: str, otherwise: str) -> str:
    """Return why something was not recorded, as the run says it."""
    for one in result.run.unavailable:
        if about in one.get("loses", ""):
            return f"{one.get('loses')}: {one.get('reason')}"
    return otherwise
