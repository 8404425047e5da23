"""Numbers that the program draws outside of torch: which draw a line's value comes from."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from compilescope.analysis.syntax import Function, nodes, starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.facts import Frame
    from compilescope.analysis.sources import Source

_DRAWS = re.compile(r"(?:random|np\.random|numpy\.random)\.\w+")


def drawn(source: Source | None, frame: Frame) -> str | None:
    """Return what drew a number that a frame's range reads by name (`random.randint`); None where none is known."""
    if source is None or frame.col is None:
        return None
    end = frame.end_line or frame.line, frame.end_col
    exact = [
        one
        for one in nodes(source)
        if isinstance(one, ast.expr | ast.Slice) and starts(one, frame) and (one.end_lineno, one.end_col_offset) == end
    ]
    read = {name for node in exact[:1] for name in _numbers(node)}
    set_before: dict[str, tuple[int, ast.expr]] = {}
    for name, line, value in _assigned(source, frame.line):
        if name in read and line >= set_before.get(name, (0, value))[0]:
            set_before[name] = line, value
    return next((text for _, value in set_before.values() if (text := _draw(value))), None)


def _numbers(node: ast.expr | ast.Slice) -> Iterator[str]:
    """Yield the names that stand alone where a call, a slice or a comparison of nothing else takes a number."""
    parts: list[ast.expr | None] = []
    if isinstance(node, ast.Call):
        parts = [*node.args, *(one.value for one in node.keywords)]
    elif isinstance(node, ast.Slice):
        parts = [node.lower, node.upper, node.step]
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        if not all(isinstance(one, ast.Name | ast.Constant) for one in parts):
            return
    elif isinstance(node, ast.Name):
        parts = [node]
    yield from (one.id for one in parts if isinstance(one, ast.Name))


def _assigned(source: Source, line: int) -> Iterator[tuple[str, int, ast.expr]]:
    """Yield the names that the function around a line sets alone before it, on which line, and what to."""
    around = [one for one in nodes(source) if isinstance(one, Function) and one.lineno <= line <= (one.end_lineno or 0)]
    function = max(around, key=lambda one: one.lineno, default=None)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Assign) and node.lineno < line:
            yield from ((one.id, node.lineno, node.value) for one in node.targets if isinstance(one, ast.Name))


def _draw(value: ast.expr) -> str | None:
    if not isinstance(value, ast.Call):
        return None
    text = ast.unparse(value.func)
    return text if _DRAWS.fullmatch(text) else None
