"""Builds the code view: one graph's generated code beside the nodes and the source expressions that it came from.

Each node has the expressions that it came from (`expressions`), each line of code the one that it is there for
(`kernel_bands`, and `ir_lines` for what Triton made of it).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import code_folds, ir_lines, kernel_bands, log_lines, ours, output_code, triton
from compilescope.analysis.code_model import CodeKernel, CodeNode, CodeText, CodeView, StageText
from compilescope.analysis.expressions import Expressions
from compilescope.analysis.fused_because import Fusions
from compilescope.analysis.kernel_bands import NONE, Computed
from compilescope.analysis.kernel_source import OutputCode

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Kernel, TritonKernel
    from compilescope.analysis.model import GraphCode, Result
    from compilescope.analysis.snapshots import Node
    from compilescope.recording.reader import Recording

_SOURCE = ("placeholder", "get_attr", "output")
_FILL = 16
"""Lines without values (braces, loops) between two of one expression that go with them."""
_NEAR = 4
_RUN = re.compile(r"^\s+(\w+)\.run\(")
_VALUE = re.compile(r"\btmp\w* = |auto tmp")


class CodeViews:
    """The code views of one recording, as it is now; `graphs` must be of it too."""

    def __init__(self, recording: Recording, context: Context, result: Result, graphs: Graphs) -> None:
        self._recording = recording
        self._context = context
        self._result = result
        self._graphs = graphs
        self._logged: dict[str, list[str]] = {}
        """Lines of files whose text nobody has, as far as the log has them."""

    def view(self, compile_id: str | None, graph: str | None = None) -> CodeView:
        """Return the code of a graph; of the first of the compile (the first with code) where none is named."""
        result = self._result
        every = [one for one in result.code if compile_id is None or one.compile_id == compile_id]
        chosen = next((one for one in every if one.graph == graph), every[0] if every else None)
        if chosen is None:
            return CodeView(compile_id, None, [], [], {}, [], [])
        graphs = list(dict.fromkeys(one.graph for one in every if one.compile_id == chosen.compile_id))
        places = Expressions(self._context, self._graphs, chosen.compile_id)
        for one in graphs:  # so that an expression has the same number in all graphs of a compile
            places.of_graph(one)
        known = _Graph(chosen.graph, places)
        kernels = [one for one in result.kernels if one.graph == chosen.graph]
        texts = [*self._own(chosen, kernels, known), *self._preview(chosen, known)]
        why = {one.node: one.why for one in result.eliminated if one.graph == chosen.graph}
        files = {one.file: self._lines(one.file) for one in places.all}
        note = None if kernels or not texts else _note(known.nodes)
        nodes = [known.shown(node, why.get(node.name)) for node in known.nodes]
        return CodeView(chosen.compile_id, chosen.graph, graphs, places.all, files, nodes, texts, note)

    def stages(self, view: CodeView, kernel: str, *, preview: bool) -> list[StageText]:
        """Return the recorded stages of a Triton kernel of a view, from TTIR on."""
        text = next((one for one in view.texts if one.kind == "triton" and one.preview == preview), None)
        placed = next((one for one in text.kernels if one.name == kernel), None) if text else None
        made = self._triton(view.graph or "", kernel, preview=preview)
        code = None if made is None else triton.code(self._recording, made)
        if text is None or placed is None or code is None:
            return []
        # The text in the generated code is without the empty line that Triton's file begins with.
        source = code.texts.get("source", "")
        shift = (placed.start or 1) - 1 - (len(source) - len(source.lstrip("\n")))
        found = []
        for stage, ir in code.texts.items():
            if stage != "source":
                debug = ir_lines.lines(stage, ir)
                at = [line + shift - 1 if line else -1 for line in debug.lines]
                bands = [text.bands[line] if 0 <= line < len(text.bands) else NONE for line in at]
                found.append(StageText(stage, ir, bands, debug.data))
        return found

    def _own(self, chosen: GraphCode, kernels: list[Kernel], graph: _Graph) -> list[CodeText]:
        text = output_code.text(self._recording, chosen)
        if text is None:
            return []
        code = OutputCode(text, chosen.file)
        fusions = Fusions(self._graphs, chosen.compile_id)
        known = [self._kernel(one, code, graph, fusions) for one in kernels]
        parts = {one.name: [part.nodes for part in one.parts] for one in reversed(kernels)}
        return [_text(code, text, graph, known, parts)]

    def _preview(self, chosen: GraphCode, graph: _Graph) -> list[CodeText]:
        for event in self._recording.events("compilescope_triton_preview"):
            data = ours.mapping(self._recording.json(event))
            text, name = ours.text(data.get("wrapper")), ours.text(data.get("graph"))
            if text and name and f"{self._context.prefix(event.process)}{name}" == chosen.graph:
                code = OutputCode(text)
                of = {one.kernel: one for one in self._result.triton if one.preview and one.graph == name}
                called = _calls(text, [each for each in code.kernels if each in of])
                known = [self._planned(of[each], code, call, graph) for each, call in called]
                shown = _text(code, text, graph, known, {})
                shown.preview, shown.limits = True, list(ours.strings(data.get("limits")))
                return [shown]
        return []

    def _kernel(self, one: Kernel, code: OutputCode, graph: _Graph, fusions: Fusions) -> CodeKernel:
        known = graph.kernel(one.name, one.kind, one.language, one.nodes)
        source = code.kernels.get(one.name)
        if source is not None:
            known.start, known.end = source.start_line, source.end_line
        known.call = one.source.call_line if one.source else None
        known.operator = one.operator
        known.fused = fusions.because(one)
        known.hints = [hint.text for hint in self._result.hints if hint.graph == one.graph and hint.node in one.nodes]
        self._figures(known, triton.of(one, self._result.triton))
        return known

    def _planned(self, one: TritonKernel, code: OutputCode, call: int | None, graph: _Graph) -> CodeKernel:
        source = code.kernels[one.kernel or ""]
        known = graph.kernel(source.name, "triton", "Triton", one.nodes)
        known.start, known.end, known.call = source.start_line, source.end_line, call
        self._figures(known, one)
        return known

    def _figures(self, known: CodeKernel, made: TritonKernel | None) -> None:
        if made is None:
            return
        code = triton.code(self._recording, made)
        known.stages = [stage for stage in triton.STAGES if code and stage in code.texts and stage != "source"]
        known.figures = [
            *([made.target] if made.target else []),
            *([f"{made.num_warps} warps"] if made.num_warps is not None else []),
            *([f"{made.registers} registers"] if made.registers is not None else []),
        ]
        if made.spills:
            known.hints.append(f"Each thread spills {made.spills} words to local memory, which is slow.")

    def _triton(self, graph: str, kernel: str, *, preview: bool) -> TritonKernel | None:
        same = [one for one in self._result.triton if one.kernel == kernel and one.preview == preview]
        return next((one for one in same if graph.endswith(one.graph)), same[0] if same else None)

    def _lines(self, file: str) -> list[str]:
        source = self._context.sources.get(file)
        if source is not None:
            return source.lines
        if file not in self._logged:
            self._logged[file] = log_lines.with_gaps(log_lines.read(self._recording, {file}).get(file, {}))
        return self._logged[file]


class _Graph:
    """The nodes of one graph after its last pass, with their expressions."""

    def __init__(self, name: str, places: Expressions) -> None:
        self.nodes = places.nodes(name)
        self._position = {node.name: number for number, node in enumerate(self.nodes)}
        self._numbers = [places.of(name, node) for node in self.nodes]

    def shown(self, node: Node, why: str | None) -> CodeNode:
        return CodeNode(
            name=node.name,
            op=node.op,
            target=node.target,
            args=node.args,
            shape="" if node.shape is None else "×".join(node.shape),  # noqa: RUF001 - the sign is meant
            dtype=node.dtype,
            module=" · ".join(node.module) if node.module else "",
            expressions=self._numbers[self._position[node.name]],
            why=why,
        )

    def kernel(self, name: str, kind: str, language: str, nodes: list[str]) -> CodeKernel:
        own = sorted({self._position[each] for each in nodes if each in self._position})
        numbers = list(dict.fromkeys(number for each in own for number in self._numbers[each]))
        if kind in {"extern", "fallback", "wrapper"} and nodes and nodes[0] in self._position:
            main = self._first(self._position[nodes[0]])
        else:
            main = _most([self._first(each) for each in own if kernel_bands.computes(_operator(self.nodes[each]))])
        main = main if main != NONE or not numbers else numbers[-1]
        return CodeKernel(name, kind, language, None, None, None, None, own, numbers, main)

    def computed(self, position: int) -> Computed:
        node = self.nodes[position]
        inputs = tuple(self.nodes[at].name for at in node.inputs)
        return Computed(node.name, _operator(node), inputs, self._first(position))

    def _first(self, position: int) -> int:
        return (self._numbers[position] or [NONE])[0]


def _text(
    code: OutputCode, text: str, graph: _Graph, known: list[CodeKernel], parts: dict[str, list[list[str]]]
) -> CodeText:
    lines = text.split("\n")
    bands = [NONE] * len(lines)
    done: set[str] = set()
    for one in known:
        one.call = _call(lines, one)
        if one.call is not None:
            bands[one.call - 1] = one.main
        if one.start is None or one.end is None or one.name in done:
            continue
        done.add(one.name)
        own = [graph.computed(at) for at in one.nodes if graph.nodes[at].op not in _SOURCE]
        texts = lines[one.start - 1 : one.end]
        found = kernel_bands.expressions(texts, own, parts.get(one.name, ()))
        bands[one.start - 1 : one.end] = _filled(found, texts)
    placed = [code_folds.Placed(one.name, one.language, one.start_line, one.end_line) for one in code.kernels.values()]
    calls = [one.call for one in known if one.call is not None]
    return CodeText(
        kind="triton" if "async_compile.triton(" in text or "get_raw_stream" in text else "cpp",
        file=code.file,
        text=text,
        bands=bands,
        folds=code_folds.folds(lines, placed, calls),
        kernels=known,
    )


def _filled(bands: list[int], lines: list[str]) -> list[int]:
    """Give lines without a value between two of one expression that expression."""
    found = list(bands)
    last = NONE
    for number, band in enumerate(bands):
        if band == NONE:
            continue
        between = range(last + 1, number)
        plain = len(between) <= _FILL and not any(_VALUE.search(lines[each]) for each in between)
        if last != NONE and bands[last] == band and plain:
            found[last:number] = [band] * (number - last)
        last = number
    return found


def _call(lines: list[str], kernel: CodeKernel) -> int | None:
    """The line of a kernel's call: a line that gets a stream may stand between it and the comment that numbers it."""
    if kernel.call is None or kernel.call > len(lines):
        return None
    near = range(kernel.call, min(kernel.call + _NEAR, len(lines) + 1))
    return next((number for number in near if kernel.name in lines[number - 1]), kernel.call)


def _calls(text: str, names: list[str]) -> list[tuple[str, int | None]]:
    """The calls of kernels in a text, in order, with their lines; without a line a kernel that nothing calls."""
    found: list[tuple[str, int | None]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        match = _RUN.match(line)
        if match is not None and match[1] in names:
            found.append((match[1], number))
    return found + [(name, None) for name in names if name not in {each for each, _ in found}]


def _most(numbers: list[int]) -> int:
    known = [number for number in numbers if number != NONE]
    return max(known, key=lambda number: (known.count(number), number)) if known else NONE


def _operator(node: Node) -> str:
    return node.target.removeprefix("torch.ops.").removeprefix("aten.").removeprefix("prims.").partition(".")[0]


def _note(nodes: list[Node]) -> str:
    if nodes:
        return "Which node is in which kernel is not recorded, so only source and graph are matched."
    return "The graph is not recorded, because the code came out of a cache or the log is TORCH_TRACE's alone."
