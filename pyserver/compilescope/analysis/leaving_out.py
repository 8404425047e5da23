"""Whether a call that only writes for people can be left out: nothing else is then different."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.analysis.syntax import nodes, starts

if TYPE_CHECKING:
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.sources import Source


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTIONS = _words(
    "abs all any bool dict divmod enumerate float format getattr hasattr id int isinstance len list max min range repr "
    "round set sorted str sum tuple type zip"
)
_METHODS = _words(
    "abs all allclose any argmax argmin amax amin clone count_nonzero cpu detach dim double element_size float flatten "
    "format get get_device getLogger int is_contiguous is_floating_point isfinite isinf isnan item items join keys "
    "ljust lower max mean median min ndimension norm numel numpy prod rjust round size sqrt square squeeze std stride "
    "strip sum title tolist upper values var"
)
_LOUD = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)


def may_be_left_out(source: Source | None, frame: Frame) -> bool:
    """Whether a frame's range is a call that starts a line and is all of a statement, whose arguments only compute."""
    if source is None or frame.col is None or (source.line(frame.line) or "").encode()[: frame.col].strip():
        return False
    for node in nodes(source):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and starts(node.value, frame):
            end = node.value.end_lineno, node.value.end_col_offset
            inside = [one for one in ast.walk(node.value) if one is not node.value]
            return end == (frame.end_line or frame.line, frame.end_col) and all(_only_computes(one) for one in inside)
    return False


def _only_computes(node: ast.AST) -> bool:
    """Whether a part of an expression changes nothing; a call that is not known may."""
    if not isinstance(node, ast.Call):
        return not isinstance(node, _LOUD)
    if isinstance(node.func, ast.Name):
        return node.func.id in _FUNCTIONS
    return isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
