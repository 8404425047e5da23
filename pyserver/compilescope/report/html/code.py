"""Generated code beside the source that it came from, in the same letters and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.code_view import CodeViews
from compilescope.report.html.figures import counted
from compilescope.report.html.markup import EMPTY, Markup, details, join, prose, section, shortened, tag
from compilescope.report.html.source import c, python

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.code_model import CodeKernel, CodeText, CodeView
    from compilescope.analysis.expressions import Expression
    from compilescope.report.html.material import Material

_MOST_GRAPHS = 12
_MOST_NODES = 20_000
_MOST_KERNELS = 40
_MOST_LINES = 90
_MOST_LINES_IN_ALL = 4000
_WIDEST = 200
_MOST_SOURCE = 120
_KNOWN = "Using FallbackKernel"
"""How a hint begins that says no more than that the kernel is a fallback."""


def code(material: Material) -> Markup:
    """The section; empty when Inductor wrote no code."""
    result = material.result
    if material.recording is None or material.graphs is None or not result.code:
        return EMPTY
    spent = {one.id: one.seconds.get("total", 0.0) for one in result.compiles}
    graphs = sorted(
        dict.fromkeys((one.compile_id, one.graph) for one in result.code), key=lambda one: -spent.get(one[0], 0.0)
    )
    huge = {one.compile_id for one in material.graphs.stages() if one.nodes > _MOST_NODES}
    if huge:
        material.left_out.append(f"the code of {counted(len(huge), 'compile')} with more than {_MOST_NODES:,} nodes")
        graphs = [one for one in graphs if one[0] not in huge]
    if len(graphs) > _MOST_GRAPHS:
        material.left_out.append(f"the code of {len(graphs) - _MOST_GRAPHS} of {len(graphs)} graphs, the quickest")
    views = CodeViews(material.recording, material.context, result, material.graphs)
    writer = _Writer()
    blocks = [writer.graph(views.view(*each), first=not at) for at, each in enumerate(graphs[:_MOST_GRAPHS])]
    if writer.cut:
        material.left_out.append(f"{writer.cut:,} lines of generated code")
    about = (
        f"of {counted(min(len(graphs), _MOST_GRAPHS), 'graph')}; a letter and colour is one expression of the source"
    )
    return section("code", "Generated code", about, *(one for one in blocks if one))


class _Writer:
    """Writes graphs as long as there is room."""

    def __init__(self) -> None:
        self.cut = 0
        self._left = _MOST_LINES_IN_ALL

    def graph(self, view: CodeView, *, first: bool) -> Markup:
        """The kernels of one graph beside the source."""
        if not view.texts:
            return EMPTY
        texts = [self._text(text) for text in view.texts]
        kernels = [kernel for text in view.texts for kernel in text.kernels]
        made = sum(one.start is not None for one in kernels)
        calls = ", ".join(
            filter(None, [counted(made, "generated kernel call"), counted(len(kernels) - made, "library call")])
        )
        title = join(
            [tag("b", shortened(view.graph or view.compile_id or "", 60)), tag("span", f" {calls}", class_="dim")]
        )
        note = tag("p", prose(view.note), class_="dim") if view.note else None
        used = {band for text in view.texts for band in text.bands} | {
            one for each in kernels for one in each.expressions
        }
        side = tag("div", tag("h3", "Source", class_="tiny"), *_sources(view, used), class_="from")
        return details(
            title, note, tag("div", side, tag("div", *texts, class_="to"), class_="cols"), open_=first, class_="block"
        )

    def _text(self, text: CodeText) -> Markup:
        lines = text.text.split("\n")
        seen: set[str] = set()
        opened = False
        blocks = []
        for kernel in text.kernels[:_MOST_KERNELS]:
            again = kernel.name in seen
            seen.add(kernel.name)
            first = not again and kernel.start is not None and not opened
            opened = opened or first
            blocks.append(self._kernel(kernel, [] if again else lines, text, first=first))
        if len(text.kernels) > _MOST_KERNELS:
            blocks.append(tag("p", f"… {len(text.kernels) - _MOST_KERNELS} more calls", class_="dim"))
        limits = (
            tag("p", "Preview: ", "; ".join(shortened(one, 200) for one in text.limits), class_="dim")
            if text.preview
            else None
        )
        name = {"cpp": "C++", "triton": "Triton"}.get(text.kind, text.kind) + (" preview" if text.preview else "")
        return join([tag("h3", f"{name}, in the order of the calls", class_="tiny"), limits, *blocks])

    def _kernel(self, kernel: CodeKernel, lines: list[str], text: CodeText, *, first: bool) -> Markup:
        letters = [_letter(one) for one in kernel.expressions[:8]]
        kind = {"extern": "library", "fallback": "fallback"}.get(kernel.kind, kernel.language)
        figures = f" {', '.join(kernel.figures)}" if kernel.figures else ""
        head = join(
            [
                tag("span", shortened(kernel.name, 70), class_="mono"),
                tag("span", f" {kind}{figures} ", class_="dim"),
                *letters,
            ]
        )
        said = [f"One kernel because {kernel.fused.rstrip('.')}." if kernel.fused else "", *kernel.hints[:2]]
        notes = [tag("p", prose(one, 300), class_="dim") for one in said if one and not one.startswith(_KNOWN)]
        if kernel.start is None or kernel.end is None or not lines:
            return tag("div", head, *notes, class_="kn call")
        body = lines[kernel.start - 1 : kernel.end]
        shown = body[: max(0, min(_MOST_LINES, self._left))]
        self._left -= len(shown)
        self.cut += len(body) - len(shown)
        rows = _code(shown, text.bands[kernel.start - 1 : kernel.end], cpp=text.kind == "cpp")
        if len(shown) < len(body):
            rows.append(tag("div", f"… {len(body) - len(shown):,} more lines", class_="el dim"))
        label = f"Code of {shortened(kernel.name, 70)}"
        box = tag("div", *rows, class_="ex band", tabindex=0, role="group", aria_label=label)
        return details(head, *notes, box, class_="kn", open_=first)


def _code(lines: Sequence[str], bands: Sequence[int], *, cpp: bool) -> list[Markup]:
    paint = c if cpp else python
    rows = []
    before = -1
    for at, line in enumerate(lines):
        band = bands[at] if at < len(bands) else -1
        letter = _name(band) if band >= 0 and band != before else ""
        text = line if len(line) <= _WIDEST else f"{line[:_WIDEST]} …"
        gutter = tag("span", letter, class_="lt")
        rows.append(tag("div", gutter, tag("span", paint(text)), class_=f"el b {_colour(band)}" if band >= 0 else "el"))
        before = band
    return rows


def _sources(view: CodeView, used: set[int]) -> list[Markup]:
    """The lines of the program that something was made of, each expression marked."""
    by_file: dict[str, dict[int, list[tuple[int, Expression]]]] = {}
    for at, one in enumerate(view.expressions):
        if at in used:
            by_file.setdefault(one.file, {}).setdefault(one.line, []).append((at, one))
    blocks: list[Markup] = []
    for file, lines in by_file.items():
        source = view.files.get(file, [])
        rows: list[Markup] = []
        before = None
        for line in sorted(lines)[:_MOST_SOURCE]:
            if before is not None and line > before + 1:
                rows.append(tag("div", tag("span", "⋯", class_="ln"), class_="el dim"))
            text = source[line] if 0 <= line < len(source) else ""
            number = tag("span", line + 1, class_="ln")
            rows.append(tag("div", number, tag("span", _marked(text, line, lines[line])), class_="el src"))
            before = line
        blocks += [
            tag("div", shortened(file, 200), class_="mono dim"),
            tag("div", *rows, class_="ex", tabindex=0, role="group", aria_label="Source"),
        ]
    return blocks


def _marked(text: str, line: int, expressions: list[tuple[int, Expression]]) -> Markup:
    """A line with its expressions in their colours, the inner one where two lie in each other, and their letters."""
    text = text[:400].rstrip()
    owner: list[int] = [-1] * len(text)
    spans = []
    for at, one in expressions:
        end = _character(text, one.end_column) if one.end_line == line else len(text)
        spans.append((_character(text, one.column), end, at))
    for start, end, at in sorted(spans, key=lambda one: one[0] - one[1]):  # the longest first
        owner[start:end] = [at] * (min(end, len(text)) - start)
    parts: list[object] = []
    lettered: set[int] = set()
    place = len(text) - len(text.lstrip())
    parts.append(text[: min(place, 8)])
    while place < len(text):
        end, at = place, owner[place]
        while end < len(text) and owner[end] == at:
            end += 1
        piece = text[place:end]
        if at < 0 or not piece.strip():
            parts.append(python(piece))
        else:
            chip = None if at in lettered else _letter(at)
            lettered.add(at)
            parts.append(tag("mark", chip, python(piece), class_=f"b {_colour(at)}"))
        place = end
    covered = [_letter(at) for at, _ in expressions if at not in lettered]
    return join([*parts, " " if covered else None, *covered])


def _character(text: str, units: int) -> int:
    """The index of the character that starts at UTF-16 code unit `units`."""
    if text.isascii():
        return max(0, min(units, len(text)))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * max(units, 0)].decode("utf-16-le", "ignore"))


def _colour(number: int) -> str:
    return f"o{number % 8 + 1}"


def _name(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    return (_name(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)  # noqa: PLR2004 - letters


def _letter(number: int) -> Markup:
    return tag("span", _name(number), class_=f"chip {_colour(number)}") if number >= 0 else EMPTY
