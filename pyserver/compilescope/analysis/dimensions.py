"""The sizes and numbers that the versions of a function leave open: since when, in which ranges, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import syntax
from compilescope.analysis.guard_readings import span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Place
    from compilescope.analysis.symbols import Learned, Symbol

_BOUNDS = re.compile(r"(-?\d{1,15})…(-?\d{1,15})")
_WHY = {
    "mark_dynamic": "The program marked it with `mark_dynamic`.",
    "maybe_mark_dynamic": "The program marked it with `maybe_mark_dynamic`.",
    "mark_unbacked": "The program marked it with `mark_unbacked`.",
    "dynamic=True": "`dynamic=True` leaves every size open.",
}


@dataclass(frozen=True)
class Span:
    """What one version accepts: from `low` to `high`, None for no bound. `seen`: the value that it was made for."""

    version: str
    low: int | None
    high: int | None
    seen: str | None
    text: str


@dataclass
class Dimension:
    """A size or number that is variable in a version. `symbols`: torch's names of it.

    `sentences`: how it came to be so and what limits it, code in backticks. `place`: the line that sets the limit.
    `saves`: the version that is not needed if it is marked from the start.
    """

    expression: str
    since: str
    symbols: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    place: Place | None = None
    saves: str | None = None


def dimensions(
    context: Context,
    symbols: Mapping[str, Sequence[Symbol]],
    learned: Mapping[str, Sequence[Learned]],
    fixed: Mapping[str, Mapping[str, str]],
) -> list[Dimension]:
    """Return what is variable, in the order in which it became so.

    By version, oldest first: its `symbols`, what it `learned` to leave open, and the values that it accepts by what
    they are of (`fixed`).
    """
    found: dict[str, Dimension] = {}
    for version, own in symbols.items():
        for symbol in own:
            if symbol.expression is not None:
                known = found.setdefault(symbol.expression, Dimension(symbol.expression, version))
                if symbol.symbol not in known.symbols:
                    known.symbols.append(symbol.symbol)
    for one in found.values():
        by_version = {
            version: symbol for version, own in symbols.items() for symbol in own if symbol.expression == one.expression
        }
        spans = (_span(id_, by_version.get(id_), fixed.get(id_, {}).get(one.expression)) for id_ in symbols)
        one.spans = [each for each in spans if each is not None]
        _explain(context, one, by_version, learned)
    return list(found.values())


def _span(version: str, symbol: Symbol | None, fixed: str | None) -> Span | None:
    if symbol is None:
        value = _integer(fixed)
        return None if value is None else Span(version, value, value, fixed, str(value))
    if symbol.is_ is not None and (value := _integer(symbol.is_)) is not None:
        return Span(version, value, value, symbol.value, str(value))
    low, high = _integer(symbol.lower), _integer(symbol.upper)
    if high is None and (known := _BOUNDS.fullmatch(fixed or "")):  # torch's own events have only the first range
        return Span(version, int(known[1]), int(known[2]), symbol.value, known[0])
    return Span(version, low, high, symbol.value, span(symbol.lower, symbol.upper))


def _explain(
    context: Context, one: Dimension, own: Mapping[str, Symbol], learned: Mapping[str, Sequence[Learned]]
) -> None:
    first = own[one.since]
    name = ", ".join(f"`{symbol}`" for symbol in one.symbols)
    changed = next((each for each in learned.get(one.since, ()) if each.expression == one.expression), None)
    if changed is not None:
        one.saves = one.since
        seen = f"{changed.old} and {changed.new}" if changed.old and changed.new else "a second value"
        one.sentences.append(f"After {seen} {'were' if changed.old else 'was'} seen, torch made it symbolic ({name}).")
    else:
        why = _WHY.get(first.why or "")
        one.sentences.append(f"{why} torch calls it {name}." if why else f"It is symbolic: torch calls it {name}.")
    for symbol in own.values():
        if symbol.bound_at is None:
            continue
        source, line = context.sources.get(symbol.bound_at.file), symbol.bound_at.range.start.line + 1
        test = syntax.test_on(source, line, symbol.bound_at.file, "")
        text = None if test is None else syntax.text_at(source, test)
        if symbol.is_ is not None and _integer(symbol.is_) is not None:
            one.sentences.append(f"Line {line} needs its exact value, so each value is compiled in again.")
        elif text is not None and _integer(symbol.upper) is not None:
            one.sentences.append(f"The test `{text}` then splits it.")
        else:
            continue
        one.place = symbol.bound_at
        return


def _integer(text: str | None) -> int | None:
    try:
        return int(text) if text is not None and len(text) <= 15 else None  # noqa: PLR2004 - exact in JavaScript
    except ValueError:
        return None
