"""The timeline as a still picture: threads one below the other, nested spans as a flame, and what each line cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.timeline import timeline as read
from compilescope.analysis.timeline_model import STAGES
from compilescope.report.html.figures import NOTHING, counted, number, percent, plain, seconds
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
    from compilescope.analysis.model import LineTime, Result
    from compilescope.analysis.timeline_model import Lane, Mark, Timeline, TimeSpan
    from compilescope.report.html.material import Material

_WIDTH, _ROW, _LANE_HEAD, _TOP = 1012.0, 17.0, 17.0, 22.0
_THINNEST = 0.7
"""Spans that are thinner, in pixels, are not drawn one by one but joined with their neighbours."""
_DEEPEST = 12
_MOST_LANES = 24
_MOST_MARKS = 24
_MOST_LINES = 15
_CHARACTER = 5.7
_STAGE_CLASS = {stage: "cpp" if stage == "compiler" else stage for stage in STAGES}


def timeline(material: Material) -> Markup:
    """The section; empty when nothing has a recorded time."""
    if material.recording is None:
        return EMPTY
    found = read(material.recording, material.result, material.context)
    if not found.spans or found.seconds <= 0:
        return EMPTY
    if len(found.lanes) > _MOST_LANES:
        material.left_out.append(f"{len(found.lanes) - _MOST_LANES} threads of the timeline")
    about = f"{seconds(found.seconds)}, {counted(len(found.spans), 'span')} in {counted(len(found.lanes), 'thread')}"
    return section("timeline", "Timeline", about, _picture(found), _marks(found), _lines(material.result))


def _picture(found: Timeline) -> Markup:
    scale = _WIDTH / found.seconds
    top = _TOP
    drawn: list[Markup] = []
    by_lane: dict[int, list[TimeSpan]] = {}
    for span in found.spans:
        by_lane.setdefault(span.lane, []).append(span)
    for at, lane in enumerate(found.lanes[:_MOST_LANES]):
        drawn.append(tag("text", shortened(_name(lane), 80), x=2, y=f"{top + 12:.0f}", class_="gs"))
        top += _LANE_HEAD
        drawn += _spans(by_lane.get(at, []), top, scale)
        rows = 1 + max((min(span.row, _DEEPEST - 1) for span in by_lane.get(at, [])), default=0)
        top += rows * _ROW + 6
    bottom = top
    axis = _axis(found.seconds, scale, bottom)
    marks = [_mark(mark, scale, bottom) for mark in _told(found)[:_MOST_MARKS]]
    size = f"0 0 {_WIDTH:.0f} {bottom + 4:.0f}"
    name = f"Timeline of {seconds(found.seconds)}: {counted(len(found.spans), 'span')}"
    image = tag(
        "svg", *axis, *drawn, *marks, viewBox=size, width=f"{_WIDTH:.0f}", role="img", aria_label=name, class_="flame"
    )
    used = {span.stage for span in found.spans}
    legend = [
        tag("span", tag("i", class_=f"key s-{_STAGE_CLASS[one]}"), name) for one, name in STAGES.items() if one in used
    ]
    return tag("figure", image, tag("figcaption", *legend), class_="gp")


def _name(lane: Lane) -> str:
    rank = f", rank {lane.rank}" if lane.rank is not None else ""
    return lane.name + rank


def _axis(whole: float, scale: float, bottom: float) -> list[Markup]:
    """Lines at round times."""
    sizes = (m * 10.0**e for e in range(-6, 12) for m in (1, 2, 5))
    step = next((size for size in sizes if whole / size <= 10), whole)  # noqa: PLR2004
    ticks = [at * step for at in range(int(whole / step) + 1)]
    return [
        join(
            [
                tag("path", d=f"M{time * scale:.1f} 14V{bottom:.0f}", class_="tick"),
                tag("text", seconds(time) if time else "0", x=f"{time * scale + 3:.1f}", y=10, class_="gs"),
            ]
        )
        for time in ticks
        if time * scale < _WIDTH - 30
    ]


def _spans(spans: list[TimeSpan], top: float, scale: float) -> list[Markup]:
    """The boxes of one lane; neighbours that are too thin become one box, in the colour of the longest."""
    drawn: list[Markup] = []
    rows: dict[int, list[TimeSpan]] = {}
    for span in spans:
        if span.row < _DEEPEST:
            rows.setdefault(span.row, []).append(span)
    for depth, every in sorted(rows.items()):
        y = top + depth * _ROW
        thin: list[TimeSpan] = []
        for span in sorted(every, key=lambda one: one.start):
            if thin and (span.start - thin[-1].end) * scale > 1:
                drawn.append(_joined(thin, y, scale))
                thin = []
            if span.seconds * scale < _THINNEST:
                thin.append(span)
            else:
                drawn.append(_span(span, y, scale))
        if thin:
            drawn.append(_joined(thin, y, scale))
    return drawn


def _span(span: TimeSpan, y: float, scale: float) -> Markup:
    x, width = span.start * scale, max(span.seconds * scale, _THINNEST)
    place = f"\n{span.line.file}:{span.line.line}" if span.line else ""
    about = f"{shortened(span.label, 160)}\n{seconds(span.seconds)}"
    about += f", {seconds(span.own)} of it its own" if span.own < span.seconds else ""
    about += f"\ncompile {shortened(span.compile_id, 40)}" if span.compile_id else ""
    about += "\nnot ended when the recording did" if span.open else ""
    room = int((width - 8) / _CHARACTER)
    text = span.label if len(span.label) <= room else f"{span.label[: room - 1]}…" if room > 3 else ""  # noqa: PLR2004 - no word fits
    return tag(
        "g",
        tag("title", about + place),
        tag(
            "rect",
            x=f"{x:.1f}",
            y=f"{y:.0f}",
            width=f"{max(width - 0.5, 0.5):.1f}",
            height=f"{_ROW - 1:.0f}",
            rx=1.5 if text else None,
        ),
        tag("text", text, x=f"{x + 4:.1f}", y=f"{y + 11.5:.1f}") if text else None,
        class_=f"sp s-{_STAGE_CLASS[span.stage]}" + (" open" if span.open else ""),
    )


def _joined(spans: list[TimeSpan], y: float, scale: float) -> Markup:
    start, end = spans[0].start, max(span.end for span in spans)
    longest = max(spans, key=lambda span: span.seconds)
    said = longest.label if len(spans) == 1 else f"{len(spans)} short spans, the longest {longest.label}"
    box = tag(
        "rect",
        x=f"{start * scale:.1f}",
        y=f"{y:.0f}",
        width=f"{max((end - start) * scale, _THINNEST):.1f}",
        height=f"{_ROW - 1:.0f}",
    )
    title = tag("title", f"{shortened(said, 160)}\n{seconds(sum(span.seconds for span in spans))}")
    return tag("g", title, box, class_=f"sp s-{_STAGE_CLASS[longest.stage]}")


def _mark(mark: Mark, scale: float, bottom: float) -> Markup:
    x = min(mark.time * scale, _WIDTH - 1)
    return tag(
        "g",
        tag("title", f"{seconds(mark.time)}: {shortened(mark.text, 200)}"),
        tag("path", d=f"M{x:.1f} {_TOP:.0f}V{bottom:.0f}", class_="rule"),
        tag("path", d=f"M{x:.1f} {_TOP - 8:.0f}l4 4-4 4-4-4Z", class_="diamond"),
        class_=f"mark {mark.kind}",
    )


def _told(found: Timeline) -> list[Mark]:
    """The marks without those of first compiles, which the spans show."""
    return [mark for mark in found.marks if mark.kind != "first"]


def _marks(found: Timeline) -> Markup | None:
    """What the dashed lines are, as a list."""
    told = _told(found)
    if not told:
        return None
    lines = [
        row(
            number(seconds(mark.time)),
            tag("td", mark.kind, class_="dim"),
            tag("td", prose(mark.text, 300), class_="wrap"),
            tag("td", f"{mark.line.file}:{mark.line.line}" if mark.line else "", class_="mono dim"),
        )
        for mark in told[:_MOST_MARKS]
    ]
    more = f", {len(told) - _MOST_MARKS} more" if len(told) > _MOST_MARKS else ""
    head = [right("At"), "What", "Why", "Where"]
    return details(f"{counted(len(told), 'mark')}{more}", table(head, lines, None, "Marks"), open_=len(told) <= 6)  # noqa: PLR2004


def _lines(result: Result) -> Markup | None:
    """Compile seconds by line of the program, the dearest first."""
    lines = sorted(result.lines, key=lambda one: -one.seconds.get("total", 0.0))
    whole = sum(one.seconds.get("total", 0.0) for one in lines)
    if not whole:
        return None
    shown, others = lines[:_MOST_LINES], lines[_MOST_LINES:]
    most = shown[0].seconds.get("total", 0.0)
    parts = ("capture", "backend", "backward", "guards")
    rows = [_line(one, parts, most, whole) for one in shown]
    if others:
        rest = sum(one.seconds.get("total", 0.0) for one in others)
        cells = [
            tag("td", ""),
            *(tag("td", "") for _ in parts),
            tag("td", ""),
            number(plain(rest)),
            number(percent(rest / whole)),
        ]
        rows.append(row(tag("td", f"{len(others)} more lines", class_="dim"), *cells))
    share = tag("th", tag("span", "Share", class_="hidden"), scope="col")
    names = ("Capture", "Backend", "Backward", "Guards")
    head = ["Line", right("Operations"), *map(right, names), share, right("Seconds"), right("Share")]
    return join([tag("h3", "Compile time by line", class_="sub"), table(head, rows, "spent", "Compile time by line")])


def _line(one: LineTime, parts: tuple[str, ...], most: float, whole: float) -> Markup:
    spent = one.seconds.get("total", 0.0)
    return row(
        tag("td", f"{shortened(one.file, 200)}:{one.line}", class_="mono"),
        number(f"{one.operations:,}"),
        *(number(plain(one.seconds.get(part)) or NOTHING) for part in parts),
        tag("td", bar(spent / most if most else 0), class_="bc"),
        number(plain(spent)),
        number(percent(spent / whole)),
    )
