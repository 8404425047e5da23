"""Which recording is meant by what a command names; said where that is a choice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.streams import say
from compilescope.recording import address
from compilescope.recording.newest import choose, job
from compilescope.report.jobs import job_words
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from argparse import Namespace

    from compilescope.recording.reader import Source


_DOING = {"show": "showing", "diff": "comparing", "pack": "packing", "search": "searching"}


_NUMBERED = re.compile(r"(.+)#(\d{1,9})")
_JOBS = 20
"""Jobs of a folder that are listed, the newest."""


def chosen(path: Path | None, command: str, number: int | None = None, *, listed: set[Path] | None = None) -> Source:
    """Return the recording at `path`: of several in a folder the newest, and the logs of one job where it has several.

    `command`: whose recording it is, `show`. `number`: which job, the newest without; `FOLDER#2` names one, too, and so
    does an address. `listed`: folders whose jobs were listed before, which is done once. Raises RecordingError where
    there is no such job.
    """
    if path is not None and not _may_be_there(path):
        if address.place(path) != path:
            return address.source(address.absolute(path))
        if (numbered := _NUMBERED.fullmatch(str(path))) and number is None:
            path, number = Path(numbered[1]), int(numbered[2])
    verb = _DOING[command]
    recording, count = choose(path)
    if count > 1 or recording != path:
        others = f", the newest of {count}; to see another: compilescope {command} FOLDER" if count > 1 else ""
        say(f"{verb} {recording}{others}")
    several = job(recording, number)
    if several is None:
        return recording
    logs, found = several
    taken = next(place for place, one in enumerate(found, 1) if one.logs == logs)
    other = " (--job N shows another)" if command == "show" else f" ({path}#N names another)"
    rows = [
        f"  {'>' if place == taken else ' '} {place}  {job_words(one)}"
        for place, one in enumerate(found, 1)
        if place == taken or (place > len(found) - _JOBS and recording not in (listed or ()))
    ]
    if listed is not None and recording in listed:
        say("\n".join([f"and {taken} of {recording}:", *rows]))
        return logs
    if listed is not None:
        listed.add(recording)
    if len(rows) < len(found):
        rows.insert(0, f"    … {len(found) - len(rows)} older ones are not listed")
    say("\n".join([f"{recording} holds the logs of {len(found)} jobs; {verb} {taken}{other}:", *rows]))
    return logs


def _may_be_there(path: Path) -> bool:
    """Whether there is such a file or folder, also one that only opening it will tell of: it may not be looked at."""
    try:
        return path.exists()
    except OSError:
        return True


def together(paths: list[Path]) -> list[Path]:
    """Return logs that are shown as one recording, each once. Raises Problem for a folder among them."""
    paths = list({path.resolve(): path for path in reversed(paths)}.values())[::-1]
    if folders := [str(path) for path in paths if path.is_dir()]:
        raise Problem("bad-recording", f"Several can be shown as one if they are logs; {folders[0]} is a folder.")
    return paths


def shown(options: Namespace) -> Source:
    """Return what `show` is to show. Raises Problem or RecordingError when there is no such thing."""
    paths = [Path(one) for one in options.recording if one]
    return together(paths) if len(paths) > 1 else chosen(paths[0] if paths else None, "show", options.job)
