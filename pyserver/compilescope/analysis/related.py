"""Other places that explain a break: where a tested value was computed, and the block that torch can't go on in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.analysis.facts import Frame
from compilescope.analysis.syntax import Function, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.sources import Source

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITHS = (ast.With, ast.AsyncWith)
_MOST = 2
Related = dict[str, object]


def computed(context: Context, place: Frame) -> list[Related]:
    """Return where the names that a place reads were last assigned before it, in its function."""
    source = context.sources.get(place.file)
    if source is None or place.col is None:
        return []
    found: list[Related] = []
    for name in dict.fromkeys(_names(source, place)):
        targets = [one for one in _assigned(source, place) if one.id == name]
        if targets:
            last = max(targets, key=lambda one: (one.lineno, one.col_offset))
            found.append(_related(context, place, last, f"`{name}` was computed here"))
    return found[:_MOST]


def block(context: Context, place: Frame, kind: str) -> list[Related]:
    """Return the innermost `loop`, `with` or `try` of its function that a place is in."""
    source = context.sources.get(place.file)
    types = {"loop": _LOOPS, "with": _WITHS, "try": (ast.Try,)}.get(kind, ())
    if source is None or not types:
        return []
    inside = [
        node
        for node in _own(source, place)
        if isinstance(node, types) and node.lineno < place.line <= (node.end_lineno or 0)
    ]
    if not inside:
        return []
    node = max(inside, key=lambda one: one.lineno)
    return [_related(context, place, node, "the loop" if kind == "loop" else f"the `{kind}` block")]


def _related(context: Context, place: Frame, node: ast.stmt | ast.expr, text: str) -> Related:
    end_line, end_col = node.end_lineno, node.end_col_offset
    if isinstance(node, ast.stmt):  # its first line is enough
        line = (context.sources.line(place.file, node.lineno) or "").encode()
        end_line, end_col = node.lineno, len(line.rstrip())
    at = context.ranges.of(Frame(place.file, node.lineno, place.function, end_line, node.col_offset, end_col))
    return {
        "file": place.file,
        "range": {
            "start": {"line": at.start.line, "character": at.start.character},
            "end": {"line": at.end.line, "character": at.end.character},
        },
        "text": text,
    }


def _names(source: Source, place: Frame) -> Iterator[str]:
    """Yield the names that are read within a place, in order."""
    start, end = (place.line, place.col or 0), (place.end_line or place.line, place.end_col or 0)
    read = [
        node
        for node in nodes(source)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and start <= (node.lineno, node.col_offset)
        and (node.end_lineno or 0, node.end_col_offset or 0) <= end
    ]
    yield from (node.id for node in sorted(read, key=lambda node: (node.lineno, node.col_offset)))


def _assigned(source: Source, place: Frame) -> Iterator[ast.Name]:
    for node in _own(source, place):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno < place.line:
            yield node


def _own(source: Source, place: Frame) -> Iterator[ast.stmt | ast.expr]:
    """Yield what is in the innermost function around a place, outside of functions in it."""
    around = [
        node
        for node in nodes(source)
        if isinstance(node, Function) and node.lineno <= place.line <= (node.end_lineno or 0)
    ]
    root: ast.AST | None = max(around, key=lambda node: (node.lineno, node.col_offset), default=source.tree)
    waiting: list[ast.AST] = [] if root is None else [root]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, Function):
                continue
            if isinstance(child, ast.stmt | ast.expr):
                yield child
            waiting.append(child)
