"""Logs of other machines: where their files are here."""

from __future__ import annotations

from attrs import frozen


@frozen
class MappedPath:
    """A folder or file on the machine that a log was written on, and what it is here."""

    there: str
    here: str


@frozen
class PathMappingsParams:
    """All that is set; of several prefixes that fit a path the longest counts."""

    mappings: list[MappedPath]


@frozen
class PathCandidate:
    """What `there` may be here. `files` of the log are below both, `agree` of `compared` lines of them are equal."""

    there: str
    here: str
    files: int
    agree: int
    compared: int


@frozen
class PathGuess:
    """The files of a recording are not here, but these folders have such files: one, or several alike."""

    recording: str
    candidates: list[PathCandidate]


@frozen
class LogSourceParams:
    """A file that a recording names. Without a recording: one that is open."""

    file: str
    recording: str | None = None


@frozen
class LogSourceResult:
    """The file's text as far as the recording has it, each line in its place; `known` of them are there.

    `whole`: it is all of the file. Gaps say so in a comment.
    """

    text: str
    known: int
    whole: bool
