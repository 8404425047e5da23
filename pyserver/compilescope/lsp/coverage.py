"""Compile coverage of a file, moved to the text of now: its regions for the gutter, its functions for the lenses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage, share
from compilescope.analysis.linemap import LineMap, line_map
from compilescope.lsp import paths
from compilescope.lsp.coverage_words import words
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.coverage import CoverageFunction, CoverageRegion, CoverageResult
from compilescope.lsp.wording import run_time

NOTHING = CoverageResult([], [], None, "")


@dataclass(frozen=True)
class PlacedCoverage:
    """The coverage of a function whose `def` is at `line` (from 0) of now, and how traced lines are moved."""

    line: int
    coverage: FunctionCoverage
    moved: LineMap
    started: str | None


def placed(session: Session, key: str, text: str) -> list[PlacedCoverage]:
    """The functions of a file that a run on show knows, from top to bottom; of several runs the newest counts."""
    found: dict[int, PlacedCoverage] = {}
    for recording, result in session.shown.results().items():
        sources = session.shown.sources(recording)
        for one in result.coverage:
            traced = sources.get(one.file)
            if traced is None or session.shown.key(one.file) != key:
                continue
            moved = line_map(traced, text)
            place = moved.place(one.line - 1)
            if place is not None:
                found[place.line] = PlacedCoverage(place.line, one, moved, result.run.started)
    return [found[line] for line in sorted(found)]


def coverage(session: Session, file: str) -> CoverageResult:
    """The coverage of a file, by its path or URI."""
    path = paths.to_path(file) if file.startswith("file:") else file
    key = paths.key(path) if path else None
    text = session.documents.text(key) if key else None
    if key is None or text is None:
        return NOTHING
    found = placed(session, key, text)
    if not found:
        return NOTHING
    functions = [CoverageFunction(one.coverage.function, one.line, one.coverage.percent) for one in found]
    regions = [region for one in found for region in _regions(one)]
    newest = max((one.started or "" for one in found), default="")
    percent = share(line.state for one in found for line in one.coverage.lines)
    return CoverageResult(functions, sorted(regions, key=lambda one: one.start), percent, run_time(newest))


def _regions(one: PlacedCoverage) -> Iterator[CoverageRegion]:
    """The regions of a function: statements that follow each other with the same to say are one."""
    for group in _alike(one.coverage.lines):
        text = words(one.coverage, group, one.moved)
        open_: tuple[int, int, bool] | None = None
        for line in (line for covered in group for line in range(covered.line, covered.end_line + 1)):
            place = one.moved.place(line - 1)
            if place is None:
                continue
            if open_ is not None and open_[1] + 1 == place.line and open_[2] == place.changed:
                open_ = open_[0], place.line, place.changed
                continue
            if open_ is not None:
                yield CoverageRegion(open_[0], open_[1], group[0].state, open_[2], text)
            open_ = place.line, place.line, place.changed
        if open_ is not None:
            yield CoverageRegion(open_[0], open_[1], group[0].state, open_[2], text)


def _alike(lines: Iterable[CoveredLine]) -> Iterator[list[CoveredLine]]:
    group: list[CoveredLine] = []
    for one in lines:
        before = group[-1] if group else one
        if (one.state, one.reason) != (before.state, before.reason) or one.because is not before.because:
            yield group
            group = []
        group.append(one)
    if group:
        yield group
