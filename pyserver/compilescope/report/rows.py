"""The `= why: …` rows below a finding's source lines."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from compilescope.report.ending import seconds
from compilescope.report.style import Role, Style

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding, StackFrame

_FRACTION = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
_MOST_RECOMPILES = 8
_FIRST_RECOMPILES, _LAST_RECOMPILES = 4, 2
_MOST_FRAMES = 3
_GUARD_COLUMNS = 40


@dataclass(frozen=True)
class Row:
    """A label and its lines. `wrap`: prose, broken where there is room."""

    label: str
    lines: list[str]
    role: Role = "strong"
    wrap: bool = True

    def render(self, columns: int) -> list[str]:
        """The lines, broken to `columns`."""
        if not self.wrap:
            return self.lines
        return [part for line in self.lines for part in textwrap.wrap(line, columns, break_long_words=False) or [""]]


def rows(finding: Finding, style: Style) -> list[Row]:
    """What there is to say about `finding`: why, what it cost, what to write, torch's own words."""
    detail = finding.detail
    found = [
        Row("why:", [finding.explanation]),
        Row("error:", _chain(detail.get("chain"))),
        Row("op:", _joined(detail.get("operator"), detail.get("kernel"))),
        Row("guard:", _recompiles(detail.get("recompiles") or [], style), wrap=False),
        Row("cost:", [_cost(finding)]),
        Row("next:", [_next(detail)]),
        Row("from:", _callers(finding, style), wrap=False),
        Row("in:", _library(finding, style), wrap=False),
        Row("write:", str(detail.get("write") or "").splitlines(), role="advice", wrap=False),
        Row("note:", [str(detail.get("note") or "")]),
        Row("hint:", [] if detail.get("write") else [" ".join(hint.split()) for hint in finding.hints[:2]]),
        Row("torch:", [] if detail.get("recompiles") else [_torch(finding)], role="dim"),
        Row("more:", [finding.href or ""], role="dim", wrap=False),
    ]
    return [row for row in found if any(row.lines)]


def _cost(finding: Finding) -> str:
    parts = []
    if finding.cost_s >= 0.005 and not finding.detail.get("recompiles"):  # noqa: PLR2004 - would show as 0.00 s
        parts.append(seconds(finding.cost_s))
    if resumed := finding.detail.get("resumed"):
        parts.append(f"starts {'graph' if len(resumed) == 1 else 'graphs'} {_ids(resumed)}")
    if ids := finding.compile_ids:
        met = "met once" if finding.count == 1 else f"met {finding.count} times"
        if finding.rule not in {"recompile", "recompile-limit"}:
            parts.append(f"{met}, in {_ids(ids)}")
    elif finding.count > 1:
        parts.append(f"{finding.count} times")
    return "; ".join(parts)


def _ids(ids: list[str]) -> str:
    """`0/0`; `0/0 and 0/1`; `0/0 to 0/4` for a run of one frame; at most a few."""
    unique = list(dict.fromkeys(ids))
    frames = {id_.partition("/")[0] for id_ in unique}
    if len(unique) > 2 and len(frames) == 1:  # noqa: PLR2004 - two are named both
        return f"{unique[0]} to {unique[-1]}"
    if len(unique) > _MOST_RECOMPILES:
        return f"{', '.join(unique[:_FIRST_RECOMPILES])} and {len(unique) - _FIRST_RECOMPILES} more"
    return " and ".join(filter(None, [", ".join(unique[:-1]), unique[-1]]))


def _next(detail: dict[str, Any]) -> str:
    versions, limit = detail.get("versions"), detail.get("limit")
    if versions is None or limit is None:
        return ""
    if versions >= limit:
        return f"all {limit} versions are used; each further value runs in eager"
    return f"{versions} of {limit} versions used; at the limit each further value runs in eager"


def _recompiles(recompiles: list[dict[str, Any]], style: Style) -> list[str]:
    if not recompiles:
        return []
    numbered = list(enumerate(recompiles, 1))
    if len(numbered) > _MOST_RECOMPILES:
        shown = [*numbered[:_FIRST_RECOMPILES], *numbered[-_LAST_RECOMPILES:]]
    else:
        shown = numbered
    guards = [_cut(_guard(each), _GUARD_COLUMNS) for _, each in shown]
    changes = [_change(each) for _, each in shown]
    callers = [_caller(each, style) for _, each in shown]
    one_caller = len(set(callers)) == 1
    guard_width = max(map(len, [*guards, "failed check"]))
    change_width = max(map(len, [*changes, "old -> new"]))
    number_width = len(str(numbered[-1][0]))
    head = (
        f"  {'#'.rjust(number_width)} {'compile':<7}  {'failed check':<{guard_width}}  {'old -> new':<{change_width}}"
    )
    lines = [f"{head}  seconds" + ("" if one_caller else "  from")]
    for (number, each), guard, change, caller in zip(shown, guards, changes, callers, strict=True):
        if number == len(recompiles) - _LAST_RECOMPILES + 1 and len(shown) < len(recompiles):
            lines.append(f"  {' ' * number_width} ... {len(recompiles) - len(shown)} more ...")
        spent = each.get("seconds")
        time = f"{spent:.2f}" if isinstance(spent, (int, float)) else ""
        line = f"  {number:>{number_width}} {each.get('compile_id') or ''!s:<7}  {guard:<{guard_width}}"
        lines.append(f"{line}  {change:<{change_width}}  {time:>7}" + ("" if one_caller else f"  {caller}").rstrip())
    if one_caller and callers[0]:
        lines.append(f"  {'all of them from' if len(recompiles) > 1 else 'from'} {callers[0]}")
    return lines


def _guard(recompile: dict[str, Any]) -> str:
    return " ".join(str(recompile.get("guard") or recompile.get("expression") or "?").split())


def _change(recompile: dict[str, Any]) -> str:
    old, new = recompile.get("old"), recompile.get("new")
    return f"{_value(old)} -> {_value(new)}" if old is not None or new is not None else ""


def _value(value: object) -> str:
    """`value` as shown: numbers to 4 digits."""
    text = " ".join(str(value).split()) if value is not None else "?"
    return f"{float(text):.4g}" if _FRACTION.fullmatch(text) and len(text) > len("0.0000") else text


def _caller(recompile: dict[str, Any], style: Style) -> str:
    caller = recompile.get("caller")
    return style.place(caller["file"], caller["line"]) if caller else ""


def _callers(finding: Finding, style: Style) -> list[str]:
    """The user's own calls that led to the line, the nearest first; a recompile's are in its table.

    A function that calls itself is one that goes on after a break.
    """
    if finding.detail.get("recompiles"):
        return []
    own = [frame for frame in finding.frames if frame.in_user_code]
    calls = [frame for frame, inner in pairwise(own) if (frame.file, frame.function) != (inner.file, inner.function)]
    return [_frame(frame, style) for frame in reversed(calls)][:_MOST_FRAMES]


def _library(finding: Finding, style: Style) -> list[str]:
    """The library's frames after the user's last one, the innermost last."""
    last = max((index for index, frame in enumerate(finding.frames) if frame.in_user_code), default=-1)
    inner = finding.frames[last + 1 :]
    left_out = len(inner) - _MOST_FRAMES
    shown = [_frame(frame, style) for frame in inner[max(0, left_out) :]]
    return [f"... {left_out} more ...", *shown] if left_out > 0 else shown


def _frame(frame: StackFrame, style: Style) -> str:
    column = frame.range.start.character + 1 if frame.range else None
    return f"{style.place(frame.file, frame.line, column)} in {frame.function}"


def _chain(chain: list[dict[str, Any]] | None) -> list[str]:
    lines = []
    for link in chain or []:
        message = str(link.get("message") or "").strip().split("\n", 1)[0]
        lines.append(f"{str(link.get('type') or '').rpartition('.')[2]}: {message}")
    return lines


def _torch(finding: Finding) -> str:
    name = finding.detail.get("gb_type")
    return " ".join(str(name or finding.reason.strip().split("\n", 1)[0]).split())


def _joined(*parts: object) -> list[str]:
    present = [str(part) for part in parts if part]
    return [" -> ".join(present)] if present else []


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 3] + "..."
