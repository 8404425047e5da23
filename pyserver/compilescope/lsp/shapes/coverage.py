"""The shapes of `compilescope/coverage` on the wire (a part of `protocol`)."""

from __future__ import annotations

from attrs import frozen


@frozen
class CoverageParams:
    """A Python file: its path or URI."""

    file: str


@frozen
class CoverageRegion:
    """Lines from `start` to `end`, from 0 and both included, as they are in the file now.

    `state`: `captured`, `eager`, `skipped` or `not_run`. `stale`: they were edited since. `text`: plain words on what
    became of them.
    """

    start: int
    end: int
    state: str
    stale: bool
    text: str


@frozen
class CoverageFunction:
    """A function by the line of its `def`, from 0. `percent` of its lines that ran is in graphs; null: none ran."""

    name: str
    line: int
    percent: float | None


@frozen
class CoverageResult:
    """Compile coverage of a file by the runs on show; no functions when none knows it. `run`: which run, in words.

    `percent` of the lines of all functions that ran; null: none ran.
    """

    functions: list[CoverageFunction]
    regions: list[CoverageRegion]
    percent: float | None
    run: str
