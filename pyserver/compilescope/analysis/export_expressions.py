"""Expressions over symbols, as SymPy prints them, in the program's names."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from compilescope.analysis.guards import words

if TYPE_CHECKING:
    from collections.abc import Mapping

_RELATIONS: dict[str, type[ast.cmpop]] = {"Eq": ast.Eq, "Ne": ast.NotEq}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_SYMBOL = re.compile(r"^(?:u|s|z|zf|zuf)\d+$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PYTHON = {"Min": "min", "Max": "max", "TruncToInt": "int", "ToFloat": "float", "FloorToInt": "math.floor"}
_LONGEST = 2000


def in_program(expression: str, values: Mapping[str, str], symbols: Mapping[str, str]) -> str | None:
    """Return an expression with locals and inputs for what they are; None when a symbol stays that has no name there.

    `values`: locals by name, as torch prints their values; `symbols`: torch's sources by symbol.
    """
    tree = _parsed(expression)
    if tree is None:
        return None
    names = {ast.unparse(one): name for name, value in values.items() if (one := _parsed(value)) is not None}
    names |= {symbol: words(source) for symbol, source in symbols.items() if symbol not in names}
    written = _Names(names).visit(tree)
    left = {node.id for node in ast.walk(written) if isinstance(node, ast.Name)}
    if any(_SYMBOL.match(name) and name not in values for name in left):
        return None
    return ast.unparse(ast.fix_missing_locations(written))


def holds(condition: str, result: str | None) -> str:
    """Return what is true when `condition` was found to be `result`: itself, its opposite for `False`, or `== 3`."""
    tree = _parsed(condition)
    if result is not None and _NUMBER.fullmatch(result):
        return f"{condition} == {result}"
    if result != "False" or tree is None:
        return condition
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _OPPOSITE:
        tree.ops = [_OPPOSITE[type(tree.ops[0])]()]
        return ast.unparse(tree)
    return f"not ({condition})"


class _Names(ast.NodeTransformer):
    """Puts names where an expression equals what they stand for, and comparisons for SymPy's relations."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and (name := self._names.get(ast.unparse(node))) is not None:
            return _parsed(name) or ast.Name(name)
        node = self.generic_visit(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if (relation := _RELATIONS.get(node.func.id)) and len(node.args) == 2:  # noqa: PLR2004 - both sides
                return ast.Compare(node.args[0], [relation()], [node.args[1]])
            if node.func.id in _PYTHON:
                node.func = ast.Name(_PYTHON[node.func.id])
            elif node.func.id == "Mod" and len(node.args) == 2:  # noqa: PLR2004
                return ast.BinOp(node.args[0], ast.Mod(), node.args[1])
        return node


def _parsed(text: str) -> ast.expr | None:
    if len(text) > _LONGEST:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
