"""Exports in words: for the text report, the page and the runs view."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.counted import counted
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.exports_model import Export, ExportLine

_SHOWN = 20
_KINDS = {"draft": "draft_export", "export": "export"}


def exports_block(exports: Sequence[Export], style: Style) -> list[str]:
    """The lines of the text report; none where nothing was exported."""
    if not exports:
        return []
    lines = [style.paint("strong", headline(exports))]
    for one in exports[:_SHOWN]:
        lines += textwrap.wrap(clean(f"  {sentence(one)}"), COLUMNS, subsequent_indent="    ")
        for issue in one.issues:
            lines += textwrap.wrap(clean(f"    {issue.title}{place(issue.at)}"), COLUMNS, subsequent_indent="      ")
    if len(exports) > _SHOWN:
        lines.append(f"  and {len(exports) - _SHOWN} more (`--format json` has all)")
    return lines


def headline(exports: Sequence[Export]) -> str:
    """`exports: 4, 3 of them with issues`."""
    bad = sum(bool(one.issues) or one.status == "failed" for one in exports)
    return f"exports: {len(exports)}, " + (f"{bad} of them with issues" if bad else "no issues")


def sentence(one: Export) -> str:
    """`1. draft_export: exported, 2 issues`."""
    said = {"exported": "exported", "failed": "failed", "unfinished": "its end is not in the log"}[one.status]
    rank = "" if one.rank is None else f" (rank {one.rank})"
    return f"{one.number}. {_KINDS[one.kind]}{rank}: {said}, " + (
        counted(len(one.issues), "issue") if one.issues else "no issues"
    )


def place(at: ExportLine | None) -> str:
    """` (model.py:26)`; empty where the log names no line."""
    if at is None:
        return ""
    file = "" if at.file is None else at.file.replace("\\", "/").rpartition("/")[2]
    return f" ({file or 'line '}{':' if file else ''}{at.line})"
