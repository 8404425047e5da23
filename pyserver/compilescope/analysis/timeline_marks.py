"""The moments of a timeline: compiles that began and why, failures, a process that was ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis import causes
from compilescope.analysis.changes import change
from compilescope.analysis.recompile_rows import own_words
from compilescope.analysis.shown_values import shown_pair
from compilescope.analysis.timeline_about import ROOT
from compilescope.analysis.timeline_model import Line, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Recompile
    from compilescope.analysis.timeline_model import Timeline


def marks(found: Timeline, context: Context) -> list[Mark]:
    """Return the marks, in order."""
    every = [*_compiles(found, context), *_failures(found, context), *_ends(found)]
    return sorted(every, key=lambda mark: mark.time)


def _compiles(found: Timeline, context: Context) -> Iterator[Mark]:
    recompiles = {context.name(fact.where): fact for fact in context.facts.recompiles if not fact.refused}
    seen: set[str] = set()
    for span in found.spans:
        if span.name != ROOT or span.compile_id is None or span.compile_id in seen:
            continue
        seen.add(span.compile_id)
        process, fact = found.lanes[span.lane].process, recompiles.get(span.compile_id)
        if fact is None:
            yield Mark(span.start, "first", f"{span.compile_id} first compile", process, span.compile_id)
            continue
        caller = context.rules.caller(fact.above)
        line = None if caller is None else Line(caller.file, caller.line)
        text = f"{span.compile_id} recompile · {_why(context, fact)}"
        yield Mark(span.start, "recompile", text, process, span.compile_id, line)


def _why(context: Context, fact: Recompile) -> str:
    """Return what failed and between which values: `size of x at index 1: 10 → 7`."""
    failed = causes.cause(fact, context.facts.guards)
    check = own_words(context, fact, change(failed).check).replace("`", "")
    pair = shown_pair(failed.old, failed.new)
    return f"{check}: {' → '.join(pair)}" if pair else check


def _failures(found: Timeline, context: Context) -> Iterator[Mark]:
    ended: dict[str | None, float] = {}
    for span in found.spans:
        if span.parent is None and found.lanes[span.lane].kind == "thread":
            ended[span.compile_id] = max(ended.get(span.compile_id, 0.0), span.end)
    for fact in context.facts.failures:
        compile_id = context.name(fact.where)
        if compile_id in ended and fact.chain:
            text = f"{compile_id} failed · {fact.chain[-1][0].rpartition('.')[2]}"
            yield Mark(ended[compile_id], "failure", text, fact.where.process, compile_id)


def _ends(found: Timeline) -> Iterator[Mark]:
    """A process that ended while it compiled."""
    last: dict[int, float] = {}
    for span in found.spans if not found.running else ():
        process = found.lanes[span.lane].process
        if span.open:
            last[process] = max(last.get(process, 0.0), span.end)
    for process, time in last.items():
        yield Mark(time, "end", "process ended", process)
