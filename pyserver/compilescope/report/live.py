"""What a watched folder comes to at a moment: how far it is, and which compiles and findings are new."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.counted import counted
from compilescope.report.counts import counts

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result
    from compilescope.report.style import Style


@dataclass
class Seen:
    """What one recording has shown so far: its last result, what was new in it, and its findings as they came."""

    result: Result | None = None
    step: str | None = None
    findings: list[Finding] = field(default_factory=list)
    _known: set[object] = field(default_factory=set)

    def update(self, result: Result, step: str | None) -> tuple[list[Compile], list[Finding]]:
        """Take a newer result; return the compiles that have ended since and the findings that are new."""
        ended = [one for one in result.compiles if one.status != "running" and self._is_new(("compile", one.id))]
        place = ((one.rule, one.code, one.file, one.range.start.line, one.reason) for one in result.findings)
        new = [one for one, at in zip(result.findings, list(place), strict=True) if self._is_new(at)]
        self.result, self.step = result, step
        self.findings += new
        return ended, new

    def _is_new(self, what: object) -> bool:
        new = what not in self._known
        self._known.add(what)
        return new


def progress(result: Result, processes: int) -> str:
    """`4 ranks · 12 compiles, 1 running · 3 breaks · 2 recompiles`; processes instead of ranks where there are none."""
    running = sum(one.status == "running" for one in result.compiles)
    found, ranks = counts(result), len(result.run.ranks)
    parts = [
        counted(ranks, "rank") if ranks else counted(processes, "process", "processes"),
        counted(len(result.compiles) - running, "compile") + (f", {running} running" if running else ""),
        counted(found.errors, "error") if found.errors else "",
        counted(found.breaks, "break") if found.breaks else "",
        counted(found.recompiles, "recompile") if found.recompiles else "",
        f"{found.skipped} skipped" if found.skipped else "",
        counted(len(result.run.damage), "place") + " can't be read" if result.run.damage else "",
    ]
    return " · ".join(filter(None, parts))


def ended(process: str, step: str | None) -> str:
    """`process 4711 (rank 0) has ended, while compiling forward [0/0]`."""
    return f"{process} has ended" + (f", while compiling {step}" if step else "")


def finding_line(finding: Finding, style: Style) -> str:
    """`warning[graph-break] train.py:31  Data-dependent branching`."""
    role = style.paint(finding.severity, f"{finding.severity}[{finding.rule}]")
    place = style.place(clean(finding.file), finding.range.start.line + 1) + "  " if finding.file else ""
    return f"{role} {place}{clean(finding.title).splitlines()[0] if finding.title else ''}"


def compile_line(one: Compile) -> str:
    """`compiled forward [0/0]`, with the state where it did not succeed."""
    words = {"ok": "compiled", "skipped": "left in eager"}.get(one.status, one.status)
    return clean(f"{words} {one.qualname or one.function} [{one.id}]")


def age(since: float, now: float | None = None) -> str:
    """`3 s ago`, `5 min ago` for a time in seconds since 1970."""
    seconds = max((time.time() if now is None else now) - since, 0)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
