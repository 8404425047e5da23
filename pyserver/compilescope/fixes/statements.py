"""Statements of a function: which are its own, whether one always runs, and one taken away or made conditional."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Edit, Range
from compilescope.fixes import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_SOMETIMES = {
    "lambdef",
    "comp_for",
    "sync_comp_for",
    "or_test",
    "and_test",
    "test",
    "funcdef",
    "classdef",
}
_LEAVES = {"return_stmt", "raise_stmt", "yield_expr", "yield_stmt"}


def body(function: tree.Function) -> list[NodeOrLeaf]:
    """Return the statements directly in a function, without its docstring; empty for a body on the line of `def`."""
    suite = function.children[-1]
    inner = [one for one in source.children(suite) if one.type != "newline"] if suite.type == "suite" else []
    return inner[1:] if inner and source.is_docstring(inner[0]) else inner


def of(function: tree.Function, node: NodeOrLeaf) -> NodeOrLeaf | None:
    """Return the statement directly in a function that a node is in."""
    return next((one for one in body(function) if one.start_pos <= node.start_pos < one.end_pos), None)


def runs_once(function: tree.Function, node: NodeOrLeaf) -> bool:
    """Whether an expression is evaluated exactly once in every call: in no branch, no loop, behind no `return`."""
    own = of(function, node)
    if own is None or own.type not in {"simple_stmt", "if_stmt"}:
        return False
    if own.type == "if_stmt" and node.end_pos > source.children(own)[2].start_pos:
        return False
    inner: NodeOrLeaf | None = node
    while inner is not None and inner is not own:
        if inner.type in _SOMETIMES or any(one.type in {"comp_for", "sync_comp_for"} for one in source.children(inner)):
            return False
        inner = inner.parent
    return not any(part.type in _LEAVES or _is_bare_leave(part) for part in before(function, own))


def before(function: tree.Function, statement: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    """Yield all that a function consists of before one of its own statements."""
    for one in body(function):
        if one is statement:
            return
        yield from source.inside(one)


def is_alone(file: SourceFile, statement: NodeOrLeaf) -> bool:
    """Whether a statement begins its line, is one and not several with `;`, and has no text of several lines."""
    if statement.type != "simple_stmt" or len(source.children(statement)) != len(("statement", "end of line")):
        return False
    line = file.lines[statement.start_pos[0] - 1]
    strings = (one for one in source.inside(statement) if one.type in {"string", "fstring"})
    return not line[: statement.start_pos[1]].strip() and not any("\n" in source.code(one) for one in strings)


def removed(file: SourceFile, statement: NodeOrLeaf) -> Edit:
    """Return the edit that takes away a statement that is alone; a comment behind it stays, on a line of its own."""
    line = file.lines[statement.get_last_leaf().start_pos[0] - 1]
    end = source.end_of(statement)
    rest = line[end[1] :]
    start, after = statement.start_pos, (end[0], end[1] + len(rest) - len(rest.lstrip()))
    if not rest.strip() and end[0] < len(file.lines):
        start, after = (start[0], 0), (end[0] + 1, 0)
    return Edit(file.file, Range(file.position(start), file.position(after)), "")


def assigned(statement: NodeOrLeaf) -> tuple[tree.Name, NodeOrLeaf] | None:
    """Return name and value of `name = value`."""
    inner = source.children(statement)[0] if statement.type == "simple_stmt" else statement
    match source.children(inner):
        case [tree.Name() as name, sign, value] if inner.type == "expr_stmt" and source.code(sign) == "=":
            return name, value
    return None


def only_when_eager(file: SourceFile, statements: list[NodeOrLeaf], torch: str) -> list[Edit]:
    """Return the edits that let statements run in eager alone; neighbours share one `if`."""
    edits: list[Edit] = []
    previous: NodeOrLeaf | None = None
    for one in statements:
        indentation = file.indentation(one)
        first, last = one.start_pos[0], source.end_of(one)[0]
        joined = previous is not None and previous.parent is one.parent and source.end_of(previous)[0] + 1 == first
        head = "" if joined else f"if not {torch}.compiler.is_compiling():{file.line_end}{indentation}"
        edits.append(file.inserted(one.start_pos, head + file.indent_step))
        edits += [file.inserted((line, 0), file.indent_step) for line in range(first + 1, last + 1)]
        previous = one
    return edits


def _is_bare_leave(part: NodeOrLeaf) -> bool:
    return part.type == "keyword" and source.code(part) in {"return", "raise", "yield"}
