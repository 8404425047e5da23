"""Breaks that are an exception of the program's own: an `assert` that fails, a `raise` that the call comes to."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Literal

from compilescope.analysis.surroundings import holds
from compilescope.analysis.syntax import nodes

if TYPE_CHECKING:
    from compilescope.analysis.facts import Break, Frame
    from compilescope.analysis.sources import Source

# Torch's names (torch/_dynamo/symbolic_convert.py, 2.6 to 2.14): an exception that nothing catches; an `assert` whose
# condition is false already while the graph is recorded, or for the number or size that the call brought.
_LEFT = re.compile(r"^Observed exception")
_FALSE = "attempted to jump with ConstantVariable(bool: False)"
_FAILED = "Assertion failed on symbolic shapes"
_EXCEPTION = re.compile(r"raised exception (?:ExceptionVariable\(<class '(?:\w+\.)*)?(?P<name>[A-Z]\w*)")


def statement(source: Source | None, fact: Break, deepest: Frame) -> Literal["assert", "raise"] | None:
    """Return what raises where a graph ends, as far as the program's text and torch's notes tell; None for nothing."""
    node = next(iter(_around(source, deepest)), None)
    if isinstance(node, ast.Raise):
        return "raise" if _LEFT.match(fact.gb_type or "") or holds(node, deepest) else None
    if not isinstance(node, ast.Assert):
        return None
    failed = _LEFT.match(fact.gb_type or "") or fact.gb_type == _FAILED or fact.context == _FALSE
    return "assert" if failed or (node.msg is not None and holds(node.msg, deepest)) else None


def exception(fact: Break) -> str | None:
    """Return the name of the exception that torch saw leave the function."""
    match = _EXCEPTION.match(fact.context)
    return match["name"] if match else None


def _around(source: Source | None, frame: Frame) -> list[ast.Assert | ast.Raise]:
    if source is None or frame.col is None:
        return []
    return [node for node in nodes(source) if isinstance(node, ast.Assert | ast.Raise) and holds(node, frame)]
