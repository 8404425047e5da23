"""Which findings went, which stayed and which are new, when the program's lines have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.analysis.model import Finding, Result
    from compilescope.fixes.edits import Edited

BREAKS = {"graph-break", "frame-skipped", "graph-break-error"}
RECOMPILES = {"recompile", "recompile-limit"}
PROBLEMS = {"error", "warning"}


def left(findings: Sequence[Finding], before: Result, after: Result, edited: Mapping[str, Edited]) -> list[Finding]:
    """Those of `findings` that are still there: as many of their sort on their lines as before."""
    found = []
    for finding in findings:
        was = [one for one in before.findings if _same_sort(one, finding) and one.range.start == finding.range.start]
        now = [one for one in after.findings if _same_sort(one, finding) and _is_on(one, finding, edited)]
        if now and len(now) >= len(was):
            found.append(finding)
    return found


def new(before: Result, after: Result, edited: Mapping[str, Edited]) -> list[Finding]:
    """The warnings and errors of `after` that `before` does not have on those lines."""
    return [
        finding
        for finding in after.findings
        if finding.severity in PROBLEMS and not _is_known(finding, before.findings, edited)
    ]


def _is_known(finding: Finding, before: Iterable[Finding], edited: Mapping[str, Edited]) -> bool:
    return any(
        _same_sort(finding, one) and (_is_on(finding, one, edited) or bool(_guarded(finding) & _guarded(one)))
        for one in before
    )


def _guarded(finding: Finding) -> set[tuple[object, object]]:
    """The values whose change made torch compile again, by function: the line that it names may be another one."""
    recompiles = finding.detail.get("recompiles") if finding.rule in RECOMPILES else None
    known = [one.get("expression") for one in recompiles or () if isinstance(one, dict)]
    return {(finding.detail.get("function"), expression) for expression in known if expression}


def _same_sort(one: Finding, other: Finding) -> bool:
    return _sort(one) == _sort(other)


def _sort(finding: Finding) -> tuple[str | None, str, str]:
    """File, rule and code; a break is the same one whether or not the frame could go on after it."""
    if finding.rule in BREAKS:
        cause = finding.detail.get("cause") or finding.detail.get("gb_type") or finding.code
        return finding.file, "break", str(cause)
    if finding.rule in RECOMPILES:
        return finding.file, "recompile", ""
    return finding.file, finding.rule, finding.code


def _is_on(after: Finding, before: Finding, edited: Mapping[str, Edited]) -> bool:
    """Whether a finding of the changed program is on the lines that those of one without the change became."""
    file = edited.get(before.file or "")
    lines = (before.range.start.line, before.range.end.line) if file is None else file.lines(before.range)
    return lines[0] <= after.range.start.line <= lines[1]
