"""Findings that only follow from another one: they stay, and say less loudly what they follow from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding

_MISSING = re.compile(r"has no attribute '(\w+)'")
# Dynamo looks an attribute up late: a break on one that does not exist names it in its context.
_LATE = re.compile(r"GetAttrVariable\(.*?, (\w+)\)")


def mark(findings: list[Finding]) -> None:
    """Make information of the breaks on an attribute that compiled code then failed to find.

    A recompile that failed says so: nothing of what torch makes variable came of it.
    """
    missing = {
        match[1]: one for one in findings if one.rule == "compile-error" for match in _MISSING.finditer(one.reason)
    }
    failed = {id_: one for one in findings if one.rule == "compile-error" for id_ in one.compile_ids}
    for one in findings:
        if one.rule == "recompile" and one.compile_ids and all(id_ in failed for id_ in one.compile_ids):
            _came_to_nothing(one, failed[one.compile_ids[0]])
        if one.rule not in {"graph-break", "frame-skipped"}:
            continue
        late = _LATE.search(str(one.detail.get("context", "")))
        cause = missing.get(late[1]) if late else None
        if cause is not None:
            one.severity = "information"
            one.detail["note"] = f"it follows from line {cause.range.start.line + 1}: {cause.title}"


def _came_to_nothing(recompile: Finding, failure: Finding) -> None:
    line = f"line {failure.range.start.line + 1}"
    if failure.file and failure.file != recompile.file:
        line += f" of `{failure.file.replace(chr(92), '/').rpartition('/')[2]}`"
    recompile.severity = "information"
    recompile.explanation = f"No version fitted this call, so torch compiled again, and that failed on {line}."
    recompile.hints = [f"What failed is told on {line}; nothing has to change here before that is mended."]
    recompile.detail["note"] = f"no new version came of it: {failure.title}"
    recompile.detail.pop("write", None)
