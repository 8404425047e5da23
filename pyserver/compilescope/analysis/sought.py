"""Which operators a custom pass looks for, read from its source: what it compares with, or asks a graph for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.analysis.syntax import Function, chain, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.sources import Source

_ASKING = {"find_nodes", "CallFunction", "CallMethod", "CallFunctionVarArgs"}
_ROOTS = ("torch.", "operator.", "_operator.")
# What of torch is compared with in a pass and is no operator.
_OTHER = (
    "torch.fx.",
    "torch.float",
    "torch.int",
    "torch.bool",
    "torch.uint",
    "torch.bfloat",
    "torch.half",
    "torch.nn.Module",
)


def sought(source: Source | None, function: Function | None) -> list[str]:
    """Return the operators as targets of nodes are written; empty when the source does not say.

    `aten.relu.default`, `aten.relu` for each overload, `_operator.mul`, `torch.nn.functional.gelu`.
    """
    if source is None or function is None:
        return []
    known = _names(source)
    found: dict[str, None] = {}
    for part in _with_helpers(source, function):
        for node in ast.walk(part):
            for operand in _compared(node):
                found.update(dict.fromkeys(_targets(operand, known)))
    return list(found)


def _names(source: Source) -> dict[str, ast.expr | str]:
    """What the names of a module stand for: an import's whole name, or the expression that was assigned."""
    known: dict[str, ast.expr | str] = {}
    for node in nodes(source):
        if isinstance(node, ast.Import):
            known |= {one.asname: one.name for one in node.names if one.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known.setdefault(node.targets[0].id, node.value)
    return known


def _with_helpers(source: Source, function: Function) -> list[ast.AST]:
    """A function with those of its module that it calls by name; a method with the whole of its class."""
    classes = [one for one in nodes(source) if isinstance(one, ast.ClassDef) and function in ast.walk(one)]
    parts: list[ast.AST] = [classes[-1] if classes else function]
    called = {one.func.id for one in ast.walk(parts[0]) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    helpers = (one for one in nodes(source) if isinstance(one, ast.FunctionDef) and one.name in called)
    return [*parts, *(one for one in helpers if one is not function)]


def _compared(node: ast.AST) -> Iterator[ast.expr]:
    """What a comparison is made with, or what a graph or a pattern is asked for."""
    if isinstance(node, ast.Compare):
        yield node.left
        yield from node.comparators
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in _ASKING:
            yield from node.args
            yield from (one.value for one in node.keywords if one.arg in {"target", None})


def _targets(node: ast.expr, known: dict[str, ast.expr | str], depth: int = 0) -> Iterator[str]:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        for one in node.elts:
            yield from _targets(one, known, depth)
        return
    if isinstance(node, ast.Name) and depth < 3 and isinstance(value := known.get(node.id), ast.expr):  # noqa: PLR2004
        yield from _targets(value, known, depth + 1)
        return
    text = _whole(node, known)
    if text is None or not text.startswith(_ROOTS) or text.startswith(_OTHER):
        return
    if text.startswith("torch.ops."):
        yield text.removeprefix("torch.ops.")
    else:
        yield text if text.startswith(("torch.", "_")) else f"_{text}"


def _whole(node: ast.expr, known: dict[str, ast.expr | str]) -> str | None:
    """A dotted name with its first part written out."""
    text = chain(node)
    if text is None:
        return None
    head, _, rest = text.partition(".")
    value = known.get(head)
    whole = chain(value) if isinstance(value, ast.expr) else value
    return ".".join(part for part in (whole or head, rest) if part)
