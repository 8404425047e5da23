"""What a position is in the middle of: the branch whose test it is, the statement or operator that it can't leave."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.analysis.syntax import Function, nodes, starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.facts import Frame
    from compilescope.analysis.sources import Source

_BRANCHES: dict[type[ast.AST], str] = {ast.If: "if", ast.While: "while", ast.IfExp: "if", ast.Assert: "assert"}
# What the program is in the middle of at an expression that is no call.
_AROUND: tuple[tuple[tuple[type[ast.AST], ...], str], ...] = (
    ((ast.With, ast.AsyncWith), "with"),
    ((ast.For, ast.AsyncFor), "for"),
    ((ast.Raise,), "raise"),
    ((ast.Attribute,), "attribute"),
    ((ast.Subscript, ast.Slice), "index"),
    ((ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign), "operator"),
    ((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), "comprehension"),
    ((ast.Return,), "return"),
    ((ast.Delete,), "del"),
)


def branch_kind(source: Source | None, frame: Frame) -> str | None:
    """Return the branch whose test the frame's range is in, the innermost: `if`, `while` or `assert`.

    `raise` is an `if` that does nothing but raise, `break` one that ends its loop; `and` and `or` stand alone, in no
    test; `not` is all of the range.
    """
    if source is None:
        return None
    tests = [(size, name) for size, name in _tests(source, frame)]
    alone = {"and", "or", "not"}
    branching = [one for one in tests if one[1] not in alone]
    return min(branching or tests, default=(0, None))[1]


def _tests(source: Source, frame: Frame) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield what branches on the frame's range, with the size of the test."""
    for node in nodes(source):
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not) and starts(node, frame):
                yield (0, 0), "not"
        elif isinstance(node, ast.BoolOp):
            if _holds(node, frame, node.col_offset):
                yield _size(node), "and" if isinstance(node.op, ast.And) else "or"
        elif isinstance(node, ast.comprehension):
            yield from ((_size(test), "if") for test in node.ifs if _holds(test, frame, test.col_offset))
        elif isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert) and _holds(
            node.test, frame, min(node.test.col_offset, node.col_offset)
        ):
            yield _size(node.test), _ends(node) or _BRANCHES[type(node)]


def holds(node: ast.stmt | ast.expr, frame: Frame) -> bool:
    """Whether a frame starts in a node."""
    return _holds(node, frame, node.col_offset)


def _holds(test: ast.stmt | ast.expr, frame: Frame, column: int) -> bool:
    """Whether a frame starts in a test, whose first line counts from a column on."""
    if frame.col is None:
        return test.lineno <= frame.line <= (test.end_lineno or test.lineno)
    end = test.end_lineno or test.lineno, test.end_col_offset or 0
    return (test.lineno, column) <= (frame.line, frame.col) < end


def _size(test: ast.expr) -> tuple[int, int]:
    return (test.end_lineno or test.lineno) - test.lineno, (test.end_col_offset or 0) - test.col_offset


def _ends(node: ast.AST) -> str | None:
    """Return `raise` for an `if` that does nothing else, `break` for one that in the end leaves the loop."""
    if not isinstance(node, ast.If) or node.orelse:
        return None
    if all(isinstance(one, ast.Raise) for one in node.body):
        return "raise"
    return "break" if isinstance(node.body[-1], ast.Break) else None


def around(source: Source | None, frame: Frame) -> str | None:
    """Return what a frame is in the middle of: `try`, `with`, `for`, `attribute`, `operator`, …; None when unclear."""
    if source is None or source.tree is None:
        return None
    if any(isinstance(node, ast.Try) and _tried(node, frame, source) for node in nodes(source)):
        return "try"
    exact = [
        name
        for node in nodes(source)
        if isinstance(node, ast.stmt | ast.expr) and _is(node, frame)
        for types, name in _AROUND
        if isinstance(node, types)
    ]
    return exact[0] if exact else _head(source, frame)


def _tried(node: ast.Try, frame: Frame, source: Source) -> bool:
    """Whether a frame is in a `try` of its own function."""
    if not node.lineno < frame.line <= (node.end_lineno or 0):
        return False
    return not any(
        isinstance(one, Function) and node.lineno < one.lineno <= frame.line <= (one.end_lineno or 0)
        for one in nodes(source)
    )


def _head(source: Source, frame: Frame) -> str | None:
    """Return `for` or `with` where a frame is at what a loop goes over or what a block enters."""
    for node in nodes(source):
        if isinstance(node, ast.For | ast.AsyncFor) and _is(node.iter, frame):
            return "for"
        if isinstance(node, ast.With | ast.AsyncWith) and any(_is(item.context_expr, frame) for item in node.items):
            return "with"
    return None


def _is(node: ast.stmt | ast.expr, frame: Frame) -> bool:
    end = frame.end_line or frame.line, frame.end_col
    return frame.col is not None and starts(node, frame) and (node.end_lineno, node.end_col_offset) == end
