"""Paths of another machine: where they are here (`--map-path`), and what may be right where nobody said."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording.mapping import PathMapping

if TYPE_CHECKING:
    from argparse import Namespace

    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Recording

_MOST = 2_000
"""Entries of folders that are looked at for a hint: nobody asked for it."""


def mapping(options: Namespace) -> PathMapping:
    """Return what `--map-path` says, the folders here as whole paths."""
    return PathMapping.of((there, os.path.abspath(Path(here).expanduser())) for there, here in options.map_path)  # noqa: PTH100 - links stay as they are


def hint(recording: Recording, result: Result) -> str | None:
    """Return what to say of a log from another machine whose program may be here; None where there is nothing to say.

    It is looked for below the working directory. Nothing is assumed: the user writes the option, or not. Of options
    that are of no use that is said.
    """
    useless = [f"no path of the log begins with {one.there}" for one in recording.paths.unused()]
    useless += [f"{one.here} does not exist" for one in recording.paths.prefixes if not Path(one.here).exists()]
    if useless:
        return f"--map-path: {'; '.join(useless)}"
    from compilescope.analysis.path_guess import look  # noqa: PLC0415 - few need it

    found = look(recording, result.missing, [str(Path.cwd())], _MOST)
    options = [f"--map-path {shlex.quote(f'{one.there}={_short(one.here)}')}" for one in found]
    if not options:
        return None
    if len(options) > 1:
        return f"the log is from another machine, and its files may be in {len(options)} places here; say which: " + (
            " or ".join(options)
        )
    return f"the log is from another machine; its {found[0].there} seems to be here: {options[0]}"


def _short(path: str) -> str:
    here = os.path.relpath(path)
    return path if here.startswith("..") else here if here == "." else os.path.join(".", here)  # noqa: PTH118 - keeps the dot
