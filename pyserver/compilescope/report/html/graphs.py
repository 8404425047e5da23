"""The graphs of each compile, stage by stage, as pictures that need no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.html.boxes import Box, Boxes, boxes, modules_of
from compilescope.report.html.figures import counted
from compilescope.report.html.layout import HEIGHT, arrange
from compilescope.report.html.markup import EMPTY, Markup, details, join, section, shortened, tag

if TYPE_CHECKING:
    from compilescope.analysis.stages import StageEntry
    from compilescope.report.html.material import Material

_MOST_COMPILES = 8
_MOST_PICTURES = 40
_MOST_NODES = 20_000
_COLOURS = {
    "matmul": 1, "extern": 1, "pointwise": 2, "reduction": 3, "other": 4, "fallback": 5, "kernel": 6, "view": 7,
}  # fmt: skip
_LEGEND = {
    "matmul": "matrix product", "extern": "library call", "pointwise": "pointwise", "reduction": "reduction",
    "kernel": "generated kernel", "fallback": "fallback", "view": "view, copy", "input": "input", "other": "other",
}  # fmt: skip
_CHARACTER = 6.3
_LEAST, _MOST_WIDTH = 54.0, 142.0
ARROW = tag(
    "svg",
    tag(
        "defs",
        tag(
            "marker",
            tag("path", d="M0 .8 7 4 0 7.2Z", class_="ah"),
            id="arrow",
            viewBox="0 0 8 8",
            refX=7,
            refY=4,
            markerWidth=7,
            markerHeight=7,
            orient="auto",
        ),
    ),
    class_="hidden",
    aria_hidden="true",
)


def graphs(material: Material) -> Markup:
    """The section; empty when no graph is recorded."""
    if material.graphs is None:
        return EMPTY
    by_compile: dict[str, list[StageEntry]] = {}
    for entry in material.graphs.stages():
        by_compile.setdefault(entry.compile_id, []).append(entry)
    spent = {one.id: one.seconds.get("total", 0.0) for one in material.result.compiles}
    drawn = [id_ for id_, stages in by_compile.items() if any(one.snapshot for one in stages)]
    drawn.sort(key=lambda id_: -spent.get(id_, 0.0))
    if not drawn:
        return EMPTY
    if len(drawn) > _MOST_COMPILES:
        material.left_out.append(f"the graphs of {len(drawn) - _MOST_COMPILES} of {len(drawn)} compiles, the quickest")
    painter = _Painter(material)
    blocks = [painter.compile(id_, by_compile[id_], first=not at) for at, id_ in enumerate(drawn[:_MOST_COMPILES])]
    if painter.skipped:
        material.left_out.append(f"{counted(painter.skipped, 'picture')} of graphs")
    about = f"of {counted(min(len(drawn), _MOST_COMPILES), 'compile')}, stage by stage"
    return section("graphs", "Graphs", about, ARROW, *blocks)


class _Painter:
    """Draws stages, as many as are worth the space."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._left = _MOST_PICTURES
        self.skipped = 0

    def compile(self, id_: str, stages: list[StageEntry], *, first: bool) -> Markup:
        """The stages of one compile; the one that says most is open."""
        known: dict[str, list[StageEntry]] = {}
        for entry in stages:
            if entry.snapshot is not None:
                known.setdefault(entry.snapshot, []).append(entry)
        shown = _most_telling([entries[0] for entries in known.values()])
        parts = [self._stage(entries, open_=entries[0] is shown) for entries in known.values()]
        missing = [f"{one.label}: {one.unavailable}" for one in stages if one.snapshot is None and one.unavailable]
        if missing:
            parts.append(tag("ul", *(tag("li", shortened(one, 300)) for one in missing[:8]), class_="notes dim"))
        name = next((one.qualname or one.function for one in self._material.result.compiles if one.id == id_), "")
        title = join([tag("b", f"{shortened(id_, 40)} {shortened(name, 80)}"), tag("span", _way(stages), class_="dim")])
        return details(title, *parts, open_=first, class_="block")

    def _stage(self, entries: list[StageEntry], *, open_: bool) -> Markup:
        entry = entries[0]
        way = entry.graph.rpartition("/")[2]
        names = list(dict.fromkeys(one.label for one in entries))
        said = " = ".join(names[:3])
        direction = f", {way}" if way not in {"dynamo", "joint"} else ""
        size = f"{counted(entry.nodes, 'node')}, {counted(entry.edges, 'edge')}"
        title = join([shortened(f"{said}{direction}", 160), tag("span", f" {size}", class_="dim")])
        return details(title, self._picture(entry, f"{names[0]}{direction} of {entry.compile_id}"), open_=open_)

    def _picture(self, entry: StageEntry, name: str) -> Markup:
        if entry.nodes > _MOST_NODES:
            return tag("p", f"{entry.nodes:,} nodes are too many for a picture.", class_="dim")
        if self._left <= 0:
            self.skipped += 1
            return tag("p", "Not drawn here, to keep this file small.", class_="dim")
        self._left -= 1
        reader = self._material.graphs
        nodes = reader.completed(entry.snapshot) if reader is not None and entry.snapshot is not None else []
        if len(nodes) > _MOST_NODES:  # more than the stage says that it has
            return tag("p", f"{len(nodes):,} nodes are too many for a picture.", class_="dim")
        if not nodes:
            return tag("p", "The recording has no nodes of this graph.", class_="dim")
        modules = self._modules(entry) if entry.stage == "scheduler" else None
        made = boxes(nodes, self._material.excerpts, modules)
        return picture(made, f"{shortened(name, 120)}: {counted(len(made.boxes), 'box', 'boxes')}")

    def _modules(self, entry: StageEntry) -> dict[str, tuple[str, str]]:
        """The modules of the nodes that the kernels of a graph were made from: those after the last pass."""
        reader = self._material.graphs
        assert reader is not None
        last = [
            one.snapshot
            for one in reader.stages(entry.compile_id)
            if one.stage == "post_grad" and one.graph == entry.graph and one.snapshot and one.nodes <= _MOST_NODES
        ]
        return modules_of(reader.completed(last[-1])) if last else {}


def _most_telling(entries: list[StageEntry]) -> StageEntry | None:
    """The kernels of the forward graph, or else the last stage there is."""
    order = {"scheduler": 3, "post_grad": 2, "joint": 1}
    forward = [one for one in entries if not one.graph.endswith("backward")]
    ranked = sorted(forward or entries, key=lambda one: order.get(one.stage, 0))
    return ranked[-1] if ranked else None


def _way(stages: list[StageEntry]) -> str:
    """`Dynamo 77 → Joint 476 → …`: how many nodes each stage ended with."""
    last: dict[tuple[str, str], tuple[str, int]] = {}
    for one in stages:
        if one.snapshot is not None and not one.graph.endswith("backward"):
            last[one.stage, ""] = (one.label.partition(",")[0], one.nodes)
    return " " + " → ".join(f"{name} {nodes:,}" for name, nodes in last.values())


def picture(made: Boxes, name: str) -> Markup:
    """The SVG of some boxes with a legend of their colours."""
    widths = [_width(box) for box in made.boxes]
    layout = arrange(widths, [box.block for box in made.boxes], made.edges)
    frames = [
        join(
            [
                tag("rect", x=f"{x:.0f}", y=f"{y:.0f}", width=f"{w:.0f}", height=f"{h:.0f}", rx=7, class_="mod"),
                tag("text", shortened(block, 30), x=f"{x + 8:.0f}", y=f"{y + 13:.0f}", class_="gs"),
            ]
        )
        for x, y, w, h, block in layout.frames
    ]
    lanes = [tag("path", d=path, class_="ed far", marker_end="url(#arrow)") for path in layout.lanes]
    curves = [tag("path", d=path, class_="ed", marker_end="url(#arrow)") for path in layout.curves]
    drawn = [_box(box, place.x, place.y, place.width) for box, place in zip(made.boxes, layout.places, strict=True)]
    size = f"0 0 {layout.width:.0f} {layout.height:.0f}"
    image = tag(
        "svg", *frames, *lanes, *curves, *drawn, viewBox=size, width=f"{layout.width:.0f}", role="img", aria_label=name
    )
    return tag("figure", image, tag("figcaption", *_legend(made)), class_="gp")


def _legend(made: Boxes) -> list[Markup]:
    kinds = dict.fromkeys(box.kind for box in made.boxes)
    keys = [
        tag("span", tag("i", class_=f"key o{_COLOURS.get(one, 0)}"), text)
        for one, text in _LEGEND.items()
        if one in kinds
    ]
    said = []
    if made.grouped:
        said.append("one box = neighbouring nodes of a module")
    if made.inputs:
        said.append(f"{made.inputs:,} inputs not drawn")
    return [*keys, *(tag("span", one) for one in said)]


def _width(box: Box) -> float:
    return min(_MOST_WIDTH, max(_LEAST, _CHARACTER * len(box.label) + 16, 5.4 * len(box.about) + 14))


def _box(box: Box, x: float, y: float, width: float) -> Markup:
    middle = f"{x + width / 2:.1f}"
    return tag(
        "g",
        tag("title", box.title),
        tag("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=f"{HEIGHT:.0f}", rx=5),
        tag("text", box.label, x=middle, y=f"{y + (16 if box.about else 23):.1f}", class_="gt"),
        tag("text", box.about, x=middle, y=f"{y + 30:.1f}", class_="gs") if box.about else None,
        class_=f"bx o{_COLOURS.get(box.kind, 0)}",
    )
