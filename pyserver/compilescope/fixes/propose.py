"""Which fixes a finding has: every kind looks at every finding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis.log_lines import is_changed
from compilescope.fixes import (
    checks,
    copies,
    disable,
    dynamic,
    fake,
    hoist,
    ignore,
    log_name,
    number,
    numpy_calls,
    quiet,
    rng,
    scalar,
    seeds,
    timing,
    where,
)
from compilescope.fixes.recorded import Recorded
from compilescope.fixes.site import Site
from compilescope.fixes.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compilescope.analysis.guards import GuardTree
    from compilescope.analysis.model import Fix, Result
    from compilescope.fixes.site import Kind

KINDS: tuple[Kind, ...] = (
    where.fixes,
    checks.fixes,
    scalar.fixes,
    quiet.fixes,
    numpy_calls.fixes,
    rng.fixes,
    copies.fixes,
    timing.fixes,
    hoist.fixes,
    seeds.fixes,
    fake.fixes,
    dynamic.fixes,
    number.fixes,
    log_name.fixes,
    disable.fixes,
    ignore.fixes,
)
"""In the order in which their fixes are offered."""


def attach(result: Result, sources: Mapping[str, str]) -> None:
    """Give each finding of `result` its fixes. `sources`: the text of files as they ran, by path.

    The recording has to be open still: the guards of the compiles with findings are read from it.
    """
    opened: dict[str, SourceFile | None] = {}

    def file(path: str) -> SourceFile | None:
        if path not in opened:
            opened[path] = _opened(path, sources.get(path))
        return opened[path]

    known: dict[frozenset[str], Recorded] = {}

    def recorded(compile_ids: frozenset[str]) -> Recorded:
        if compile_ids not in known:
            known[compile_ids] = Recorded(_guards(result, compile_ids))
        return known[compile_ids]

    for finding in result.findings:
        source = file(finding.file) if finding.file and not is_changed(finding) else None
        if source is not None:
            site = Site(finding, result, source, file, recorded)
            finding.fixes = _each_once(fix for kind in KINDS for fix in _of(kind, site))


def _guards(result: Result, compile_ids: frozenset[str]) -> list[GuardTree]:
    if result.trees is not None:
        return result.trees.of(sorted(compile_ids))
    return [one for one in result.guards if one.compile_id in compile_ids]


def _opened(path: str, text: str | None) -> SourceFile | None:
    try:
        return None if text is None else SourceFile(path, text)
    except RecursionError:  # an expression with thousands of levels
        return None


def _of(kind: Kind, site: Site) -> list[Fix]:
    try:
        return list(kind(site))
    except RecursionError:
        return []


def _each_once(fixes: Iterable[Fix]) -> list[Fix]:
    """Each title once, and only the first that is preferred."""
    found: dict[str, Fix] = {}
    for fix in fixes:
        preferred = fix.preferred and not any(one.preferred for one in found.values())
        found.setdefault(fix.title, replace(fix, preferred=preferred))
    return list(found.values())
