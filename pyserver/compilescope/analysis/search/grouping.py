"""Hits that say the same are one, with how often and in how many compiles; what is over a limit is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis.search.model import KINDS, Ended, Hit, Kind
from compilescope.analysis.search.searching import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compilescope.analysis.search.query import Query
    from compilescope.analysis.search.searching import Known

MOST = 10_000
"""Hits of a kind that are counted when they are not shown: what is this many may be more."""
_ONE_BY_ONE = frozenset({"finding", "function", "source", "file"})
"""Each of these stands somewhere else: they are shown one by one."""


def grouped(known: Known, query: Query, check: Callable[[], None] = lambda: None) -> Iterator[Hit | Ended]:
    """Yield what `search` does, with one hit for all of a kind with the same name and text; then how it ended.

    The hit is the first of them. Those of a kind come when all of it has been searched. `query.limit` and
    `query.per_kind` are for hits so grouped; `Ended.left_out` counts the others, up to MOST of a kind.
    Raises BadPattern.
    """
    shown, left_out, at = 0, dict[Kind, int](), None
    for kind in KINDS:
        if kind not in query.kinds:
            continue
        room = query.limit - shown if query.limit else None
        groups = _Groups(kind, min((one for one in (room, query.per_kind or None) if one is not None), default=None))
        stopped = None
        for found in search(known, replace(query, kinds=(kind,), limit=0, per_kind=0), check):
            if isinstance(found, Ended):
                stopped = found.stopped
            else:
                groups.add(found)
                if groups.left_out == MOST:
                    break
        hits = list(groups.hits())
        yield from hits
        shown += len(hits)
        if groups.left_out:
            left_out[kind] = groups.left_out
            if at is None and room is not None and len(hits) == room:
                at = kind
        if stopped is not None:
            yield Ended(shown, stopped, tuple(left_out), kind, left_out)
            return
    yield Ended(shown, None if at is None else "limit", tuple(left_out), at, left_out)


class _Groups:
    """Hits of one kind, those alike together, `most` groups of them."""

    def __init__(self, kind: Kind, most: int | None) -> None:
        self._alone = kind in _ONE_BY_ONE
        self._most = most
        self._groups: dict[object, tuple[Hit, int, set[str]]] = {}
        self.left_out = 0

    def add(self, hit: Hit) -> None:
        """Put a hit to those that it is like."""
        name = "" if hit.kind == "event" else hit.name  # the same settings stand in events of several names
        key = (name, hit.text, hit.file, hit.line, *((len(self._groups),) if self._alone else ()))
        if key not in self._groups and self._most is not None and len(self._groups) >= self._most:
            self.left_out += 1
            return
        first, count, compiles = self._groups.get(key, (hit, 0, set()))
        if hit.compile_id is not None:
            compiles.add(hit.compile_id)
        self._groups[key] = (first, count + hit.count, compiles)

    def hits(self) -> Iterator[Hit]:
        """Yield one hit for each group, in the order in which the groups were found."""
        for first, count, compiles in self._groups.values():
            yield replace(first, count=count, compiles=max(len(compiles), first.compiles))
