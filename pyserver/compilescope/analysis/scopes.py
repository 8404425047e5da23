"""Where a function has a name from: its parameters, the arguments that it collects, or the function around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from compilescope.analysis import syntax

if TYPE_CHECKING:
    from compilescope.analysis.sources import Source

Scope = Literal["parameter", "collected", "closure"]


def scope_of(source: Source | None, function: syntax.Function | None, name: str) -> Scope | None:
    """Return where a function has `name` from; None for its own variables, globals, and what is not known."""
    if source is None or function is None:
        return None
    args = function.args
    if any(one is not None and one.arg == name for one in (args.vararg, args.kwarg)):
        return "collected"
    if name in _parameters(function):
        return "parameter"
    if name in _bound(function):
        return None
    around = (node for node in syntax.nodes(source) if isinstance(node, syntax.Function) and _within(function, node))
    return "closure" if any(name in _parameters(node) or name in _bound(node) for node in around) else None


def _within(inner: syntax.Function, outer: syntax.Function) -> bool:
    first, last = (inner.lineno, inner.col_offset), (inner.end_lineno or 0, inner.end_col_offset or 0)
    start, end = (outer.lineno, outer.col_offset), (outer.end_lineno or 0, outer.end_col_offset or 0)
    return inner is not outer and start <= first and last <= end


def _parameters(function: syntax.Function) -> set[str]:
    args = function.args
    collected = [one for one in (args.vararg, args.kwarg) if one is not None]
    return {one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs, *collected)}


def _bound(function: syntax.Function) -> set[str]:
    """Return the names that a function's own body binds, without those of functions in it."""
    found: set[str] = set()
    left: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    outer: set[str] = set()
    while left:
        node = left.pop()
        if isinstance(node, ast.Nonlocal | ast.Global):
            outer |= set(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif not isinstance(node, ast.Lambda):
            left += ast.iter_child_nodes(node)
    return found - outer
