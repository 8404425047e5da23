"""Where graphs ended, and which finding says so: what compile coverage asks of breaks and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break
    from compilescope.analysis.model import Finding

BREAKS = ("graph-break", "frame-skipped", "graph-break-error")
_BLAMED = (*BREAKS, "compile-error")


class Ended:
    """The breaks of a run by place and by compile, with their findings."""

    def __init__(self, context: Context, findings: Sequence[Finding]) -> None:
        self._findings = [one for one in findings if one.rule in _BLAMED]
        self._places: dict[str, dict[int, list[Break]]] = {}
        self._within: set[str] = {one for finding in self._findings for one in finding.compile_ids}
        self._names = {fact.where: context.name(fact.where) for fact in context.facts.breaks}
        for fact in context.facts.breaks:
            if fact.kind == "recompile-limit":
                continue
            self._within.add(self._names[fact.where])
            for frame in fact.frames:
                lines = self._places.setdefault(frame.file, {})
                for line in range(frame.line, min(frame.end_line or frame.line, frame.line + _MOST) + 1):
                    lines.setdefault(line, []).append(fact)
        self._limits = {
            compile_id.rpartition("/")[0]: one
            for one in findings
            if one.rule == "recompile-limit" and not one.detail.get("raises")
            for compile_id in one.compile_ids
        }

    def on(self, file: str, lines: range) -> bool:
        """Whether a graph ended on some lines of a file, or in what they call."""
        own = self._places.get(file, {})
        return any(line in own for line in lines)

    def lines(self, file: str) -> Iterable[int]:
        """The lines of a file on which graphs ended."""
        return self._places.get(file, {}).keys()

    def finding(self, file: str, lines: range) -> Finding | None:
        """The finding about the break on some lines: on them if it can be, else in what they call."""
        for one in self._findings:
            if one.file == file and one.range.start.line + 1 in lines and one.rule in BREAKS:
                return one
        facts = [fact for line in lines for fact in self._places.get(file, {}).get(line, ())]
        return next((found for fact in facts if (found := self.of(fact)) is not None), None)

    def of(self, fact: Break) -> Finding | None:
        """The finding that tells of a break."""
        at = {(frame.file, frame.line) for frame in fact.frames}
        own = (one for one in self._findings if self._names[fact.where] in one.compile_ids)
        return next((one for one in own if (one.file, one.range.start.line + 1) in at), None)

    def within(self, compile_id: str) -> bool:
        """Whether anything ended a graph in a compile."""
        return compile_id in self._within

    def why(self, compile_id: str, file: str) -> Finding | None:
        """The finding about what ended a compile, one in `file` before others."""
        found = [one for one in self._findings if compile_id in one.compile_ids]
        return next((one for one in found if one.file == file), found[0] if found else None)

    def before(self, file: str, line: int, own: range) -> Finding | None:
        """The last break above a line, among the lines `own`."""
        found = [
            one
            for one in self._findings
            if one.file == file and one.range.start.line + 1 in own and one.range.start.line + 1 < line
        ]
        return max(found, key=lambda one: one.range.start.line, default=None)

    def limit(self, compile_id: str) -> Finding | None:
        """The finding about the limit of versions that the frame of a compile came to."""
        return self._limits.get(compile_id.rpartition("/")[0])


_MOST = 200
"""Lines of one expression."""
