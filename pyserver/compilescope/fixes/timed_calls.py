"""`t0 = clock(); …; return out, clock() - t0`: the clock taken around the calls of the function."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import calls, names, source, statements, variables

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.arguments import Call
    from compilescope.fixes.source import SourceFile

CLOCKS = {
    f"time.{name}{unit}" for name in ("time", "perf_counter", "monotonic", "process_time") for unit in ("", "_ns")
}
_PAIR = 2


@dataclass(frozen=True)
class _Timed:
    """A function that takes its own time: the name that it begins with, and the code of the clock and the difference.

    `inside`: the edits that leave the function with its result alone.
    """

    begun: str
    clock: str
    difference: str
    inside: list[Edit]


def edits(file: SourceFile, function: tree.Function) -> list[Edit]:
    """Return the edits for a function that returns a result and its time; empty for any other form."""
    timed = _timed(file, function)
    found = calls.calls_of(file, function)
    if timed is None or not found.complete or not found.found:
        return []
    around = [_around(one, timed) for one in found.found]
    return [*timed.inside, *(edit for one in around for edit in one)] if all(around) else []


def _timed(file: SourceFile, function: tree.Function) -> _Timed | None:
    returns = [one for one in source.inside(function.children[-1]) if one.type == "return_stmt"]
    body = statements.body(function)
    if len(returns) != 1 or len(body) <= _PAIR or source.statement(returns[0]) is not body[-1]:
        return None
    started, taken, given = statements.assigned(body[0]), statements.assigned(body[-2]), source.children(returns[0])[1]
    pair = _pair(given)
    if started is None or pair is None or names.called(file, started[1]) not in CLOCKS:
        return None
    begun, difference, gone, used = started[0].value, pair[1], [body[0]], {started[0].value: 2}
    if taken is not None and isinstance(pair[1], tree.Name) and pair[1].value == taken[0].value:
        difference, gone = taken[1], [body[0], body[-2]]
        used[taken[0].value] = 2
    other_uses = any(len(variables.uses(file, function, name)) != count for name, count in used.items())
    if other_uses or not _is_difference(file, difference, begun) or not all(statements.is_alone(file, s) for s in gone):
        return None
    inside = [*(statements.removed(file, one) for one in gone), file.replaced(given, source.code(pair[0]))]
    return _Timed(begun, source.code(started[1]), source.code(difference), inside)


def _pair(node: NodeOrLeaf) -> list[NodeOrLeaf] | None:
    """Return `a` and `b` of `a, b`."""
    parts = [one for one in source.children(node) if one.type != "operator"]
    return parts if node.type in {"testlist", "testlist_star_expr", "exprlist"} and len(parts) == _PAIR else None


def _is_difference(file: SourceFile, value: NodeOrLeaf, begun: str) -> bool:
    """Whether an expression is `clock() - begun`, perhaps times a number."""
    while value.type in {"term", "atom"}:
        inner = [one for one in source.children(value) if one.type not in {"operator", "number"}]
        if len(inner) != 1:
            return False
        value = inner[0]
    match source.children(value):
        case [clock, sign, tree.Name() as name] if source.code(sign) == "-":
            return names.called(file, clock) in CLOCKS and name.value == begun
    return False


def _around(call: Call, timed: _Timed) -> list[Edit]:
    """Return the edits at `out, took = f(…)`; empty where the call stands in another form."""
    file, statement = call.file, source.statement(call.callee)
    if statement is None or not statements.is_alone(file, statement):
        return []
    match source.children(source.children(statement)[0]):
        case [targets, sign, value] if source.code(sign) == "=" and value.end_pos == call.trailer.end_pos:
            pair = _pair(targets)
            if pair is None or value is not call.callee.parent:
                return []
            begun = names.unused(file, f"{timed.begun}_before")
            again = f"{file.line_end}{file.indentation(statement)}"
            difference = re.sub(rf"\b{timed.begun}\b", begun, timed.difference)
            return [
                file.replaced(targets, f"{begun} = {timed.clock}{again}{source.code(pair[0])}"),
                file.inserted(source.end_of(statement), f"{again}{source.code(pair[1])} = {difference}"),
            ]
    return []
