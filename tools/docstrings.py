"""Takes docstrings out of Python files, for a package that must be small: as `python -OO` does, but in the text.

Lines keep their numbers. A docstring is empty then, and not None, so that what adds to one still works.
"""

from __future__ import annotations

import ast
from pathlib import Path

BODIES = ("body", "orelse", "finalbody")


def without(source: bytes) -> bytes:
    """Return `source` without its docstrings and other texts that stand alone. Raises SyntaxError."""
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    texts = []
    for node in ast.walk(ast.parse(source)):
        for body in (getattr(node, name, None) for name in BODIES):
            texts += [one for one in body if _is_text(one)] if isinstance(body, list) else []
    found = bytearray(source)
    for text in sorted(texts, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        start = starts[text.lineno - 1] + text.col_offset
        end = starts[(text.end_lineno or text.lineno) - 1] + (text.end_col_offset or 0)
        found[start:end] = b'""' + b"\n" * found.count(b"\n", start, end)
    return bytes(found)


def strip(folder: Path) -> None:
    """Rewrite all Python files in `folder`."""
    for file in folder.rglob("*.py"):
        file.write_bytes(without(file.read_bytes()))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
