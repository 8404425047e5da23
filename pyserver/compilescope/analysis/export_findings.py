"""`export-issue`: what makes an export fail or unsound, on the line of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Finding, Position, Range

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.exports_model import Export, ExportIssue, IssueKind
    from compilescope.analysis.model import FindingClass, Severity

_KERNELS = "https://docs.pytorch.org/docs/stable/library.html#torch.library.register_fake"
_DATA = "https://docs.pytorch.org/docs/stable/export.html"
_CLASSES: dict[IssueKind, FindingClass] = {
    "missing-fake-kernel": "backend-operator",
    "mismatched-fake-kernel": "backend-operator",
    "data-dependent": "control-flow",
    "guard-added": "guard",
    "failed": "control-flow",
}
_SEVERITIES: dict[IssueKind, Severity] = {"guard-added": "information", "failed": "error"}
_WHY: dict[IssueKind, str] = {
    "missing-fake-kernel": "Export runs the program on tensors without data. Without a fake kernel torch can't know "
    "what the operator returns; draft_export took it from one run of the real one.",
    "mismatched-fake-kernel": "Export runs the program on tensors without data. The fake kernel says what the operator "
    "returns, and for the example inputs that was wrong; draft_export went on with what the real kernel returned.",
    "data-dependent": "The exported program has no branch there: draft_export took the way that the example inputs "
    "took, and put an assertion into the program that fails for others.",
    "guard-added": "The traced code decides something by this size, so the exported program is right for such sizes "
    "only. An export that was to allow others fails with a constraint violation.",
    "failed": "Export has no data at this point, and the program goes on by what they are.",
}


def findings(exports: list[Export], context: Context) -> list[Finding]:
    """Return one finding for each place and issue; what several exports met there counts each time."""
    found: dict[tuple[object, ...], Finding] = {}
    for export in exports:
        for issue in export.issues:
            one = _finding(issue, context)
            same = found.setdefault((one.code, one.file, one.range, one.title), one)
            if same is not one:
                same.count += one.count
            same.detail["exports"].append(export.number)
    return list(found.values())


def _finding(issue: ExportIssue, context: Context) -> Finding:
    frames = [Frame(one.file, one.line, one.function) for one in issue.frames if one.file is not None]
    at = None if issue.at is None or issue.at.file is None else Frame(issue.at.file, issue.at.line, issue.at.function)
    return Finding(
        rule="export-issue",
        severity=_SEVERITIES.get(issue.kind, "warning"),
        file=None if at is None else at.file,
        range=Range(Position(0, 0), Position(0, 0)) if at is None else context.ranges.of(at),
        title=issue.title,
        explanation=_WHY[issue.kind],
        reason=issue.reason,
        class_=_CLASSES[issue.kind],
        stage="capture",
        code=issue.kind,
        href=_KERNELS if issue.operator is not None else _DATA,
        count=issue.count,
        frames=context.rules.shown(frames, context.ranges),
        hints=list(issue.advice),
        detail={
            "label": _label(issue),
            "operator": issue.operator,
            "expression": issue.expression,
            "condition": issue.condition,
            "result": issue.result,
            "write": f"{issue.code}  # before this line" if issue.code and issue.operator is None else issue.code,
            "note": issue.advice[-1] if issue.code else "",
            "exports": [],
        },
    )


def _label(issue: ExportIssue) -> str:
    """What is beside the carets; the line itself where its file is not known."""
    if issue.at is not None and issue.at.file is None:
        return f"on line {issue.at.line} in `{issue.at.function}`: `{issue.at.code}`"
    if issue.result is not None:
        return f"{issue.result} for the example inputs"
    return ""
