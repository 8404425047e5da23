"""Places in logs: the lines around a byte."""

from __future__ import annotations

from attrs import frozen


@frozen
class LogPlaceParams:
    """A byte of a log of a recording, from 0; of a packed log of its text."""

    recording: str
    log: str
    offset: int


@frozen
class LogLink:
    """A part of a line of the text, in UTF-16 code units, that stands for something else in the same log.

    `name`: of the event that begins at `offset`, for `compilescope/eventText`; null for another damaged place.
    """

    line: int
    start: int
    end: int
    offset: int
    name: str | None
    compile_id: str | None


@frozen
class LogPlaceResult:
    """The lines around the byte, long ones cut; those from `line` to `end_line`, from 0, are what it is about."""

    text: str
    line: int
    end_line: int
    links: list[LogLink]
