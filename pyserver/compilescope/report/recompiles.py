"""The rows about recompiles: a table with each of them, what they cost, and what comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis.price import told
from compilescope.analysis.rounding import rounded
from compilescope.analysis.shown_values import shown_pair
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding

_MOST = 8
_FIRST, _LAST = 4, 2
_TABLE_COLUMNS = COLUMNS - 16
_CHECK, _CHANGE = "failed check", "old -> new"
_ARROW = " -> "
_ESCAPE = re.compile(r"\x1b\]8;;.*?\x1b\\|\x1b\[[\d;]*m")


def table(finding: Finding, style: Style) -> list[str]:
    """A line for each recompile; for the limit, the one that it refused."""
    recompiles = list(enumerate(finding.detail.get("recompiles") or [], 1))
    if not recompiles:
        return []
    if finding.rule == "recompile-limit":
        recompiles = recompiles[-1:]
    cut = len(recompiles) > _MOST
    shown = [*recompiles[:_FIRST], *recompiles[-_LAST:]] if cut else recompiles
    callers = {_caller(each, style) for _, each in shown}
    head = ["#", "compile", _CHECK, _CHANGE, "seconds", *(["from"] if len(callers) > 1 else [])]
    cells = [
        [
            str(number),
            str(each.get("compile_id") or ""),
            _check(each),
            _change(each),
            _spent(each),
            _caller(each, style),
        ]
        for number, each in shown
    ]
    lines = _aligned([head, *(row[: len(head)] for row in cells)])
    if cut:
        lines.insert(1 + _FIRST, f"  ... {len(recompiles) - len(shown)} more ...")
    if len(callers) == 1 and (caller := callers.pop()):
        lines.append(f"  {'all of them from' if len(recompiles) > 1 else 'from'} {caller}")
    return lines


def price(finding: Finding) -> str:
    """What several recompiles cost, in words."""
    known = finding.detail.get("price")
    return told(known, finding.count) if isinstance(known, dict) else ""


def coming(detail: dict[str, Any]) -> str:
    """How many versions fit, and what happens then."""
    versions, limit = detail.get("versions"), detail.get("limit")
    if versions is None or limit is None:
        return ""
    then = "raises" if detail.get("raises") else "runs in eager"
    if versions >= limit:
        return f"all {limit} versions are used; each further value {then}"
    return f"{versions} of {limit} versions used; at the limit each further value {then}"


def _aligned(cells: list[list[str]]) -> list[str]:
    """Columns side by side: numbers to the right, the rest to the left. The check is cut first, then the values."""
    number, compile_, check, change, spent = (max(len(row[column]) for row in cells) for column in range(5))
    caller = max(len(_ESCAPE.sub("", "".join(row[5:]))) for row in cells)
    room = _TABLE_COLUMNS - (number + compile_ + spent + caller + 12)
    change = min(change, max(room - len(_CHECK), len(_CHANGE)))
    check = min(check, max(room - change, len(_CHECK)))
    return [
        f"  {row[0]:>{number}} {row[1]:<{compile_}}  {_cut(row[2], check):<{check}}  "
        f"{_cut_pair(row[3], change):<{change}}  {row[4]:>{spent}}  {''.join(row[5:])}".rstrip()
        for row in cells
    ]


def _cut_pair(change: str, columns: int) -> str:
    """`old -> new` in `columns`; a short one of the two stays whole."""
    old, arrow, new = change.partition(_ARROW)
    room = columns - len(arrow)
    if not arrow or len(old) + len(new) <= room:
        return _cut(change, columns)
    first = max(room // 2, room - len(new)) if len(old) > room // 2 else len(old)
    return _cut(old, first) + arrow + _cut(new, room - first)


def _spent(recompile: dict[str, Any]) -> str:
    spent = recompile.get("seconds")
    return f"{spent:.2f}" if isinstance(spent, (int, float)) else ""


def _check(recompile: dict[str, Any]) -> str:
    said = recompile.get("check") or recompile.get("guard") or recompile.get("expression") or "?"
    return rounded(" ".join(str(said).replace("`", "").split()))


def _change(recompile: dict[str, Any]) -> str:
    old, new = (None if recompile.get(key) is None else str(recompile[key]) for key in ("old", "new"))
    return _ARROW.join(shown_pair(old, new) or ())


def _caller(recompile: dict[str, Any], style: Style) -> str:
    caller = recompile.get("caller")
    return style.place(caller["file"], caller["line"]) if caller else ""


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 3] + "..."
