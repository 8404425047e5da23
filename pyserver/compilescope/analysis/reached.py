"""Which statements of a function were captured for certain, where only some of them left operations in a graph.

Statements of a block run one after another: all before one that was reached were reached, and so was the one after it
where control can't leave in between.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SILENT = (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, Function, ast.ClassDef)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def functions(tree: ast.AST) -> list[Function]:
    """Return all functions of a file, one within another before it."""
    found = [node for node in ast.walk(tree) if isinstance(node, Function)]
    return sorted(found, key=lambda node: -node.lineno)


def statement_at(function: Function, line: int) -> ast.stmt | None:
    """Return the statement that stands on a line; of a compound one the head counts. None for blanks and comments."""
    found = [node for node in statements(function) if line in head(node)]
    return max(found, key=lambda node: node.lineno, default=None)


def statements(function: Function) -> Iterator[ast.stmt]:
    """Yield the statements of a function from top to bottom, each before those in it; not those of inner functions."""
    yield from _statements(function.body)


def says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement does nothing when it runs: a docstring, `pass`, an annotation, a definition."""
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    bare = isinstance(statement, ast.AnnAssign) and statement.value is None
    return constant or bare or isinstance(statement, _SILENT)


def first_line(function: Function) -> int:
    """Return the line on which a function begins, its decorators included."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def head(statement: ast.stmt) -> range:
    """Return the lines of a statement, without those of its body."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    last = statement.end_lineno or statement.lineno
    if body:
        first = getattr(body[0], "lineno", None) or body[0].pattern.lineno
        last = max(statement.lineno, first - 1)
    return range(statement.lineno, last + 1)


def reached(function: Function, marks: set[int]) -> set[int]:
    """Return the first lines of the statements that were reached. `marks`: lines of which something was captured."""
    found: set[int] = set()
    _block(function.body, marks, found, entered=True)
    return found


def _block(block: Sequence[ast.stmt], marks: set[int], found: set[int], *, entered: bool) -> None:
    last = max((index for index, one in enumerate(block) if _marked(one, marks)), default=-1)
    goes_on = entered
    for index, one in enumerate(block):
        here = goes_on or index <= last
        if here:
            found.add(one.lineno)
        for inner in _bodies(one):
            _block(inner, marks, found, entered=here and isinstance(one, ast.With))
        goes_on = here and not any(isinstance(node, _LEAVING) for node in ast.walk(one))


def _marked(statement: ast.stmt, marks: set[int]) -> bool:
    return any(line in marks for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))


def _statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for one in block:
        yield one
        for inner in _bodies(one):
            yield from _statements(inner)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks in a statement; those of functions and classes that it defines are theirs."""
    if isinstance(statement, Function | ast.ClassDef):
        return
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for part in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
        yield part.body
