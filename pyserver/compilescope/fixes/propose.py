"""Which fixes a finding has: every kind looks at every finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.fixes import ignore, quiet
from compilescope.fixes.site import Site
from compilescope.fixes.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compilescope.analysis.model import Fix, Result
    from compilescope.fixes.site import Kind

KINDS: tuple[Kind, ...] = (quiet.fixes, ignore.fixes)
"""In the order in which their fixes are offered."""


def attach(result: Result, sources: Mapping[str, str]) -> None:
    """Give each finding of `result` its fixes. `sources`: the text of files as they ran, by path."""
    opened: dict[str, SourceFile | None] = {}

    def file(path: str) -> SourceFile | None:
        if path not in opened:
            text = sources.get(path)
            opened[path] = None if text is None else SourceFile(path, text)
        return opened[path]

    for finding in result.findings:
        source = file(finding.file) if finding.file else None
        if source is not None:
            site = Site(finding, result, source, file)
            finding.fixes = _each_once(fix for kind in KINDS for fix in kind(site))


def _each_once(fixes: Iterable[Fix]) -> list[Fix]:
    found: dict[str, Fix] = {}
    for fix in fixes:
        found.setdefault(fix.title, fix)
    return list(found.values())
