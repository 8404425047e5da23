"""Events of a recording for a terminal: how many there are of each name, or one after the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from compilescope.report.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from compilescope.analysis.events import EventCount, EventEntry


def table(counts: Sequence[EventCount]) -> list[str]:
    """Return the lines of a table of names, with a sum at its end."""
    whole = [("all", sum(one.count for one in counts), sum(one.bytes for one in counts))]
    rows = [(clean(one.name), one.count, one.bytes) for one in counts] + whole
    width = max(len("event"), *(len(name) for name, _, _ in rows))
    lines = [f"{'event':{width}}  {'count':>9}  {'bytes':>13}"]
    return lines + [f"{name:{width}}  {count:>9,}  {length:>13,}" for name, count, length in rows]


def listed(entries: Iterable[EventEntry]) -> Iterator[str]:
    """Yield the lines of events: one for each, and under it what envelope and payload say."""
    for one in entries:
        rank = "" if one.rank is None else f" rank {one.rank}"
        where = f"{one.bytes:,} bytes, {one.log}:{one.offset}"
        yield clean(f"{one.time} {one.compile_id or '-'}{rank} {one.name}  ({where})")
        if one.payload is not None or one.fields:
            yield from _indented(json.dumps(one.fields, ensure_ascii=False))
        if one.payload is not None:
            yield from _indented(one.payload)


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {clean(line)}"
