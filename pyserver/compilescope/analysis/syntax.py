"""Finds the syntax behind a position: the call, the branch, the function, the use of a name."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from compilescope.analysis.facts import Frame

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from compilescope.analysis.sources import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_LONGEST = 40


Span = tuple[int, int | None, int, int | None]


def meant(source: Source) -> dict[Span, ast.expr]:
    """Return the expressions to which Python gives another position than their own, by that position.

    A jump on a bare name or a call has the position of the whole `if`, `while`, `assert` or `a if b else c`: its test
    is what is meant. A method whose name is on another line than the start of what it is called on has the position
    from its name on (`update_start_location_to_match_attr` in CPython's compiler): the whole of it is meant.
    """
    found: dict[Span, ast.expr] = {}
    for node in nodes(source):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            found[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = node.test
        whole = node
        attribute = node.func if isinstance(node, ast.Call) else node
        if isinstance(whole, ast.expr) and isinstance(attribute, ast.Attribute) and attribute.end_lineno:
            line, start = attribute.end_lineno, (attribute.end_col_offset or 0) - len(attribute.attr.encode())
            if line != attribute.lineno:
                found[line, whole.end_lineno, start, whole.end_col_offset] = whole
    return found


def called(source: Source | None, frame: Frame) -> str | None:
    """Return the name of what is called in the frame's range (`print`, `self.attn`); None where that is not clear."""
    if source is None:
        return None
    calls = [node for node in nodes(source) if isinstance(node, ast.Call)]
    exact = [node for node in calls if starts(node, frame) and node.end_col_offset == frame.end_col]
    if frame.col is None:  # of several on the line it may be any
        exact = [node for node in calls if node.lineno <= frame.line <= (node.end_lineno or node.lineno)]
        exact = exact if len(exact) == 1 else []
    if not exact:
        return None
    outer = max(exact, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0, -node.col_offset))
    text = ast.unparse(outer.func)
    if len(text) <= _LONGEST and "\n" not in text and not any(isinstance(n, ast.Call) for n in ast.walk(outer.func)):
        return text
    return f".{outer.func.attr}()" if isinstance(outer.func, ast.Attribute) else None


def test_on(source: Source | None, line: int, file: str, function: str) -> Frame | None:
    """Return the place of the one comparison on line `line`, else of the test of an `if` or `while` alone on it."""
    compared = [
        node
        for node in (nodes(source) if source is not None else ())
        if isinstance(node, ast.Compare) and node.lineno == line
    ]
    if len(compared) == 1:
        return _frame(compared[0], file, function)
    for node in nodes(source) if source is not None else ():
        if isinstance(node, ast.If | ast.While) and node.lineno == line == node.test.end_lineno:
            return _frame(node.test, file, function)
    return None


def text_at(source: Source | None, frame: Frame, longest: int = _LONGEST) -> str | None:
    """Return the source text of the frame's range if it is short and on one line."""
    if source is None or frame.col is None or frame.end_col is None or (frame.end_line or frame.line) != frame.line:
        return None
    line = source.line(frame.line)
    if line is None:
        return None
    text = line.encode()[frame.col : frame.end_col].decode(errors="ignore").strip()
    return text if 0 < len(text) <= longest else None


def function_at(source: Source | None, line: int, name: str) -> Function | None:
    """Return the function called `name` whose code starts at `line` (its first decorator's line, or within it)."""
    if source is None:
        return None
    best: Function | None = None
    for node in nodes(source):
        if not isinstance(node, Function):
            continue
        own = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        first = node.lineno if isinstance(node, ast.Lambda) else _first_line(node)
        if own != name or not first <= line <= (node.end_lineno or first):
            continue
        if first == line:
            return node
        if best is None or first > best.lineno:
            best = node
    return best


def definition(function: Function, source: Source, file: str) -> Frame:
    """Return the place of a function's name in its `def` line (of the whole of a lambda)."""
    if isinstance(function, ast.Lambda):
        return _frame(function, file, "<lambda>")
    name, line = function.name.encode(), (source.line(function.lineno) or "").encode()
    start = line.find(name, line.find(b"def", function.col_offset) + 3)
    if start < 0:
        return Frame(file, function.lineno, function.name)
    return Frame(file, function.lineno, function.name, function.lineno, start, start + len(name))


def parameter(function: Function, name: str, file: str) -> Frame | None:
    """Return the place of a parameter in a function's signature."""
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(a for a in (args.vararg, args.kwarg) if a)]
    for one in every:
        if one.arg == name:
            end = one.col_offset + len(name.encode())
            return Frame(file, one.lineno, getattr(function, "name", "<lambda>"), one.lineno, one.col_offset, end)
    return None


def first_use(
    function: Function, expression: str, file: str, after: int = 0, lines: Container[int] | None = None
) -> Frame | None:
    """Return the first place in a function's body, after a line, that reads `expression` (`*.gain`: of anything).

    `lines`: only those are looked at.
    """
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    found = [
        node
        for part in body
        for node in ast.walk(part)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        and node.lineno > after
        and (lines is None or node.lineno in lines)
        and isinstance(node.ctx, ast.Load)
        and _is(node, expression)
    ]
    if not found:
        return None
    first = min(found, key=lambda node: (node.lineno, node.col_offset))
    return _frame(first, file, getattr(function, "name", "<lambda>"))


def called_with(source: Source | None, argument: Frame) -> str | None:
    """Return the method of the call that a statement is, or takes its value from, where `argument` is within its first.

    With an argument before it, or with a loop or `with` around, more would be on Python's stack.
    """
    if source is None or argument.col is None or _is_in_block(source, argument.line):
        return None
    for node in nodes(source):
        if not isinstance(node, ast.Expr | ast.Assign | ast.Return) or not isinstance(node.value, ast.Call):
            continue
        call = node.value
        first = call.args[0] if call.args else None
        if first is None or not isinstance(call.func, ast.Attribute):
            continue
        start, end = (first.lineno, first.col_offset), (first.end_lineno or 0, first.end_col_offset or 0)
        if start <= (argument.line, argument.col) < end:
            return ast.unparse(call.func)[:_LONGEST]
    return None


def _is_in_block(source: Source, line: int) -> bool:
    blocks = ast.With | ast.AsyncWith | ast.For | ast.AsyncFor
    return any(isinstance(node, blocks) and node.lineno <= line <= (node.end_lineno or 0) for node in nodes(source))


def loop_around(source: Source | None, line: int, file: str) -> tuple[Frame, int, int] | None:
    """Return the outermost loop of its function that a line is in: its head, first and last line."""
    if source is None:
        return None
    loops = [
        node
        for node in nodes(source)
        if isinstance(node, ast.For | ast.AsyncFor | ast.While) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    functions = [
        node for node in nodes(source) if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(functions, key=lambda node: node.lineno, default=None)
    loops = [node for node in loops if inner is None or node.lineno >= inner.lineno]
    if not loops:
        return None
    loop = min(loops, key=lambda node: node.lineno)
    head = loop.test if isinstance(loop, ast.While) else loop.iter
    frame = Frame(file, loop.lineno, "", head.end_lineno, loop.col_offset, head.end_col_offset)
    return frame, loop.lineno, loop.end_lineno or loop.lineno


# Functions of Python that need a number itself, not a symbol for it.
_NEEDS_NUMBER = re.compile(r"(?:math|cmath|random|np|numpy)\.\w+|int|float|bool|round|str|repr|format|hash|range")


def number_call(source: Source | None, frame: Frame) -> tuple[Frame, str] | None:
    """Return the innermost call around a frame's range that needs an exact Python number, and its name."""
    if source is None or frame.col is None or frame.end_col is None:
        return None
    place = (frame.line, frame.col), (frame.end_line or frame.line, frame.end_col)
    found: ast.Call | None = None
    for node in nodes(source):
        if not isinstance(node, ast.Call) or not _NEEDS_NUMBER.fullmatch(ast.unparse(node.func)):
            continue
        span = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        inside = any(_span(argument)[0] <= place[0] and place[1] <= _span(argument)[1] for argument in node.args)
        if inside and (found is None or _span(found)[0] < span[0]):
            found = node
    return None if found is None else (_frame(found, frame.file, frame.function), ast.unparse(found.func))


def _span(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def names_in(expression: str) -> list[str]:
    """Return what an expression reads, longest chains only: `['x.shape', 'n']` for `x.shape[0] == n`."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Name | ast.Attribute) and (text := chain(node)):
            found.append(text)
            return
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                visit(node.func.value)
            for child in (*node.args, *node.keywords):
                visit(child)
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return list(dict.fromkeys(found))


def chain(node: ast.AST) -> str | None:
    """Return a dotted name as text; None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := chain(node.value)):
        return f"{head}.{node.attr}"
    return None


def _is(node: ast.expr, expression: str) -> bool:
    if expression.startswith("*."):
        return isinstance(node, ast.Attribute) and node.attr == expression[2:]
    try:
        return ast.unparse(node) == expression
    except (ValueError, RecursionError):
        return False


def nodes(source: Source) -> Iterator[ast.AST]:
    """Return all of a file's syntax, outer before inner; nothing when it has none."""
    return iter(source.nodes)


def starts(node: ast.stmt | ast.expr, frame: Frame) -> bool:
    """Whether a node starts where a frame's range does."""
    return node.lineno == frame.line and node.col_offset == frame.col


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _frame(node: ast.expr, file: str, function: str) -> Frame:
    return Frame(file, node.lineno, function, node.end_lineno, node.col_offset, node.end_col_offset)
