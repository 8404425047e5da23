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
    """Make information of the breaks on an attribute that compiled code then failed to find."""
    missing = {
        match[1]: one for one in findings if one.rule == "compile-error" for match in _MISSING.finditer(one.reason)
    }
    for one in findings:
        if one.rule not in {"graph-break", "frame-skipped"}:
            continue
        late = _LATE.search(str(one.detail.get("context", "")))
        cause = missing.get(late[1]) if late else None
        if cause is not None:
            one.severity = "information"
            one.detail["note"] = f"it follows from line {cause.range.start.line + 1}: {cause.title}"
