"""What the graphs became: kernels by kind, fallbacks, and what was decided about fusion and CUDA graphs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.report.html.figures import NOTHING, counted, number
from compilescope.report.html.markup import (
    EMPTY,
    Markup,
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
    from compilescope.analysis.kernel_model import FusionDecision, Kernel, KernelPart
    from compilescope.analysis.model import Place, Result
    from compilescope.report.html.material import Material

_MOST_OPEN = 12
_MOST = 150
_MOST_REASONS = 12
_KINDS = {
    "cpp": "C++ kernel",
    "triton": "Triton kernel",
    "extern": "library call",
    "fallback": "fallback",
    "template": "template",
}


def kernels(material: Material) -> Markup:
    """The section; empty when there is no kernel."""
    result = material.result
    if not result.kernels and not result.triton:
        return EMPTY
    kinds = Counter(_KINDS.get(one.kind, one.kind) for one in result.kernels)
    about = ", ".join(counted(count, name) for name, count in kinds.most_common())
    same: dict[tuple[object, ...], list[Kernel]] = {}
    for one in result.kernels:
        same.setdefault((one.kind, _name(one), *one.places), []).append(one)
    ordered = sorted(same.values(), key=lambda each: (each[0].kind != "fallback", -len(each[0].nodes)))
    if len(ordered) > _MOST:
        material.left_out.append(f"{len(ordered) - _MOST:,} kernels with few operations")
    head = ["Kernel", "Kind", "Graph", right("Operations"), "Computes", "Where"]
    rows = [_row(each, material) for each in ordered[:_MOST]]
    first = table(head, rows[:_MOST_OPEN], "kt", "Kernels") if rows else None
    rest = rows[_MOST_OPEN:]
    more = details(f"{len(rest)} more", table(head, rest, "kt", "More kernels")) if rest else None
    return section("kernels", "Kernels", about, first, more, _triton(result), _fusion(result), *_cudagraphs(result))


def _name(one: Kernel) -> str:
    return one.operator or one.name if one.kind in {"fallback", "extern"} else one.name


def _row(same: list[Kernel], material: Material) -> Markup:
    """One kernel; the same one in several graphs, as after a recompile, is one row."""
    one = same[0]
    kind = "bad" if one.kind == "fallback" else "ok" if one.kind in {"cpp", "triton", "template"} else "info"
    graphs = dict.fromkeys(each.graph for each in same)
    graph = shortened(one.graph, 40) + (f" and {len(graphs) - 1} more" if len(graphs) > 1 else "")
    places = one.places[:2]
    written = ", ".join(filter(None, (material.excerpts.text(each.file, each.range, 44) for each in places)))
    more = f" +{len(one.places) - len(places)}" if len(one.places) > len(places) else ""
    return row(
        tag("td", shortened(_name(one), 70), class_="mono wrap"),
        tag("td", tag("span", _KINDS.get(one.kind, shortened(one.kind, 30)), class_=f"st {kind}")),
        tag("td", graph, class_="mono dim"),
        number(f"{len(one.nodes):,}"),
        tag("td", written, more, class_="mono wrap"),
        tag("td", _place(places[0]) if places else NOTHING, class_="mono dim"),
    )


def _place(place: Place) -> str:
    return f"{shortened(place.file, 200)}:{place.range.start.line + 1}"


def _triton(result: Result) -> Markup | None:
    known = [one for one in result.triton if one.kernel is not None and not one.trial]
    if not known:
        return None
    known.sort(key=lambda one: (-(one.registers or 0), -(one.shared or 0)))
    head = ["Triton kernel", "Target", right("Registers"), right("Spills"), right("Shared"), right("Warps")]
    rows = [
        row(
            tag("td", shortened(one.kernel, 80), class_="mono wrap"),
            tag("td", shortened(one.target or NOTHING, 30) + (" preview" if one.preview else ""), class_="dim"),
            *(
                number(NOTHING if value is None else f"{value:,}")
                for value in (one.registers, one.spills, one.shared, one.num_warps)
            ),
        )
        for one in known[:_MOST_OPEN]
    ]
    return join([tag("h3", "Triton", class_="sub"), table(head, rows, None, "Triton kernels")])


def _fusion(result: Result) -> Markup | None:
    """Why loops were left apart, the most frequent reasons first."""
    if not result.fusion:
        return None
    fused = sum(one.times for one in result.fusion if one.fused)
    apart = [one for one in result.fusion if not one.fused]
    reasons: Counter[tuple[str, str, str]] = Counter()
    for one in apart:
        reasons[_line(one.first), _line(one.second), one.reason or "no reason given"] += one.times
    rows = [
        row(
            number(f"{times} ×"),
            tag("td", f"{first} and {second}", class_="mono dim"),
            tag("td", prose(reason, 200), class_="wrap"),
        )
        for (first, second, reason), times in reasons.most_common(_MOST_REASONS)
    ]
    said = f"Fusion: {counted(fused, 'pair')} fused, {_apart(apart):,} left apart"
    body = (
        table([right("Times"), "Loops of", "Why apart"], rows, None, "Fusion")
        if rows
        else tag("p", "No pair was left apart.")
    )
    return details(said, body)


def _apart(decisions: list[FusionDecision]) -> int:
    return sum(one.times for one in decisions)


def _line(part: KernelPart) -> str:
    return _place(part.places[0]) if part.places else shortened(", ".join(part.nodes[:2]), 60)


def _cudagraphs(result: Result) -> list[Markup]:
    """What became of CUDA graphs, each outcome once with the compiles that it is of."""
    met: dict[tuple[str, str], list[str]] = {}
    for one in result.cudagraphs:
        met.setdefault((one.what, one.reason or ""), []).append(one.compile_id)
    rows = [
        row(
            tag("td", shortened(what, 40)),
            tag("td", prose(reason, 300), class_="wrap"),
            tag("td", shortened(", ".join(dict.fromkeys(ids)), 80), class_="mono dim"),
            number(f"{len(ids):,}"),
        )
        for (what, reason), ids in list(met.items())[:_MOST_REASONS]
    ]
    head = ["What", "Why", "Compiles", right("Times")]
    return [tag("h3", "CUDA graphs", class_="sub"), table(head, rows, None, "CUDA graphs")] if rows else []
