"""Guesses where the program of a log from another machine is here, by file names and by the lines that the log has."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.load import source_texts
from compilescope.analysis.log_lines import agreeing, read
from compilescope.analysis.sources import Source, Sources
from compilescope.recording import lookup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from compilescope.analysis.frames import FrameRules
    from compilescope.analysis.log_lines import Lines
    from compilescope.analysis.model import Compile, Finding
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Recording

MOST = 4
"""Places of one folder that are told of."""
ENOUGH = 0.5
"""The least share of the compared lines that must be equal."""
_SEPARATORS = re.compile(r"[\\/]+")


@dataclass(frozen=True)
class Candidate:
    """A prefix of paths in the log, and a folder here that may be the same.

    `files`: how many files of the log are below both; `agree` of `compared` lines that the log has of them are equal.
    """

    there: str
    here: str
    files: int
    agree: int
    compared: int


def missing(
    findings: Sequence[Finding], compiles: Sequence[Compile], rules: FrameRules, paths: PathMapping
) -> list[str]:
    """Return the files of the program that findings and compiles name and that are not here, where they should be."""
    files = {frame.file for one in findings for frame in one.frames if frame.in_user_code}
    files |= {one.file for one in findings if one.file} | {one.file for one in compiles if one.file}
    return sorted(
        file for file in files if rules.in_user_code(file) and not _is_here(file) and paths.original(file) == file
    )


def look(recording: Recording, files: Sequence[str], roots: Sequence[str], most: int = lookup.MOST) -> list[Candidate]:
    """Return where the missing `files` of a recording may be below `roots`, the folders that are open here.

    `most`: entries of folders after which no more is looked at.
    """
    if not files or not roots:
        return []
    here = lookup.named({_SEPARATORS.split(file)[-1] for file in files}, roots, most)
    if not here:
        return []
    lines: dict[str, dict[int, str]] = dict(read(recording, files))
    for file, recorded in source_texts(recording).items():
        if file in files:
            lines[file] = {number: line for number, line in enumerate(Source(recorded).lines, 1) if line.strip()}
    sources = Sources({})

    def text_of(path: str) -> str | None:
        source = sources.get(path)
        return None if source is None else source.text

    return guess(files, lines, here, roots, text_of)


def guess(
    files: Iterable[str],
    lines: Lines,
    here: Mapping[str, Sequence[str]],
    roots: Sequence[str],
    text_of: Callable[[str], str | None],
) -> list[Candidate]:
    """Return where the missing `files` may be here: one place, or several where nothing tells them apart.

    `lines` are what the log has of the files, `here` paths of files below `roots` by their last part, and `text_of`
    returns the text of one of these. A place where less than half of the lines agree is none, and so is one of a file
    of which the log has no line, unless the folder around it has the same name.
    """
    pairs: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for file in files:
        for path in here.get(_SEPARATORS.split(file)[-1], ()):
            for pair in _prefixes(file, path, roots):
                pairs[pair][file] = path
    same: dict[tuple[tuple[str, str], ...], Candidate] = {}
    for pair, own in sorted(pairs.items(), key=lambda one: -len(one[0][0])):
        if (one := _candidate(pair, own, lines, text_of)) is not None:
            same.setdefault(tuple(sorted(own.items())), one)  # of prefixes that make the same of all the longest
    found = sorted(same.values(), key=_rank)
    return [one for one in found if _rank(one) == _rank(found[0])][:MOST]


def _rank(one: Candidate) -> tuple[int, int, int]:
    return -one.agree, one.compared - one.agree, -one.files


def _prefixes(there: str, here: str, roots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what is left of two paths without an end that they share; here at least one of `roots`."""
    below = next((Path(here).relative_to(root).parts for root in roots if Path(here).is_relative_to(root)), ())
    parts = [part for part in _SEPARATORS.split(there) if part]
    end = ""
    for depth, (part, own) in enumerate(zip(reversed(parts[1:]), reversed(below), strict=False)):
        if part != own:
            break
        end = rf"[\\/]+{re.escape(part)}{end}"
        prefix = re.sub(f"{end}$", "", there)
        if prefix != there:
            yield prefix, str(Path(here).parents[depth])


def _candidate(
    pair: tuple[str, str], files: Mapping[str, str], lines: Lines, text_of: Callable[[str], str | None]
) -> Candidate | None:
    agree = compared = 0
    for there, here in files.items():
        text = text_of(here) if there in lines else None
        if text is not None:
            equal, count = agreeing(lines[there], text)
            agree, compared = agree + equal, compared + count
    same_folder = any(Path(here).parent != Path(pair[1]) for here in files.values())
    if agree < compared * ENOUGH or not (agree or (same_folder and not compared)):
        return None
    return Candidate(*pair, len(files), agree, compared)


def _is_here(file: str) -> bool:
    try:
        return Path(file).is_file()
    except (OSError, ValueError):
        return False
