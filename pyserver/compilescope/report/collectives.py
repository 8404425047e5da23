"""Graphs whose generated code does not call the collectives that were scheduled, in words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.counted import counted
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.analysis.collectives import GraphCollectives

_SHOWN = 12


def collectives_block(every: Sequence[GraphCollectives], style: Style) -> list[str]:
    """The lines of the text report; none where all is as scheduled."""
    wrong = [one for one in every if one.differs]
    if not wrong:
        return []
    lines = [style.paint("warning", f"collectives: {counted(len(wrong), 'graph')} not as scheduled")]
    for one in wrong[:_SHOWN]:
        lines += textwrap.wrap(clean(f"  {one.compile_id}: {sentence(one)}"), COLUMNS, subsequent_indent="    ")
    if len(wrong) > _SHOWN:
        lines.append(f"  and {len(wrong) - _SHOWN} more (`--format json` has all)")
    return lines


def sentence(one: GraphCollectives) -> str:
    """`all_reduce_ is scheduled 2 times and called once; 1 call is never waited for`."""
    parts = [
        f"{name} is scheduled {_times(one.scheduled, name)} and called {_times(one.called, name)}"
        for name in sorted({*one.scheduled, *one.called})
        if one.scheduled.get(name) != one.called.get(name)
    ]
    if one.unwaited:
        parts.append(f"{counted(one.unwaited, 'call is', 'calls are')} never waited for")
    return "; ".join(parts)


def _times(counts: Mapping[str, int], name: str) -> str:
    count = counts.get(name, 0)
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"
