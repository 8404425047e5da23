"""Findings that the program says to ignore: `# compilescope: ignore[GB0170]` on the finding's line.

In the brackets are codes and rules (`GB0170`, `graph-break`), with commas between them. Without brackets the comment
stands for every finding of the line. It counts on each line of a finding's range: on the last one it is always free.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.model import Finding, Range
    from compilescope.analysis.sources import Sources

MARK = re.compile(r"#\s*compilescope:\s*ignore(?:\[(?P<codes>[^\]\n]*)\]|(?![\w\[-]))")
_MOST_LINES = 200


def heeded(findings: Iterable[Finding], sources: Sources) -> tuple[list[Finding], int]:
    """Return the findings that are not marked in the text that ran, and the number of those that are."""
    kept, ignored = [], 0
    for finding in findings:
        source = sources.get(finding.file) if finding.file is not None else None
        if source is not None and is_ignored(finding, finding.range, source.lines):
            ignored += 1
        else:
            kept.append(finding)
    return kept, ignored


def is_ignored(finding: Finding, range_: Range, lines: Sequence[str]) -> bool:
    """Whether a finding that is at a range of a text, of these lines, is marked there as one to ignore."""
    last = min(range_.end.line, range_.start.line + _MOST_LINES)
    return any(_names(line, finding) for line in lines[range_.start.line : last + 1])


def _names(line: str, finding: Finding) -> bool:
    for mark in MARK.finditer(line):
        codes = mark["codes"]
        if codes is None or {finding.code.lower(), finding.rule} & {one.strip().lower() for one in codes.split(",")}:
            return True
    return False
