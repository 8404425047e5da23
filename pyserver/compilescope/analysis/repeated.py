"""Blocks of one kind that a model has many of, each with operations of its own in the graph."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis.facts import Frame
from compilescope.analysis.syntax import definition, function_at

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.snapshots import Node

# A module's path up to the first number in it: `L['self'].layers.3.attn` is the 4th of `L['self'].layers`.
_NUMBERED = re.compile(r"(?P<list>.*?\.(?P<name>[A-Za-z_]\w*))\.(?P<index>\d{1,6})(?:\.(?P<inner>.*))?")
_FEWEST = 8


class Blocks(NamedTuple):
    """The blocks of one kind in the module list `name` (`alike`), and how many operations of the graph are theirs."""

    name: str
    alike: int
    operations: int


def blocks(nodes: list[Node]) -> Blocks | None:
    """Return the module list with most operations, if it has eight blocks or more of one kind."""
    operations: Counter[str] = Counter()
    inside: dict[str, dict[str, set[tuple[str, str]]]] = {}
    names: dict[str, str] = {}
    for node in nodes:
        match = _NUMBERED.fullmatch(node.module[0]) if node.module else None
        if match is None or node.module is None:
            continue
        operations[match["list"]] += 1
        names[match["list"]] = match["name"]
        of = inside.setdefault(match["list"], {}).setdefault(match["index"], set())
        of.add((match["inner"] or "", node.module[1]))
    for path, count in operations.most_common(1):
        kinds = Counter(frozenset(parts) for parts in inside[path].values())
        alike = kinds.most_common(1)[0][1]
        if alike >= _FEWEST and alike * 2 > len(inside[path]):
            return Blocks(names[path], alike, count)
    return None


def loop_over(context: Context, code: Frame, name: str) -> Frame:
    """Return the head of the loop over `name` in a function, else the function's own name."""
    source = context.sources.get(code.file)
    function = function_at(source, code.line, code.function)
    if function is None or source is None:
        return code
    for node in ast.walk(function):
        if isinstance(node, ast.For) and re.search(rf"\b{re.escape(name)}\b", ast.unparse(node.iter)):
            return Frame(
                code.file, node.lineno, code.function, node.iter.end_lineno, node.col_offset, node.iter.end_col_offset
            )
    return definition(function, source, code.file)
