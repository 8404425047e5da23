"""What a run changed about the findings of the run before it: `2 fixed, 1 new`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compilescope.analysis.linemap import line_map
from compilescope.analysis.model import Finding
from compilescope.lsp.shown import AT_CAPTURE, Found, Shown

BREAKS = {"graph-break", "frame-skipped", "graph-break-error"}
RECOMPILES = {"recompile", "recompile-limit"}


@dataclass(frozen=True)
class Difference:
    """How many findings went and how many came."""

    fixed: int
    new: int

    @property
    def words(self) -> str:
        """`2 fixed, 1 new`, `nothing fixed, nothing new`."""
        return f"{self.fixed or 'nothing'} fixed, {self.new or 'nothing'} new"


def difference(before: Sequence[Shown], after: Found) -> Difference:
    """Compare the findings of a run with those before it, in whose texts lines were elsewhere.

    One whose line was edited is the same one as long as there is one of its sort on a line that is not as it was.
    Hints do not count, and where one of both runs stopped at capture, neither does what comes after it.
    """
    deep = after.result.run.depth != "capture"
    old = [one for one in before if _counts(one.finding, deep=deep)]
    new = [one for one in after.result.findings if _counts(one, deep=deep)]
    left: list[tuple[Shown, bool]] = []
    for one in old:
        line, edited = _line(one, after)
        same = next(
            (found for found in new if _sort(found) == _sort(one.finding) and found.range.start.line == line), None
        )
        if same is None:
            left.append((one, edited))
        else:
            new.remove(same)
    fixed = 0
    for one, edited in left:
        moved = _elsewhere(one, new) if edited else None
        if moved is None:
            fixed += 1
        else:
            new.remove(moved)
    return Difference(fixed, len(new))


def _counts(finding: Finding, *, deep: bool) -> bool:
    return finding.severity != "hint" and (deep or finding.stage in AT_CAPTURE)


def _line(shown: Shown, after: Found) -> tuple[int | None, bool]:
    """Where a finding's line is in the text of the later run, and whether it was edited or is gone."""
    line, text = shown.finding.range.start.line, after.sources.get(shown.finding.file or "")
    if shown.text is None or text is None:
        return line, False
    place = line_map(shown.text, text).place(line)
    return (None, True) if place is None else (place.line, place.changed)


def _elsewhere(shown: Shown, new: Iterable[Finding]) -> Finding | None:
    return next((found for found in new if _sort(found) == _sort(shown.finding)), None)


def _sort(finding: Finding) -> tuple[str | None, str, str]:
    """File, rule and cause; a break is the same one whether or not the frame could go on after it."""
    if finding.rule in BREAKS:
        return finding.file, "break", str(finding.detail.get("cause") or finding.detail.get("gb_type") or finding.code)
    return finding.file, "recompile" if finding.rule in RECOMPILES else finding.rule, ""
