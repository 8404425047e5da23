"""Searches a recording, kind by kind, and yields what is found as it is found."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.analysis.analyse import analyse, context_of
from compilescope.analysis.search import told
from compilescope.analysis.search.deadline import TooSlow, deadlines
from compilescope.analysis.search.model import KINDS, Ended, Hit, Kind
from compilescope.analysis.search.nodes import Nodes
from compilescope.analysis.search.query import Matcher
from compilescope.analysis.search.written import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Result
    from compilescope.analysis.search.query import Query
    from compilescope.recording.reader import Event, Recording


class Known:
    """What the analysis says of a recording as it is now, for several searches; worked out when it is needed."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @cached_property
    def result(self) -> Result:
        """The findings and all that goes with them."""
        return analyse(self.recording)

    @cached_property
    def context(self) -> Context:
        """The facts, and the names of compiles."""
        return context_of(self.recording)

    def name(self, event: Event) -> str | None:
        """Return the compile id of an event, as reports write it; None outside of a compile."""
        return None if event.compile_id is None else self.context.name(self.context.compiles.where(event))


def search(known: Known, query: Query, check: Callable[[], None] = lambda: None) -> Iterator[Hit | Ended]:
    """Yield the hits, those of a kind together, in the order of `KINDS`, then how it ended.

    Payloads are read one at a time. `check` is called for each event that is looked at; what it raises ends the search.
    A regular expression that takes too long ends it as well (`deadline.py`). Raises BadPattern.
    """
    with deadlines() as timed:
        matcher = Matcher(query, timed)
        count, cut = 0, list[Kind]()
        for kind in KINDS:
            if kind not in query.kinds:
                continue
            of_kind = 0
            try:
                for hit in _hits(known, matcher, kind, check):
                    if query.per_kind and of_kind == query.per_kind:
                        cut.append(kind)
                        break
                    if query.limit and count == query.limit:
                        yield Ended(count, "limit", tuple(cut), kind)
                        return
                    yield hit
                    count, of_kind = count + 1, of_kind + 1
            except TooSlow:
                yield Ended(count, "too-slow", tuple(cut), kind)
                return
        yield Ended(count, None, tuple(cut))


def _hits(known: Known, matcher: Matcher, kind: Kind, check: Callable[[], None]) -> Iterator[Hit]:
    check()
    recording = known.recording
    written = Written(recording, matcher, known.name, check)
    if kind == "guard":
        yield from told.failed_guards(known.context, matcher)
        yield from written.guards()
    elif kind == "kernel":
        yield from told.kernels(known.result, matcher)
        names = {(one.compile_id, one.name) for one in known.result.kernels}
        yield from Nodes(recording, known.context, matcher, check).kernels(names)
    elif kind == "node":
        yield from Nodes(recording, known.context, matcher, check).found()
    elif kind in _OF_LOGS:
        yield from _OF_LOGS[kind](written)
    else:
        yield from _OF_RESULT[kind](known.result, matcher)


_OF_RESULT = {"finding": told.findings, "function": told.functions, "pass": told.passes}
_OF_LOGS = {"source": Written.sources, "event": Written.events, "file": Written.files, "text": Written.texts}
