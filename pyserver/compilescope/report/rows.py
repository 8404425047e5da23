"""The `= why: …` rows below a finding's source lines."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from compilescope.analysis.log_lines import LOG_LINE, is_changed
from compilescope.report import recompiles
from compilescope.report.counts import met
from compilescope.report.ending import seconds
from compilescope.report.ranks import named
from compilescope.report.style import Role, Style

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding, StackFrame

_MOST_IDS, _FIRST_IDS = 8, 4
_MOST_FRAMES = 3
_MOST_HINTS = 2


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
        Row("file:", [of_log(finding)]),
        Row("why:", [finding.explanation]),
        Row("error:", chain(detail.get("chain"))),
        Row("runs:", [_kernel(detail)]),
        Row("guard:", recompiles.table(finding, style), wrap=False),
        Row("ranks:", [_ranks(detail)]),
        Row("cost:", [recompiles.price(finding) or _cost(finding)]),
        Row("next:", [recompiles.coming(detail)]),
        Row("from:", _callers(finding, style), wrap=False),
        Row("in:", _library(finding, style), wrap=False),
        Row("write:", str(detail.get("write") or "").splitlines(), role="advice", wrap=False),
        Row("note:", [str(detail.get("note") or "")]),
        Row(
            "hint:",
            []
            if detail.get("write")
            else [" ".join(hint.split()) for hint in finding.hints[: 3 if finding.severity == "error" else 2]],
        ),
        Row("torch:", [_torch(finding)] if _has_torchs_words(finding) else [], role="dim"),
        Row("more:", [finding.href or ""], role="dim", wrap=False),
    ]
    return [row for row in found if any(row.lines)]


def of_log(finding: Finding) -> str:
    """What to know of a finding's line that is not as the log has it: the file changed, or is not here at all."""
    line = finding.detail.get(LOG_LINE)
    if not isinstance(line, str):
        return ""
    if is_changed(finding):
        return f"not as it ran, the place may be another: the log has here `{line}`"
    return "not on this machine; the line is as the log has it"


def _cost(finding: Finding) -> str:
    parts = []
    if finding.cost_s >= 0.005 and not finding.detail.get("recompiles"):  # noqa: PLR2004 - would show as 0.00 s
        parts.append(seconds(finding.cost_s))
    if resumed := finding.detail.get("resumed"):
        parts.append(f"starts {'graph' if len(resumed) == 1 else 'graphs'} {_ids(resumed)}")
    if ids := finding.compile_ids:
        if finding.rule not in {"recompile", "recompile-limit"}:
            parts.append(", ".join(filter(None, [met(finding), f"in {_ids(ids)}"])))
    elif finding.count > 1:
        parts.append(f"{finding.count} times")
    return "; ".join(parts)


def _ids(ids: list[str]) -> str:
    """`0/0`; `0/0 and 0/1`; `0/0 to 0/4` for a run of one frame; at most a few."""
    unique = list(dict.fromkeys(ids))
    frames = {id_.partition("/")[0] for id_ in unique}
    if len(unique) > 2 and len(frames) == 1:  # noqa: PLR2004 - two are named both
        return f"{unique[0]} to {unique[-1]}"
    if len(unique) > _MOST_IDS:
        return f"{', '.join(unique[:_FIRST_IDS])} and {len(unique) - _FIRST_IDS} more"
    return " and ".join(filter(None, [", ".join(unique[:-1]), unique[-1]]))


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


def chain(links: list[dict[str, Any]] | None) -> list[str]:
    """The exceptions, outermost first, without those that one before them tells of in its first line."""
    lines: list[str] = []
    for link in links or []:
        message = str(link.get("message") or "").strip().split("\n", 1)[0]
        line = f"{str(link.get('type') or '').rpartition('.')[2]}: {message}"
        if not any(line in other or (message and other.endswith(f": {message}")) for other in lines):
            lines.append(line)
    return lines


def _hints(finding: Finding) -> list[str]:
    most = _MOST_HINTS + (finding.severity == "error")
    return [] if finding.detail.get("write") else [" ".join(hint.split()) for hint in finding.hints[:most]]


def _has_torchs_words(finding: Finding) -> bool:
    """Whether its reason is torch's own and not shown yet."""
    shown = finding.detail.get("recompiles") or finding.detail.get("chain")
    return not shown and finding.rule not in {"pass-inert", "slow-compile"}


def _torch(finding: Finding) -> str:
    """Torch's name of the kind; where this torch did not say that, the words that it had."""
    reason, name = finding.reason.strip(), str(finding.detail.get("gb_type") or "")
    return " ".join((name if name and name in reason else reason.split("\n", 1)[0]).split())


def _ranks(detail: dict[str, Any]) -> str:
    """Which ranks it is of, in a job with several."""
    return named(detail["ranks"]).partition(" ")[2] if detail.get("ranks") else ""


def _kernel(detail: dict[str, Any]) -> str:
    """What the operator runs as, when that is more than its own name."""
    operator, kernel = detail.get("operator"), detail.get("kernel")
    return str(kernel) if kernel and kernel != f"torch.ops.{operator}" else ""
