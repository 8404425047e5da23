"""What torch itself notes of compiles: failures and restarts, symbols and guards on shapes, its metrics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from compilescope.report.collectives import sentence
from compilescope.report.html.figures import counted
from compilescope.report.html.markup import EMPTY, Markup, details, prose, row, section, shortened, table, tag

if TYPE_CHECKING:
    from compilescope.analysis.model import Place
    from compilescope.analysis.symbols import Symbol
    from compilescope.report.html.material import Material

_MOST = 200
_MOST_METRICS = 40
_LONGEST = 300


def restarts(material: Material) -> Markup:
    """Every failure and restart with torch's reason; empty where there is none."""
    found = material.result.restarts
    if not found:
        return EMPTY
    rows = [
        row(
            tag("td", shortened(one.compile_id, 40), class_="mono"),
            tag("td", shortened(one.type.rpartition(".")[2], 80)),
            tag("td", prose(" ".join(one.reason.split()), _LONGEST), class_="wrap"),
            tag("td", "" if one.file is None else f"{shortened(one.file, 200)}:{one.line or '?'}", class_="mono dim"),
        )
        for one in _first(material, found, "failures and restarts")
    ]
    failed = sum(one.kind == "failure" for one in found)
    about = ", ".join(filter(None, [_count(failed, "failure"), _count(len(found) - failed, "restart")]))
    head = ["Compile", "Type", "Reason", "Where"]
    return section("restarts", "Failures and restarts", about, table(head, rows, None, "Failures and restarts"))


def symbols(material: Material) -> Markup:
    """What graphs leave open, what was fixed, and the guards on shapes; empty where there is nothing of it."""
    result = material.result
    made = [
        row(tag("td", one.compile_id, class_="mono"), f"{one.symbol}: {shortened(one.expression or 'data decide', 80)}",
            tag("td", _range(one), class_="mono"), one.why or "", _place(one.place))
        for one in _first(material, result.symbols, "symbols")
    ]  # fmt: skip
    fixed = [
        row(tag("td", one.compile_id, class_="mono"), f"{one.symbol}: {shortened(one.expression or '', 80)}",
            tag("td", shortened(one.value, 80), class_="mono"), one.reason or "", _place(one.place))
        for one in _first(material, result.specializations, "specialised symbols")
    ]  # fmt: skip
    guards = [
        row(tag("td", one.compile_id, class_="mono"), tag("td", shortened(one.expression, 200), class_="mono wrap"),
            _place(one.place))
        for one in _first(material, result.shape_guards, "guards on shapes")
    ]  # fmt: skip
    if not (made or fixed or guards):
        return EMPTY
    parts = [
        _folded("Symbols", ["Compile", "Symbol", "First value, range", "Why open", "Where"], made),
        _folded("Fixed to one value", ["Compile", "Symbol", "Value", "How", "Where"], fixed),
        _folded("Guards on shapes", ["Compile", "Guard", "Where"], guards),
    ]
    about = ", ".join(
        filter(
            None,
            [
                _count(len(result.symbols), "symbol"),
                f"{len(result.specializations)} fixed" if result.specializations else "",
                _count(len(result.shape_guards), "guard"),
            ],
        )
    )
    return section("symbols", "Symbols and guards on shapes", about, *parts)


def metrics(material: Material) -> Markup:
    """Torch's `compilation_metrics` of each compile, without its configs; empty where there are none."""
    if material.recording is None:
        return EMPTY
    blocks: list[Markup] = []
    every = 0
    for one in material.context.compiles:
        for kind, values in (("", one.metrics), (" backward", one.backward)):
            if not values:
                continue
            every += 1
            if len(blocks) < _MOST_METRICS:
                name = f"{shortened(material.context.name(one.where), 40)}{kind}"
                blocks.append(_metrics(name, values))
    if not blocks:
        return EMPTY
    if every > len(blocks):
        material.left_out.append(f"torch's metrics of {every - len(blocks):,} of {every:,} compiles")
    return section("metrics", "Torch's metrics", f"compilation_metrics of {counted(every, 'compile')}", *blocks)


def collectives(material: Material) -> Markup:
    """The collectives of each graph as they were scheduled and as they are called; empty where there are none."""
    found = material.result.collectives
    if not found:
        return EMPTY
    rows = [
        row(
            tag("td", shortened(one.compile_id, 40), class_="mono"),
            _value(one.scheduled),
            _value(one.called),
            tag("td", sentence(one) if one.differs else "as scheduled", class_="wrap"),
        )
        for one in _first(material, found, "graphs with collectives")
    ]
    wrong = sum(one.differs for one in found)
    about = f"{counted(wrong, 'graph')} not as scheduled" if wrong else "all as scheduled"
    head = ["Compile", "Scheduled", "Called", ""]
    return section("collectives", "Collectives", about, table(head, rows, None, "Collectives"))


def links(material: Material) -> Markup:
    """Links of torch's, to profiles for instance; empty where there are none."""
    found = material.result.links
    if not found:
        return EMPTY
    shown = [
        tag(
            "li", f"{shortened(one.compile_id, 40)} ", tag("a", shortened(one.name, 80), href=one.url, rel="noreferrer")
        )
        for one in _first(material, found, "links")
    ]
    return section("links", "Links", "as torch noted them", tag("ul", *shown, class_="notes"))


def _metrics(name: str, values: dict[str, Any]) -> Markup:
    rows = [
        row(tag("td", shortened(key, 80), class_="mono"), tag("td", _value(value), class_="mono wrap"))
        for key, value in values.items()
        if value not in (None, [], {}, "") and not key.endswith("_config")
    ]
    return details(f"{name}: {counted(len(rows), 'value')}", table(["Name", "Value"], rows, None, name), class_="block")


def _value(value: object) -> str:
    return shortened(value if isinstance(value, str) else json.dumps(value, default=str), _LONGEST)


def _range(one: Symbol) -> str:
    bounds = "" if one.lower is None and one.upper is None else f"[{one.lower}, {one.upper}]"
    return " ".join(filter(None, [shortened(one.value or "", 40), shortened(bounds, 60)]))


def _place(place: Place | None) -> Markup:
    said = "" if place is None else f"{shortened(place.file, 200)}:{place.range.start.line + 1}"
    return tag("td", said, class_="mono dim")


def _folded(title: str, head: list[str], rows: list[Markup]) -> Markup | None:
    if not rows:
        return None
    return details(f"{title}: {len(rows)}", table(head, rows, None, title), class_="block")


def _count(count: int, noun: str) -> str:
    return counted(count, noun) if count else ""


def _first(material: Material, every: list[Any], what: str) -> list[Any]:
    if len(every) > _MOST:
        material.left_out.append(f"{len(every) - _MOST:,} of {len(every):,} {what}")
    return every[:_MOST]
