"""Which functions the program asks for as one graph (`fullgraph=True`), where the log does not say so itself."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis.ours import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.sources import Source

_IN_LINE = re.compile(r"\bcompile\(.*\bfullgraph\s*=\s*True\b")


def is_asked(source: Source | None, line: int, function: str) -> bool:
    """Whether the text compiles a function, whose code begins at `line`, as one graph, and nowhere as several.

    Its decorator says so, or the calls that name it: `torch.compile(function, fullgraph=True)`.
    """
    if source is None:
        return False
    asked = [_says_one(call) for call in _compiles(source, line, function.rpartition(".")[2])]
    return bool(asked) and all(asked)


def is_called_so(stack: Any) -> bool:
    """Whether the line of the log that called the compiled code compiles it as one graph, in the same expression."""
    callers = [text(mapping(frame).get("loc")) for frame in items(stack)]
    return any(_IN_LINE.search(line) for line in [line for line in callers if line][-1:])


def _compiles(source: Source, line: int, function: str) -> Iterator[ast.expr]:
    """Yield decorators and calls that compile a function."""
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if line in (first, node.lineno):
                yield from (one for one in node.decorator_list if _is_compile(_called(one)))
        elif isinstance(node, ast.Call) and _is_compile(node.func) and node.args:
            argument = node.args[0]
            name = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "id", None)
            if name == function:
                yield node


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _is_compile(node: ast.expr) -> bool:
    """Whether this is `torch.compile`, `compile` or `torch._dynamo.optimize`, by its name alone."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in {"compile", "optimize"}


def _says_one(node: ast.expr) -> bool:
    words = node.keywords if isinstance(node, ast.Call) else []
    given = [one for one in words if one.arg in {"fullgraph", "nopython"}]
    return any(isinstance(one.value, ast.Constant) and one.value.value is True for one in given)
