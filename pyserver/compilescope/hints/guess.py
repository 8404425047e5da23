"""Where a function that is known to be compiled is likely to break its graph.

Precision goes before recall: only what breaks in each of torch 2.9 to 2.14 as it is delivered, and of tensors only what
surely is one. What runs while tracing only, in handlers of exceptions, or where the file changes torch's settings for
it, is left out.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis.model import Position, Range
from compilescope.analysis.ranges import from_utf8
from compilescope.hints.compiled import compiled_functions
from compilescope.hints.compiling import imported
from compilescope.hints.kinds import ASKS, Kinds
from compilescope.hints.tensors import Tensors, of_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.hints.compiled import Compiled

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Guess:
    """A likely break. `kind`: a word for what it is.

    `roots`: first lines (from 1) of the compiled functions that reach it: a result of theirs says whether it is true.
    """

    range: Range
    kind: str
    title: str
    roots: frozenset[int]


def guesses(source: str) -> list[Guess]:
    """Return the likely breaks of a file, from top to bottom. Raises SyntaxError, ValueError or RecursionError."""
    tree = ast.parse(source)
    names = imported(tree)
    found: dict[tuple[int, int], Guess] = {}
    lines = _LINE_END.split(source)
    layers = of_object(tree, names, "")[1]
    for function in compiled_functions(tree):
        tensors = Tensors(function.node, names, function.owner, layers)
        kinds = Kinds(names, tensors, source)
        for node in _run(function):
            for place, kind, title in kinds.of(node):
                key = (place.lineno, place.col_offset)
                one = Guess(_range(place, lines), kind, title, frozenset(function.roots))
                known = found.setdefault(key, one)
                if known is not one:
                    found[key] = Guess(known.range, known.kind, known.title, known.roots | one.roots)
    return [one for _, one in sorted(found.items())]


def _run(function: Compiled) -> Iterator[ast.AST]:
    """Yield what of a function's body is captured when it is called: no inner functions, no handlers, no `raise`."""
    waiting: list[ast.AST] = list(reversed(function.node.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Raise):
            continue
        yield node
        if isinstance(node, ast.If) and _asks(node.test):
            continue
        children = [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.ExceptHandler)]
        waiting += reversed(children)


def _asks(test: ast.expr) -> bool:
    """Whether a test is about compiling, or for those who look for mistakes: what it guards is not always run."""
    words = (
        one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else one.value
        for one in ast.walk(test)
        if isinstance(one, ast.Name | ast.Attribute | ast.Constant)
    )
    return any(isinstance(word, str) and ASKS.search(word) for word in words)


def _range(node: ast.expr, lines: list[str]) -> Range:
    return Range(_position(lines, node.lineno, node.col_offset), _position(lines, node.end_lineno, node.end_col_offset))


def _position(lines: list[str], line: int | None, column: int | None) -> Position:
    row = (line or 1) - 1
    return Position(row, from_utf8(lines[row] if row < len(lines) else "", column or 0))
