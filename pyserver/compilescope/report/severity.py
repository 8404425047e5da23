"""What reports begin a finding with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding

_SHORT = {"information": "info"}


def short(severity: str) -> str:
    """`error`, `warning`, `info` or `hint`."""
    return _SHORT.get(severity, severity)


def heading(finding: Finding) -> str:
    """`warning[graph-break/GB0170]`; the rule alone where torch gives no code."""
    code = f"/{finding.code}" if finding.code and finding.code != finding.rule else ""
    return f"{short(finding.severity)}[{finding.rule}{code}]"
