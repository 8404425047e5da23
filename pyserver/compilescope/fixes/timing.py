"""Times taken in compiled code: left out when compiled where they are only shown, else taken around the call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import names, source, statements, timed_calls, variables
from compilescope.fixes.pure import is_pure
from compilescope.fixes.timed_calls import CLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile

_RULES = {"graph-break", "frame-skipped", "graph-break-error"}
_LOGGER = re.compile(
    r"(?:self\.|cls\.)?_*log(?:ger|ging)?\.(?:debug|info|warning|warn|error|critical|log)", re.IGNORECASE
)


def fixes(site: Site) -> Iterator[Fix]:
    """Yield what keeps a function from looking at the clock while it is compiled."""
    call, function = site.call, site.function
    if (
        site.finding.rule not in _RULES
        or call is None
        or not isinstance(function, tree.Function)
        or function.type != "funcdef"
    ):
        return
    if not any(names.called(site.source, one) in CLOCKS for one in source.inside(call)):
        return
    shown = _only_shown(site, function)
    if shown:
        yield Fix(
            "Leave the timing out when compiled",
            statements.only_when_eager(site.source, shown, site.source.names_module("torch") or "torch"),
            kind="timing",
            preferred=True,
            note="compiled code then shows no time: take it around the call, or with `torch.profiler`",
        )
        return
    outside = timed_calls.edits(site.source, function)
    if outside:
        yield Fix(
            "Take the time around the calls",
            outside,
            kind="timing",
            preferred=True,
            note=f"`{function.name.value}` then returns its result alone, and the time has the check of guards in it, "
            "with the first call the compile; callers in other files have to take it, too",
        )


def _only_shown(site: Site, function: tree.Function) -> list[NodeOrLeaf]:
    """Return the statements that take a time, compute with times or show them; empty where a time goes elsewhere."""
    file = site.source
    times: set[str] = set()
    found: list[NodeOrLeaf] = []
    shown = False
    for one in source.inside(function.children[-1]):
        if one.type != "simple_stmt":
            continue
        if not _has_time(file, one, times):
            continue
        given = statements.assigned(one)
        if not statements.is_alone(file, one) or source.function(one) is not function:
            return []
        if given is not None and _is_time(file, given[1], times):
            times.add(given[0].value)
        elif given is None and _shows(file, one):
            shown = True
        else:
            return []
        found.append(one)
    uses = [one for name in times for one in variables.uses(file, function, name)]
    inside = all(any(one.start_pos <= use.start_pos < one.end_pos for one in found) for use in uses)
    assigns = all(_assigns_times_alone(file, one, times) for one in uses)
    return found if shown and inside and assigns and file.names_module("torch") else []


def _assigns_times_alone(file: SourceFile, use: tree.Name, times: set[str]) -> bool:
    """Whether a name of a time has no other value in the function."""
    if not use.is_definition(include_setitem=False):
        return True
    statement = source.statement(use)
    given = statements.assigned(statement) if statement is not None else None
    return given is not None and _is_time(file, given[1], times)


def _has_time(file: SourceFile, node: NodeOrLeaf, times: set[str]) -> bool:
    return any(
        (isinstance(one, tree.Name) and one.value in times) or names.called(file, one) in CLOCKS
        for one in source.inside(node)
    )


def _is_time(file: SourceFile, value: NodeOrLeaf, times: set[str]) -> bool:
    """Whether an expression is made of clocks, times and numbers alone."""
    clocks = [one for one in source.inside(value) if names.called(file, one) in CLOCKS]
    for leaf in source.inside(value):
        in_clock = any(one.start_pos <= leaf.start_pos < one.end_pos for one in clocks)
        if isinstance(leaf, tree.Name) and not in_clock and leaf.value not in times:
            return False
    return _has_time(file, value, times) and _only_computes(file, value, clocks)


def _only_computes(file: SourceFile, value: NodeOrLeaf, clocks: list[NodeOrLeaf]) -> bool:
    """Whether an expression only computes, clocks aside."""
    return value in clocks or all(
        one in clocks or is_pure(file, one) or _only_computes(file, one, clocks) for one in source.children(value)
    )


def _shows(file: SourceFile, statement: NodeOrLeaf) -> bool:
    """Whether a statement is a `print` or a log record that has no other effect."""
    call = source.children(statement)[0]
    if not source.is_call(call) or not (names.called(file, call) == "print" or _LOGGER.fullmatch(source.callee(call))):
        return False
    clocks = [one for one in source.inside(call) if names.called(file, one) in CLOCKS]
    return all(_only_computes(file, one, clocks) for one in source.arguments(call))
