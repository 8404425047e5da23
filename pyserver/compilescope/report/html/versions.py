"""The versions of each function side by side: what each accepts, and the guard that failed and made it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis.recompile_view import Recompiles
from compilescope.analysis.shown_values import shown_pair
from compilescope.report.counts import counts
from compilescope.report.html.figures import NOTHING, counted, plain, seconds
from compilescope.report.html.markup import EMPTY, Markup, details, join, section, shortened, table, tag

if TYPE_CHECKING:
    from compilescope.analysis.recompile_model import Cause, Row, Table, VersionOf
    from compilescope.report.html.material import Material

_MOST_FUNCTIONS = 20
_MOST_VERSIONS = 12
_MOST_ROWS = 24
_STACK = re.compile(r"___stack\d+")
_ALSO = 3
"""Rows that did not fail which are shown at once."""


def versions(material: Material) -> Markup:
    """The section; empty when no function has a second version."""
    if material.recording is None:
        return EMPTY
    reader = Recompiles(material.recording, material.context, material.result)
    several = [one for one in reader.functions() if one.versions > 1 or one.recompiles]
    if not several:
        return EMPTY
    if len(several) > _MOST_FUNCTIONS:
        material.left_out.append(f"the versions of {len(several) - _MOST_FUNCTIONS} functions")
    tables = [reader.of(one.compile_id) for one in several[:_MOST_FUNCTIONS]]
    found = counts(material.result)
    about = f"{counted(found.recompiles, 'recompile')} of {counted(found.recompiled, 'function')}"
    if not found.recompiles:
        about = f"none; {counted(len(several), 'function')} with several versions"
    elif len(several) > found.recompiled:
        about += f", {counted(len(several), 'piece')} of code"
    key = "a cell is what the version accepts; old → new made it"
    return section("recompiles", "Recompiles", about, *(_function(one) for one in tables if one), right=key)


def _function(found: Table) -> Markup:
    shown = found.versions[:_MOST_VERSIONS]
    name = shortened(found.function, 120) + (f", from line {found.resumed} on" if found.resumed else "")
    limit = found.limit
    meter = None
    if limit:
        level = "bad" if limit.used >= limit.most else "pos" if limit.used >= 0.75 * limit.most else ""
        refused = f", {limit.refused} refused" if limit.refused else ""
        meter = tag("small", f"{limit.used} of {limit.most} versions{refused}", class_=f"rt {level}".strip())
    place = tag("small", f"{found.file}:{found.line}", class_="mono")
    head = [tag("th", "Guarded", scope="col"), *(_head(one) for one in shown)]
    failed = [one for one in found.rows if one.failures]
    rest = [one for one in found.rows if not one.failures]
    first = [*failed, *rest[:_ALSO]][:_MOST_ROWS]
    more = rest[_ALSO:_MOST_ROWS]
    parts = [
        table(
            head,
            [_row(one, shown, found.resumed) for one in first],
            "vt",
            f"Versions of {shortened(found.function, 120)}",
        )
    ]
    if more:
        label = f"{len(more)} more that did not fail"
        parts.append(details(label, table(head, [_row(one, shown, found.resumed) for one in more], "vt", label)))
    left = len(found.versions) - len(shown)
    said = [f"{left} more versions." if left > 0 else "", _price(found), found.no_guards or "", found.no_calls or ""]
    parts.append(tag("p", " ".join(filter(None, said)), class_="dim") if any(said) else EMPTY)
    return tag("div", tag("h3", name, place, meter), *parts, class_="block")


def _head(one: VersionOf) -> Markup:
    calls = "" if one.calls is None else counted(one.calls, "call")
    about = ", ".join(filter(None, [calls, f"{plain(one.seconds)} s"]))
    return tag("th", tag("span", shortened(one.id, 40), class_="mono"), tag("small", about), scope="col")


def _row(one: Row, shown: list[VersionOf], resumed: int | None) -> Markup:
    about = shortened(_STACK.sub(f"result of line {resumed}" if resumed else "result", one.about), 80)
    times = tag("span", f" failed {len(one.failures)}×" if len(one.failures) > 1 else " failed", class_="st guard")
    head = tag("th", tag("span", about, class_="mono"), times if one.failures else None, scope="row", class_="wrap")
    cells = []
    for at, version in enumerate(shown):
        value = one.same if one.same is not None else one.cells[at] if at < len(one.cells) else None
        before = one.cells[at - 1] if 0 < at <= len(one.cells) else None
        if at in one.failures:
            cells.append(tag("td", _change(version.cause, value), class_="mono hit wrap"))
        else:
            same = one.same is not None or (at > 0 and value == before)
            cells.append(tag("td", shortened(value or NOTHING, 60), class_="mono wrap dim" if same else "mono wrap"))
    return tag("tr", head, *cells)


def _change(cause: Cause | None, value: str | None) -> Markup:
    """`10 → 7`, and what the new version accepts when that is more than the new value."""
    if cause is None or (cause.old is None and cause.new is None):
        return join([shortened(value or NOTHING, 60)])
    old, new = (shortened(one, 32) for one in shown_pair(cause.old, cause.new) or ("?", "?"))
    accepts = tag("small", shortened(value, 40)) if value and value not in {cause.new, cause.old} else None
    return join([f"{old} → {new}", accepts])


def _price(found: Table) -> str:
    spent = f"Recompiling took {seconds(found.recompile_s)}" if found.recompile_s else ""
    checks = f"checking guards about {seconds(found.guard_s)}" if found.guard_s else ""
    calls = f" in {counted(found.calls, 'call')}" if found.calls and checks else ""
    said = ", ".join(filter(None, [spent, checks]))
    return f"{said}{calls}." if said else ""
