"""A watched folder on a terminal: rows that fit its width, the newest findings first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.severity import short
from compilescope.report.style import width

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding
    from compilescope.report.style import Style

NARROW = 72
"""Columns below which a finding takes two rows."""
_GAP = "  "


def finding_rows(finding: Finding, style: Style, columns: int) -> list[str]:
    """A finding in rows of at most `columns`: what it is, where, and its title, cut where there is no room."""
    what = clean(f"{short(finding.severity)}[{finding.rule}]")
    title = (clean(finding.title).splitlines() or [""])[0]
    where = _place(finding, style, columns if columns < NARROW else columns // 2, width(what) + 1)
    head = style.paint(finding.severity, cut(what, columns))
    told = f"{head} {style.paint('place', where)}" if where else head
    if columns < NARROW:
        return [told, _GAP + cut(title, columns - len(_GAP))]
    return [told + _GAP + cut(title, columns - width(what) - width(where) - len(_GAP) - 1)]


def _place(finding: Finding, style: Style, columns: int, before: int) -> str:
    """`src/train.py:31`, the file's name alone where there is no room for the folder."""
    if not finding.file or columns - before < len("…:1"):
        return ""
    line = f":{finding.range.start.line + 1}"
    path = clean(style.path(finding.file))
    if before + width(path + line) > columns:
        path = path.replace("\\", "/").rpartition("/")[2]
    return cut(path + line, columns - before)


def parts(text: str, columns: int) -> list[str]:
    """`4 ranks · 12 compiles · …` in rows that fit."""
    rows: list[str] = []
    for part in text.split(" · "):
        if rows and width(f"{rows[-1]} · {part}") <= columns:
            rows[-1] = f"{rows[-1]} · {part}"
        else:
            rows.append(part)
    return [cut(row, columns) for row in rows]


def wrapped(text: str, columns: int) -> list[str]:
    """A sentence in rows that fit."""
    return textwrap.wrap(text, max(columns, 10), break_on_hyphens=False) or [""]


def cut(text: str, columns: int) -> str:
    """`text` if it fits, else its beginning and an ellipsis."""
    if width(text) <= columns:
        return text
    kept = ""
    for character in text:
        if width(kept + character) >= columns:
            break
        kept += character
    return f"{kept}…" if columns > 0 else ""
