"""The source expressions that the nodes of a compile's last graphs came from, numbered in the order of the graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.snapshots import Node

_SOURCE = ("placeholder", "get_attr", "output")
# What Dynamo's graph calls operators that have another name after it.
_OPERATORS = {"truediv": "div", "matmul": "bmm", "iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "div"}


@dataclass(frozen=True)
class Expression:
    """A range of a file; `line` and `end_line` count from 0, columns in UTF-16 from 0. `text`: its own, on one line."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Expressions:
    """Those of one compile. A node that a pass made out of several has the one with its own operator first."""

    def __init__(self, context: Context, graphs: Graphs, compile_id: str) -> None:
        self._context = context
        self._graphs = graphs
        self._numbers: dict[Expression, int] = {}
        self._nodes: dict[str, list[Node]] = {}
        self._found: dict[tuple[str, str], list[int]] = {}
        self._snapshots: dict[str, str] = {}
        self._captured: dict[str, Node] = {}
        for entry in graphs.stages(compile_id):
            if entry.snapshot is None:
                continue
            if (entry.stage, entry.position) == ("post_grad", "after"):
                self._snapshots[entry.graph] = entry.snapshot
            elif entry.stage == "dynamo":
                self._captured.update({node.name: node for node in graphs.nodes(entry.snapshot) or ()})

    @property
    def all(self) -> list[Expression]:
        """All that were found so far; an expression's number is its position."""
        return list(self._numbers)

    def nodes(self, graph: str) -> list[Node]:
        """Return the nodes of a graph after its last pass, none if that is not recorded."""
        if graph not in self._nodes:
            snapshot = self._snapshots.get(graph)
            self._nodes[graph] = self._graphs.completed(snapshot) if snapshot else []
        return self._nodes[graph]

    def of(self, graph: str, node: Node) -> list[int]:
        """Return the numbers of a node's expressions, its own first."""
        return self._found.get((graph, node.name), [])

    def of_graph(self, graph: str) -> None:
        """Number the expressions of a graph."""
        for node in self.nodes(graph):
            if node.op not in _SOURCE:
                numbers = dict.fromkeys(self._number(frame) for frame in self._frames(node))
                self._found[graph, node.name] = list(numbers)

    def _frames(self, node: Node) -> Iterable[Frame]:
        origins = [self._captured[name] for name in node.origins if name in self._captured]
        own = node.target.removeprefix("aten.").partition(".")[0]
        same = [one.frame for one in origins if _operator(one) == own] if len(origins) > 1 else []
        return [frame for frame in (*same[:1], node.frame, *(one.frame for one in origins)) if frame is not None]

    def _number(self, frame: Frame) -> int:
        place = self._context.ranges.of(frame)
        text = self._text(frame.file, (place.start.line, place.start.character), (place.end.line, place.end.character))
        one = Expression(frame.file, place.start.line, place.start.character, place.end.line, place.end.character, text)
        return self._numbers.setdefault(one, len(self._numbers))

    def _text(self, file: str, start: tuple[int, int], end: tuple[int, int]) -> str:
        lines = [
            self._context.sources.line(file, number + 1) or ""
            for number in range(start[0], min(end[0], start[0] + _MOST) + 1)
        ]
        if start[0] == end[0]:
            return _utf16(lines[0], start[1], end[1]).strip()
        return " ".join([_utf16(lines[0], start[1], None), *lines[1:-1], _utf16(lines[-1], 0, end[1])]).strip()


_MOST = 50
"""Lines of an expression's text."""


def _operator(node: Node) -> str:
    name = node.target.rpartition(".")[2]
    return _OPERATORS.get(name, name)


def _utf16(text: str, start: int, end: int | None) -> str:
    if text.isascii():
        return text[start:end]
    units = text.encode("utf-16-le", errors="surrogatepass")
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le", errors="replace")
