"""Ignore this rule on this line: a comment that the analysis honours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.ignoring import Marks
from compilescope.analysis.model import Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.fixes.site import Site


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the comment at the end of the finding's last line, or its code in the comment that is there."""
    finding, source = site.finding, site.source
    if finding.range.end.line >= len(source.lines):
        return
    row = finding.range.end.line
    line = source.lines[row]
    if line.rstrip().endswith("\\") or _in_string(site, row):
        return
    known = Marks(source.lines).on(row)
    if any(mark.names is None for mark in known):
        return
    if known:
        at = source.position((row + 1, known[0].end))
        edit = Edit(source.file, Range(at, at), f", {finding.code}")
    else:
        start, end = source.position((row + 1, len(line.rstrip()))), source.position((row + 1, len(line)))
        edit = Edit(source.file, Range(start, end), f"  # compilescope: ignore[{finding.code}]")
    yield Fix(f"Ignore {finding.code} on this line", [edit], kind="ignore")


def _in_string(site: Site, row: int) -> bool:
    """Whether the line ends inside a string of several lines, where a comment would be text."""
    end = (row + 1, len(site.source.lines[row]))
    leaf = site.source.root.get_leaf_for_position(end, include_prefixes=True)
    return leaf is not None and leaf.type in {"string", "fstring_string"} and leaf.start_pos < end < leaf.end_pos
