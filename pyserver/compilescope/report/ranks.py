"""The ranks of a job beside each other, for the text report, the page and the runs view."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.ending import seconds
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.ranks_model import RankDifference, Ranks, SlowestRank

_SHOWN = 12
_SLOWEST = 3
_WHOLE = {
    "compile-ids": "not the same compiles",
    "cache": "the graph caches answered differently",
    "collectives": "collectives in another order: this can hang",
    "execution-order": "graphs ran in another order",
    "tensor-metadata": "Inductor's tensors differ",
}
_OF_COMPILE = {
    "missing": "not compiled by all ranks",
    "status": "ended differently",
    "graph": "another graph",
    "guards": "other guards",
    "cache": "the graph caches answered differently",
}


def ranks_block(found: Ranks | None, style: Style) -> list[str]:
    """The lines of the text report; none for a run without several ranks."""
    if found is None:
        return []
    lines = [style.paint("strong", headline(found))]
    for title, groups in described(found):
        lines += textwrap.wrap(clean(f"  {title}"), COLUMNS, subsequent_indent="    ")
        for said in groups:
            lines += textwrap.wrap(clean(f"    {said}"), COLUMNS, subsequent_indent="      ")
    lines += [line for one in slowest(found) for line in textwrap.wrap(clean(f"  {one}"), COLUMNS)]
    return lines


def headline(found: Ranks) -> str:
    """`ranks: 4, with 5 differences`."""
    count = len(found.differences)
    said = f"with {count} difference{'s' if count > 1 else ''}" if count else "no difference was found"
    return f"ranks: {len(found.ranks)}, {said}"


def described(found: Ranks) -> list[tuple[str, list[str]]]:
    """Each difference as a title and a text for each group of ranks; neighbours with equal groups as one."""
    told: list[tuple[str, list[str]]] = []
    for _, same in groupby(found.differences, key=_same):
        several = list(same)
        told.append((_title(several), [_group(one.ranks, one.value) for one in several[0].groups]))
    left = len(told) - _SHOWN
    return [*told[:_SHOWN], (f"and {left} more (`--format json` has all)", [])] if left > 0 else told


def slowest(found: Ranks) -> list[str]:
    """A sentence on the slowest rank of the compiles whose ranks lie furthest apart."""
    return [_sentence(one) for one in _first(found)]


def named(ranks: list[int]) -> str:
    """`rank 0`, `ranks 0, 2`, `ranks 0-15`."""
    parts = []
    for _, run in groupby(enumerate(ranks), key=lambda one: one[1] - one[0]):
        numbers = [rank for _, rank in run]
        few = len(numbers) < 3  # noqa: PLR2004 - two are named both
        parts += [str(one) for one in numbers] if few else [f"{numbers[0]}-{numbers[-1]}"]
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(parts)}"


def _same(one: RankDifference) -> object:
    if one.kind != "missing":
        return id(one)
    return [(tuple(group.ranks), group.value) for group in one.groups]


def _title(several: list[RankDifference]) -> str:
    first, last = several[0], several[-1]
    if first.compile_id is None:
        return _WHOLE.get(first.kind, first.what)
    ids = first.compile_id if len(several) == 1 else f"{first.compile_id} to {last.compile_id} ({len(several)})"
    where = f" ({first.what})" if first.kind in {"graph", "guards"} else ""
    return f"{ids}: {_OF_COMPILE.get(first.kind, first.what)}{where}"


def _group(ranks: list[int], value: str) -> str:
    return f"{named(ranks)}: {value}"


def _first(found: Ranks) -> Iterator[SlowestRank]:
    for _, same in groupby(found.slowest, key=lambda one: one.what):
        yield from list(same)[:_SLOWEST]


def _sentence(one: SlowestRank) -> str:
    what = f"slowest at compiling {one.compile_id}" if one.what == "compile" else f"slowest graphs of {one.compile_id}"
    by = "" if one.what == "compile" else " by Inductor's estimate"
    pair = f"{_time(one.seconds)}, the fastest, rank {one.fastest}, {_time(one.fastest_s)}"
    return f"{what}{by}: rank {one.rank}, {pair}"


def _time(value: float) -> str:
    return seconds(value) if value >= 0.01 else f"{1000 * value:.3g} ms"  # noqa: PLR2004 - would show as 0.00 s
