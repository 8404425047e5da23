"""A name of a log that this torch does not have: the names that are like it, where the name itself stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.fixes.site import Site


def fixes(site: Site) -> Iterator[Fix]:
    """Yield a fix for each similar name, the nearest preferred. `+` and `-` in front of it stay."""
    finding, range_ = site.finding, site.finding.range
    name, nearest = finding.detail.get("name"), finding.detail.get("nearest")
    if finding.rule != "unknown-log-name" or not isinstance(name, str) or not isinstance(nearest, list):
        return
    line = site.source.lines[range_.start.line] if range_.start.line < len(site.source.lines) else ""
    written = line.encode("utf-16-le", "surrogatepass")[range_.start.character * 2 : range_.end.character * 2]
    if range_.start.line != range_.end.line or written.decode("utf-16-le", "replace") != name:
        return
    sign = name[0] if name[0] in "+-" else ""
    for position, other in enumerate(map(str, nearest)):
        edit = Edit(site.source.file, range_, sign + other)
        yield Fix(f"Write {sign}{other}", [edit], kind="log-name", preferred=position == 0)
