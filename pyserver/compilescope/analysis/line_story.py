"""What a line of a compiled function became: nodes and their kernels, or why it has none."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from compilescope.analysis import line_nodes
from compilescope.analysis.graph_text import tensor
from compilescope.analysis.reached import Function, functions, head, says_nothing, statement_at
from compilescope.analysis.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage, Reason
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.line_nodes import CompileNodes, Place
    from compilescope.analysis.model import Finding, Result
    from compilescope.analysis.snapshots import Node

_BROKEN = ("graph-break", "frame-skipped", "graph-break-error")


@dataclass(frozen=True)
class NodeStory:
    """One node of a line. `kernel`: what computes it, None for none.

    `kind`: the kernel's, or why there is none (docs/recording.md, `compilescope_kernels`; `folded`: after the passes
    it is no longer there); empty where the recording has no kernels. `together`: the other lines in that kernel.
    """

    name: str
    shape: tuple[str, ...] | None
    kernel: str | None
    kind: str
    together: tuple[Place, ...] = ()
    backward: bool = False


@dataclass(frozen=True)
class LineStory:
    """`what`: in a `graph`, in `eager`, `captured` without an operation of its own, or `not_run`.

    `value`: the name (empty for none), type and device of what the line's expression is. `same`: compiles in which the
    line became the same; `other`: those in which it became something else. `because`: the finding that ended the graph.
    """

    what: Literal["graph", "eager", "captured", "not_run"]
    function: str
    compile_id: str | None = None
    same: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    value: tuple[str, str, str] | None = None
    nodes: tuple[NodeStory, ...] = ()
    because: Finding | None = None
    whole: bool = False
    """Nothing at all of the function is compiled."""
    here: bool = False
    """The graph ended on the line itself."""
    reason: Reason = ""
    """Why it is so (`coverage_model`)."""


@dataclass(frozen=True)
class _Around:
    """A compiled function around a line, the statement there and what became of it."""

    function: Function
    statement: ast.stmt
    lines: range
    covered: CoveredLine | None


class LineStories:
    """The stories of one result. `sources`: texts of files as they were traced. `nodes`: reads those of a compile."""

    def __init__(self, result: Result, sources: Mapping[str, str], nodes: Callable[[str], CompileNodes | None]) -> None:
        self._result = result
        self._sources = {file: Source(text) for file, text in sources.items()}
        self._nodes = nodes
        self._ids: dict[Place, list[str]] = {}
        self._kernels: dict[str, list[Kernel]] = {}
        for one in result.lines:
            if one.operations:
                self._ids.setdefault((one.file, one.line), []).extend(one.compile_ids)
        for kernel in result.kernels:
            self._kernels.setdefault(kernel.compile_id, []).append(kernel)
        self._eliminated = {(one.compile_id, one.node, _backward(one.graph)): one.why for one in result.eliminated}
        self._functions: dict[str, list[Function]] = {}
        self._coverage: dict[Place, FunctionCoverage] = {(one.file, one.line): one for one in result.coverage}

    def story(self, file: str, line: int) -> LineStory | None:
        """Return what became of a line (from 1); None for one that is in no compiled function, or has no code."""
        around = self._around(file, line)
        if around is None:
            return None
        covered = around.covered
        broken = self._broken(file, around)
        ids = list(dict.fromkeys(one for each in _exactly(around, line, self._ids, file) for one in each))
        shown = next(((one, nodes) for one in ids if (nodes := self._of(one, file, around, line))), None)
        if shown is not None:
            value = self._value(shown[0], file, around)
            became = {one: self._signature(one, file, around) for one in ids}
            own = became.pop(shown[0])
            same = tuple(one for one, kernels in became.items() if kernels == own)
            other = tuple(one for one, kernels in became.items() if kernels and own and kernels != own)
            limit = covered.because if covered and covered.reason == "recompile-limit" else None
            reason = covered.reason if covered else ""
            name, (compile_id, nodes) = around.function.name, shown
            because = broken or limit
            return LineStory("graph", name, compile_id, same, other, value, tuple(nodes), because, reason=reason)
        return None if covered is None else _without(around, covered, broken)

    def _around(self, file: str, line: int) -> _Around | None:
        for function in self._functions_of(file):
            if not function.body[0].lineno <= line <= (function.end_lineno or 0):
                continue
            coverage = self._coverage.get((file, function.lineno))
            own = range(function.lineno, (function.end_lineno or function.lineno) + 1)
            if coverage is None and not any(where == file and one in own for where, one in self._ids):
                continue
            statement = statement_at(function, line)
            if statement is None or says_nothing(statement):
                return None
            covered = coverage.at(statement.lineno) if coverage else None
            return _Around(function, statement, head(statement), covered)
        return None

    def _functions_of(self, file: str) -> list[Function]:
        if file not in self._functions:
            source = self._sources.get(file)
            self._functions[file] = functions(source.tree) if source and source.tree else []
        return self._functions[file]

    def _broken(self, file: str, around: _Around) -> Finding | None:
        """The finding that ended the graph on the statement's own lines."""
        found = (one for one in self._findings(file) if one.rule in _BROKEN)
        return next((one for one in found if one.range.start.line + 1 in around.lines), None)

    def _findings(self, file: str) -> Iterable[Finding]:
        return (one for one in self._result.findings if one.file == file)

    def _of(self, compile_id: str, file: str, around: _Around, line: int) -> list[NodeStory]:
        """The nodes of a line in one compile, forward before backward."""
        nodes = self._nodes(compile_id)
        if nodes is None:
            return []
        found: list[NodeStory] = []
        for each, backward in ((nodes.forward, False), (nodes.backward, True)):
            own = line_nodes.on_lines(each, file, range(line, line + 1)) or line_nodes.on_lines(
                each, file, around.lines
            )
            found += [self._node(compile_id, node, file, around, backward=backward) for node in own]
        if found:
            return found
        own = line_nodes.on_lines(nodes.captured, file, range(line, line + 1))
        own = own or line_nodes.on_lines(nodes.captured, file, around.lines)
        kind = "folded" if nodes.forward else ""
        return [NodeStory(node.name, node.shape, None, kind) for node in own]

    def _node(self, compile_id: str, node: Node, file: str, around: _Around, *, backward: bool) -> NodeStory:
        for kernel in self._kernels.get(compile_id, ()):
            if node.name in kernel.nodes and _backward(kernel.graph) == backward:
                lines = [(one["file"], one["line"]) for one in kernel.lines]
                others = tuple(place for place in lines if place[0] != file or place[1] not in around.lines)
                return NodeStory(node.name, node.shape, kernel.name, kernel.kind, others, backward)
        kind = self._eliminated.get((compile_id, node.name, backward), "")
        return NodeStory(node.name, node.shape, None, kind, (), backward)

    def _signature(self, compile_id: str, file: str, around: _Around) -> list[tuple[str, ...]]:
        """What differs when a line became something else in another compile."""
        return sorted(
            (kernel.name, *kernel.nodes)
            for kernel in self._kernels.get(compile_id, ())
            if any(one["file"] == file and one["line"] in around.lines for one in kernel.lines)
        )

    def _value(self, compile_id: str, file: str, around: _Around) -> tuple[str, str, str] | None:
        """What the statement's expression is: the last operation that was captured for exactly it."""
        nodes, value = self._nodes(compile_id), getattr(around.statement, "value", None)
        if nodes is None or not isinstance(value, ast.expr):
            return None
        place = (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
        for node in reversed(line_nodes.on_lines(nodes.captured, file, around.lines)):
            frame = node.frame
            if frame and (frame.line, frame.col, frame.end_line, frame.end_col) == place and tensor(node):
                return _target(around.statement), tensor(node), node.device
        return None


def _exactly(around: _Around, line: int, ids: Mapping[Place, Sequence[str]], file: str) -> list[Sequence[str]]:
    """The compiles with an operation on a line, else those with one on another line of its statement."""
    own = ids.get((file, line))
    return [own] if own else [ids[file, one] for one in around.lines if (file, one) in ids]


def _without(around: _Around, covered: CoveredLine, broken: Finding | None) -> LineStory:
    """The story of a statement that has no node."""
    name, reason, because = around.function.name, covered.reason, covered.because
    if covered.state == "captured":
        return LineStory("captured", name)
    if covered.state == "not_run":
        return LineStory("not_run", name, reason=reason)
    if reason == "break":
        return LineStory("eager", name, because=broken or because, here=True, reason=reason)
    return LineStory("eager", name, because=because, whole=covered.state == "skipped", reason=reason)


def _target(statement: ast.stmt) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    only = targets[0] if len(targets) == 1 else None
    return ast.unparse(only) if isinstance(only, ast.Name | ast.Attribute) else ""


def _backward(graph: str) -> bool:
    return graph.rpartition("/")[2].startswith("backward")
