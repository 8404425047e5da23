"""What torch's graph caches answered, for the text report: a line for misses and bypasses, when caches were on."""

from __future__ import annotations

import textwrap
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.counted import counted
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from compilescope.analysis.caches import Lookup

_NAMES = {"fx_graph": "FX graph", "aotautograd": "AOTAutograd"}
_SHOWN = 3
_ROWS = 20


def caches(lookups: list[Lookup], style: Style) -> list[str]:
    """The lines on caches; none where all of them were off."""
    answered = [one for one in lookups if one.outcome != "off"]
    if not answered:
        return []
    hits = sum(one.outcome == "hit" for one in answered)
    misses = sum(one.outcome == "miss" for one in answered)
    head = f"graph caches: {counted(hits, 'hit')}, {counted(misses, 'miss', 'misses')}, "
    lines = [style.paint("strong", head + counted(len(answered) - hits - misses, "bypass", "bypasses"))]
    said = Counter(
        f"{_NAMES.get(one.cache, one.cache)} {one.outcome}: {one.graph or one.compile_id}, {_why(one)}"
        for one in answered
        if one.outcome != "hit"
    )
    for text, times in islice(said.items(), _ROWS):
        row = f"  {clean(text)}" + (f" ({times} times)" if times > 1 else "")
        lines += textwrap.wrap(row, COLUMNS, subsequent_indent="    ")
    if len(said) > _ROWS:
        lines.append(f"  and {len(said) - _ROWS} more (all of them: --format json)")
    return lines


def _why(one: Lookup) -> str:
    if one.outcome == "bypass":
        return one.reason or "torch gives no reason"
    if one.reason == "guard_miss":
        return "the key is there, for other sizes"
    if not one.components:
        return "torch does not say what entered the key"
    if one.nearest_id is None:
        return "the first key"
    near = one.nearest_graph or one.nearest_id
    where = near if one.nearest_recording is None else f"{near} of {one.nearest_recording}"
    if not one.differing:
        return f"the same key as {where}, whose result was not there"
    names = ["the graph" if part.component == "gm" else part.component for part in one.differs[:_SHOWN]]
    more = one.differing - len(names)
    return f"differs from {where} in {', '.join(names)}" + (f" and {more} more" if more > 0 else "")
