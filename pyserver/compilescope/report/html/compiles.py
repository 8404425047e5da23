"""Every compile with its seconds, guards and graph; a backward graph has a row of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.counts import counts, has_backward
from compilescope.report.html.figures import NOTHING, counted, number, plain, seconds
from compilescope.report.html.markup import EMPTY, Markup, bar, details, right, row, section, shortened, table, tag

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Result
    from compilescope.report.html.material import Material

MOST_OPEN = 40
MOST = 400
_BREAKS = {"graph-break", "graph-break-error"}


def compiles(material: Material) -> Markup:
    """The section; empty when nothing was compiled."""
    result = material.result
    if not result.compiles:
        return EMPTY
    status = _statuses(result)
    dearest = max((_spent(one) for one in result.compiles), default=0.0) or 1.0
    rows = [line for one in result.compiles[:MOST] for line in _rows(one, status.get(one.id), dearest)]
    if len(result.compiles) > MOST:
        material.left_out.append(f"{len(result.compiles) - MOST:,} of {len(result.compiles):,} compiles")
    head = [
        *("Id", "Function", "Where", "Status", right("Capture s"), right("Compile s"), right("Guard / call")),
        *(right("Nodes / edges"), right("Guards"), right("Calls"), "Seconds"),
    ]
    more = (
        details(f"{len(rows) - MOST_OPEN} more", table(head, rows[MOST_OPEN:], "ct", "More compiles"))
        if rows[MOST_OPEN:]
        else None
    )
    found = counts(result)
    about = counted(len(result.compiles), "compile")
    if found.backward_made:
        about += f", {counted(found.backward_made, 'backward graph')}"
        about += f", {found.backward:,} of them ran" if found.backward < found.backward_made else ""
    return section("compiles", "Compiles", about, table(head, rows[:MOST_OPEN], "ct", "Compiles"), more)


def _statuses(result: Result) -> dict[str, tuple[str, str]]:
    """By compile: the kind of badge and the word in it, the worst that happened to it."""
    found: dict[str, tuple[str, str]] = {}
    for finding in result.findings:
        for id_ in finding.compile_ids:
            if finding.rule in _BREAKS:
                found[id_] = ("warn", "graph break")
            elif finding.rule in {"recompile", "recompile-limit"}:
                found.setdefault(id_, ("info", "recompile"))
    return found


def _badge(one: Compile, told: tuple[str, str] | None) -> Markup:
    kind, said = (
        {
            "failed": ("bad", "failed"),
            "skipped": ("warn", "runs in eager"),
            "running": ("bad", "not finished"),
        }.get(one.status)
        or told
        or ("ok", "ok")
    )
    return tag("span", said, class_=f"st {kind}")


def _spent(one: Compile) -> float:
    return one.seconds.get("total", 0.0)


def _rows(one: Compile, told: tuple[str, str] | None, dearest: float) -> list[Markup]:
    spent = one.seconds
    backward = spent.get("backward")
    capture = spent.get("capture")
    forward = spent.get("total", 0.0) - (backward or 0.0) - (capture or 0.0)
    guard = spent.get("guard_check")
    nodes, edges = one.graph.get("nodes"), one.graph.get("edges")
    calls = sum(count for way, count in one.calls.items() if way != "backward") if one.calls else None
    name = one.qualname or one.function
    rows = [
        row(
            tag("td", shortened(one.id, 40), class_="mono"),
            tag("td", shortened(f"{name}, after a break" if one.resumed else name, 60)),
            tag("td", f"{shortened(one.file, 200)}:{one.line}", class_="mono dim"),
            tag("td", _badge(one, told)),
            number(plain(capture) or NOTHING),
            number(plain(max(forward, 0.0)) if spent.get("total") is not None else NOTHING),
            number(seconds(guard) or NOTHING),
            number(f"{nodes:,} / {edges:,}" if nodes is not None and edges is not None else NOTHING),
            number(NOTHING if one.guards is None else f"{one.guards:,}"),
            number(NOTHING if calls is None else f"{calls:,}"),
            tag("td", bar((_spent(one) - (backward or 0.0)) / dearest), class_="bc"),
        )
    ]
    if has_backward(one):
        rows.append(
            row(
                tag("td", f"{shortened(one.id, 40)} bw", class_="mono"),
                tag("td", f"backward of {one.id}"),
                tag("td", ""),
                tag("td", tag("span", "ok", class_="st ok")),
                number(NOTHING),
                number(plain(backward) or NOTHING),
                number(NOTHING),
                number(NOTHING),
                number(NOTHING),
                number(f"{one.calls.get('backward'):,}" if "backward" in one.calls else NOTHING),
                tag("td", bar((backward or 0.0) / dearest), class_="bc"),
            )
        )
    return rows
