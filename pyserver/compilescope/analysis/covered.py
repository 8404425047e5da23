"""What became of each statement of one function: the rules of docs/coverage.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.coverage_model import CoveredLine
from compilescope.analysis.reached import head, reached, statements

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Mapping, Sequence

    from compilescope.analysis.coverage_model import Reason, State
    from compilescope.analysis.ended import Ended
    from compilescope.analysis.model import Compile, Finding
    from compilescope.analysis.reached import Function
    from compilescope.analysis.traced_lines import TracedLines

SPENT = ("skipped", "failed")

_Verdict = tuple["State", "Reason", "Finding | None"]


class Evidence:
    """What a run says about the lines of one file. `disabled`: the functions kept out, with the finding about each."""

    def __init__(
        self,
        file: str,
        traced: TracedLines,
        compiles: Sequence[Compile],
        ended: Ended,
        *,
        disabled: Mapping[int, Finding | None],
        findings: Sequence[Finding],
    ) -> None:
        self.file, self.ended, self.disabled = file, ended, disabled
        self.compiles = [one for one in compiles if one.file == file]
        self.findings = [one for one in findings if one.file == file]
        self.recorded = traced.recorded
        self.captured: dict[int, dict[str, None]] = {}
        """The compiles that succeeded and went through a line."""
        self.lost: dict[int, Compile] = {}
        """A compile that went through a line and came to nothing."""
        self._every = {one.id: one for one in compiles}
        for compile_id, files in traced.by_compile.items():
            compile_ = self._every.get(compile_id)
            for line in files.get(file, ()):
                if compile_ is not None and compile_.status == "ok":
                    self.captured.setdefault(line, {})[compile_id] = None
                elif compile_ is not None and compile_.status in SPENT:
                    self.lost.setdefault(line, compile_)

    @property
    def touched(self) -> set[int]:
        """The lines that a compile went through."""
        return self.captured.keys() | self.lost.keys()

    def calls(self, ids: Iterable[str]) -> int:
        """How often the graphs of some compiles ran forward."""
        every = [one for compile_id in ids if (one := self._every.get(compile_id)) is not None]
        return sum(count for one in every for direction, count in one.calls.items() if direction != "backward")


class Covered:
    """The statements of one function. `compiles`: those of it and of its pieces after breaks."""

    def __init__(self, evidence: Evidence, function: Function, compiles: Sequence[Compile]) -> None:
        self._file, self._ended, self._evidence = evidence.file, evidence.ended, evidence
        own = {line for one in statements(function) for line in head(one)}
        self._captured = {line: ids for line, ids in evidence.captured.items() if line in own}
        self._lost = {line: one for line, one in evidence.lost.items() if line in own}
        if not evidence.recorded:
            self._infer(function, compiles)
        self._whole = self._none_of_it(function, compiles)
        self._eager_from = self._rests(compiles, own)

    def line(self, statement: ast.stmt) -> CoveredLine:
        """What became of a statement."""
        lines = head(statement)
        ids = tuple(dict.fromkeys(one for line in lines for one in self._captured.get(line, ())))
        verdict = self._whole or self._with_code(lines, ids) or self._without(lines)
        state, reason, because = verdict
        shown = ids if state == "captured" or reason == "recompile-limit" else ()
        return CoveredLine(lines[0], lines[-1], state, reason, shown, because, self._evidence.calls(shown))

    def _with_code(self, lines: range, ids: Sequence[str]) -> _Verdict | None:
        """The verdict on what a graph ended at, or has in it."""
        if self._ended.on(self._file, lines):
            return "eager", "break", self._ended.finding(self._file, lines)
        limits = [self._ended.limit(one) for one in ids]
        if ids and None not in limits:
            return "skipped", "recompile-limit", limits[0]
        return ("captured", "", None) if ids else None

    def _without(self, lines: range) -> _Verdict:
        """The verdict on what is in no graph."""
        lost = next((self._lost[line] for line in lines if line in self._lost), None)
        if lost is not None and lost.status == "skipped" and not self._ended.within(lost.id):
            return "eager", "nothing-to-compile", None
        if lost is not None:
            return "eager", "after-break", self._ended.why(lost.id, self._file)
        for line, because in self._eager_from:
            if line <= lines[0]:
                return "eager", "after-break", because
        return "not_run", "" if self._evidence.recorded else "maybe-run", None

    def _none_of_it(self, function: Function, compiles: Sequence[Compile]) -> _Verdict | None:
        """The verdict on all of a function that has nothing in a graph; None for any other."""
        spent = [*(one for one in compiles if one.status in SPENT), *self._lost.values()]
        if self._captured or any(one.status == "ok" for one in compiles):
            return None
        if function.lineno in self._evidence.disabled:
            return "skipped", "disabled", self._evidence.disabled[function.lineno]
        if not spent:
            return None
        last = spent[-1]
        because = self._ended.why(last.id, self._file)
        if last.status == "failed":
            return "skipped", "failed", because
        return "skipped", "frame-skipped" if self._ended.within(last.id) else "nothing-to-compile", because

    def _rests(self, compiles: Sequence[Compile], own: set[int]) -> list[tuple[int, Finding | None]]:
        """From which lines on the function runs in eager, with the finding to blame."""
        lost = [one for one in compiles if one.resumed and one.status in SPENT and self._ended.within(one.id)]
        found = [(one.line, self._ended.why(one.id, self._file)) for one in lost]
        for one in self._evidence.findings:
            frame = one.detail.get("skipped") if one.rule == "frame-skipped" else None
            if isinstance(frame, dict) and frame.get("rest") and one.range.start.line + 1 in own:
                found.append((one.range.start.line + 1, one))
        return found

    def _infer(self, function: Function, compiles: Sequence[Compile]) -> None:
        """Take what must have been gone through for captured, where only operations are recorded."""
        ids = dict.fromkeys(one for each in self._captured.values() for one in each)
        ids |= dict.fromkeys(one.id for one in compiles if one.status == "ok")
        if ids:
            marks = {*self._captured, *self._ended.lines(self._file)}
            self._captured = dict.fromkeys(reached(function, marks), ids) | self._captured
