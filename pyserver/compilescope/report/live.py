"""What a watched folder comes to at a moment: how far it is, and which compiles and findings are new."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.recording.log import ENDS
from compilescope.report.clean import clean
from compilescope.report.counted import counted
from compilescope.report.counts import counts
from compilescope.report.severity import heading

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result
    from compilescope.report.style import Style

_AMOUNT = re.compile(r"\d+(?:[.,]\d+)*(?= ?(?:%|s|ms|us|min|h|bytes|[KMG]iB|times|nodes|kernels)\b| ?%)")


@dataclass
class Seen:
    """What one recording has shown so far: its last result, and the findings in it as they came, the newest last."""

    result: Result | None = None
    step: str | None = None
    findings: list[Finding] = field(default_factory=list)
    _known: set[object] = field(default_factory=set)
    _order: list[object] = field(default_factory=list)

    def update(self, result: Result, step: str | None) -> tuple[list[Compile], list[Finding]]:
        """Take a newer result; return the compiles that have ended since and the findings that are new."""
        ended = [one for one in result.compiles if one.status != "running" and self._is_new(("compile", one.id))]
        now: dict[object, Finding] = {}
        for one in result.findings:
            now.setdefault(_same(one), one)
        new = [one for key, one in now.items() if self._is_new(key)]
        self.result, self.step = result, step
        self._order += [key for key in now if key not in self._order]
        self.findings = [now[key] for key in self._order if key in now]
        return ended, new

    def _is_new(self, what: object) -> bool:
        new = what not in self._known
        self._known.add(what)
        return new


def _same(finding: Finding) -> object:
    """What a finding has in common with itself later in the run, when amounts in its reason have grown."""
    start = finding.range.start.line
    return finding.rule, finding.code, finding.file, start, _AMOUNT.sub("N", finding.reason)


def progress(result: Result, processes: int) -> str:
    """`4 ranks · 12 compiles, 1 running · 3 breaks · 2 recompiles`; processes instead of ranks where there are none."""
    running = sum(one.status == "running" for one in result.compiles)
    found, ranks = counts(result), len(result.run.ranks)
    damaged = sum(not one["problem"].startswith(ENDS) for one in result.run.damage)  # more may come
    parts = [
        counted(ranks, "rank") if ranks else counted(processes, "process", "processes"),
        counted(len(result.compiles) - running, "compile") + (f", {running} running" if running else ""),
        counted(found.errors, "error") if found.errors else "",
        counted(found.breaks, "break") if found.breaks else "",
        counted(found.recompiles, "recompile") if found.recompiles else "",
        f"{found.skipped} skipped" if found.skipped else "",
        counted(damaged, "place") + " can't be read" if damaged else "",
    ]
    return " · ".join(filter(None, parts))


def ended(process: str, step: str | None) -> str:
    """`process 4711 (rank 0) has ended, while compiling forward [0/0]`."""
    return f"{process} has ended" + (f", while compiling {step}" if step else "")


def finding_line(finding: Finding, style: Style) -> str:
    """`warning[graph-break/GB0170] train.py:31  Data-dependent branching`."""
    role = style.paint(finding.severity, clean(heading(finding)))
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
