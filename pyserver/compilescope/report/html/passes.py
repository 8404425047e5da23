"""The passes of each graph: those that changed it, the slow ones, the program's own; nested repeats are folded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.report.html.figures import NOTHING, change, counted, number, plain, seconds
from compilescope.report.html.markup import (
    EMPTY,
    Markup,
    bar,
    details,
    join,
    prose,
    right,
    row,
    section,
    shortened,
    table,
    tag,
)

if TYPE_CHECKING:
    from compilescope.analysis.model import Pass, UnrunPass
    from compilescope.report.html.material import Material

MOST_OPEN = 40
_MOST_COMPILES = 12
_MOST = 300
_SLOW = 0.05
"""The share of the slowest pass from which on one that changed nothing is shown at once."""
_PHASES = {"pre_grad": "pre-grad", "post_grad": "post-grad", "joint": "joint", "aot": "AOT", "dynamo": "Dynamo"}


def passes(material: Material) -> Markup:
    """The section; empty when no pass was recorded."""
    result = material.result
    by_compile: dict[str, list[Pass]] = {}
    for one in result.passes:
        by_compile.setdefault(one.compile_id, []).append(one)
    if not by_compile and not result.unrun:
        return EMPTY
    ordered = sorted(by_compile.items(), key=lambda each: -sum(one.seconds for one in each[1] if one.depth == 0))
    if len(ordered) > _MOST_COMPILES:
        material.left_out.append(f"the passes of {len(ordered) - _MOST_COMPILES} compiles, the quickest")
    blocks = [_compile(id_, found, first=number == 0) for number, (id_, found) in enumerate(ordered[:_MOST_COMPILES])]
    about = _about(result.passes) if result.passes else None
    return section("passes", "Passes", about, _unrun(result.unrun), *blocks)


def _about(every: list[Pass]) -> str:
    ran = [one for one in every if one.kind == "pass"]
    changed, own = sum(one.changed for one in ran), sum(one.custom for one in ran)
    said = [counted(len(ran), "pass", "passes") + " observed"]
    if all(map(_is_unseen, ran)):
        return f"{said[0]}; what they did to the graph is not recorded: a log of torch alone has their times"
    said.append(f"{changed:,} changed a graph")
    if own:
        said.append(f"{own:,} of the program's own")
    return ", ".join(said) + "; grey = slow and unchanged; Δ counts nodes"


def _compile(id_: str, every: list[Pass], *, first: bool) -> Markup:
    shown = _unfolded(every)
    slowest = max((one.seconds for one in shown), default=0.0) or 1.0
    loud = [one for one in shown if _is_loud(one, slowest)]
    kept = {id(one) for one in loud}
    quiet = [one for one in shown if id(one) not in kept]
    unseen = all(_is_unseen(one) for one in every if one.kind == "pass")
    none = "What the passes did is not recorded." if unseen else "No pass changed a graph."
    parts = [_table(loud[:MOST_OPEN], slowest, f"Passes of {id_}")] if loud else [tag("p", none)]
    if loud[MOST_OPEN:]:
        more = loud[MOST_OPEN:_MOST]
        parts.append(details(f"{len(loud) - MOST_OPEN} more", _table(more, slowest, f"More passes of {id_}")))
    if quiet:
        label = f"{_kinds(quiet)}, all of them quick" if unseen else f"{_kinds(quiet)} that changed nothing"
        parts.append(details(label, _table(quiet[:_MOST], slowest, f"Quick passes of {id_}")))
    spent = seconds(sum(one.seconds for one in every if one.depth == 0))
    ran = sum(one.kind == "pass" for one in every)
    said = f"{shortened(id_, 40)}: {counted(ran, 'pass', 'passes')}, {spent}"
    slow = max(shown, key=lambda one: one.seconds, default=None)
    summary = join(
        [tag("b", said), tag("span", f" slowest: {slow.name}, {seconds(slow.seconds)}", class_="dim") if slow else None]
    )
    return details(summary, *parts, open_=first, class_="block")


def _kinds(quiet: list[Pass]) -> str:
    """`3 quick passes and 1 phase`."""
    passes = sum(one.kind == "pass" for one in quiet)
    phases = len(quiet) - passes
    said = [counted(passes, "quick pass", "quick passes")] * bool(passes) + [counted(phases, "phase")] * bool(phases)
    return " and ".join(said)


def _unfolded(every: list[Pass]) -> list[Pass]:
    """The passes in order, without those that do again what the one around them does."""
    ordered = sorted(every, key=lambda one: one.order)
    outer = {(one.graph, one.phase, one.name, one.before, one.after) for one in ordered if one.depth == 0}
    return [
        one for one in ordered if one.depth == 0 or (one.graph, one.phase, one.name, one.before, one.after) not in outer
    ]


def _is_unseen(one: Pass) -> bool:
    """Whether nobody recorded what a pass did to the graph."""
    return not one.changed and one.nodes_before is None


def _is_loud(one: Pass, slowest: float) -> bool:
    return one.changed or one.custom or one.error is not None or one.gap or one.seconds >= _SLOW * slowest


def _table(shown: list[Pass], slowest: float, caption: str) -> Markup:
    nodes = tag("th", "Nodes", scope="col", colspan=3, class_="mid")
    head = [
        "Phase",
        "Pass",
        right("ms"),
        tag("th", tag("span", "Share", class_="hidden"), scope="col"),
        nodes,
        right("Δ"),
        "What changed",
    ]
    return table(head, [_row(one, slowest) for one in shown], "pt", caption)


def _row(one: Pass, slowest: float) -> Markup:
    known = one.nodes_before is not None and one.nodes_after is not None
    delta = (one.nodes_after or 0) - (one.nodes_before or 0) if known and one.changed else None
    name = [_name(one)]
    if one.custom:
        name.append(tag("span", "yours", class_="st info", title=one.slot and shortened(one.slot, 120)))
    return row(
        tag("td", _phase(one), class_="dim"),
        tag("td", *name, class_="wrap", title=one.function and shortened(one.function, 300)),
        number(plain(1000 * one.seconds, 1)),
        tag("td", bar(one.seconds / slowest), class_="bc"),
        number(f"{one.nodes_before:,}" if known else NOTHING),
        tag("td", "→" if known else "", class_="ar"),
        number(f"{one.nodes_after:,}" if known else "", class_=""),
        number(change(delta)),
        tag("td", _what(one), class_="wrap"),
        class_="un" if not one.changed and not one.custom and one.error is None else None,
    )


def _name(one: Pass) -> Markup:
    """What a pass is called; one of the program's own by its function."""
    if one.gap:
        return tag("span", "outside of every pass", class_="dim")
    own = (one.function or "").rpartition(".")[2] if one.custom else ""
    return tag("span", shortened(own or one.name, 120), class_="mono")


def _phase(one: Pass) -> str:
    name = _PHASES.get(one.phase, one.phase)
    way = one.graph.rpartition("/")[2]
    return f"{name} {way}" if one.phase == "post_grad" and way in {"forward", "backward"} else shortened(name, 40)


def _what(one: Pass) -> Markup:
    """What a pass did, as far as the recording says."""
    if one.error is not None:
        return tag("span", shortened(f"failed: {one.error}: {one.message or ''}", 200), class_="bad")
    if one.matches:
        kinds = Counter(match.target.rpartition("aten.")[2].partition(".")[0] or match.pattern for match in one.matches)
        said = ", ".join(f"{count} × {shortened(name, 40)}" for name, count in kinds.most_common(3))
        return join([f"matched {said}", " …" if len(kinds) > 3 else ""])  # noqa: PLR2004
    if not one.changed:
        return join(["unchanged" if one.kind == "pass" else ""])
    edges = None if one.edges_before is None or one.edges_after is None else one.edges_after - one.edges_before
    if edges:
        return join([f"edges {edges:+,}".replace("-", "−")])
    return join(["rewritten in place" if one.nodes_before == one.nodes_after else ""])


def _unrun(unrun: list[UnrunPass]) -> Markup | None:
    """The program's own passes that never ran, with the reason."""
    if not unrun:
        return None
    found = dict.fromkeys((one.function, one.slot, one.file, one.line, one.reason) for one in unrun)
    said = [
        tag(
            "li",
            tag("code", name.rpartition(".")[2]),
            f" ({slot}",
            f", {file}:{line}" if file else "",
            ") did not run: ",
            prose(reason),
        )
        for name, slot, file, line, reason in list(found)[:20]
    ]
    return tag("ul", *said, class_="notes")
