"""Which Python runs the user's programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from compilescope.runner.interpreter import Interpreter, choose, probe, require_torch
from compilescope.runner.problem import Problem

ENVIRONMENTS = (".venv", "venv", "env")


class Interpreters:
    """Knows the interpreter that the client chose and those it has looked at. Its methods start processes."""

    def __init__(self, chosen: str | None, folders: Callable[[], list[str]]) -> None:
        self.chosen = chosen
        self._folders = folders
        self._known: dict[str, tuple[object, Interpreter]] = {}

    def resolve(self, asked: str | None, cwd: str | None) -> Interpreter:
        """The interpreter for a run in `cwd`, with torch. Raises Problem.

        The one asked for, else the one chosen, else the virtual environment of `cwd` or of a workspace folder, else
        what the command line would take.
        """
        if named := asked or self.chosen:
            return require_torch(self.look_at(named))
        for python in self._environments(cwd):
            try:
                return require_torch(self.look_at(python))
            except Problem:
                continue
        return choose(None)

    def look_at(self, python: str) -> Interpreter:
        """What `python` is; asked only once for as long as its environment stays as it is. Raises Problem."""
        stamp = _stamp(python)
        known = self._known.get(python)
        if known is None or known[0] != stamp or stamp is None:
            known = self._known[python] = (stamp, probe(python))
        return known[1]

    def _environments(self, cwd: str | None) -> Iterator[str]:
        within = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
        folders = [*([cwd, *map(str, Path(cwd).parents)] if cwd else []), *self._folders()]
        for folder in dict.fromkeys(folders):
            for name in ENVIRONMENTS:
                python = Path(folder, name, *within)
                if python.is_file():
                    yield str(python)


def what_is_wrong_with_torch(python: str) -> Problem | None:
    """Why the torch of `python` can't be imported, null when it can. Takes as long as importing torch takes."""
    try:
        probe(python, import_torch=True)
    except Problem as problem:
        return problem
    return None


def _stamp(python: str) -> object:
    """Something that differs once packages were installed or removed; null when that can't be told."""
    path = Path(python)
    folders = [path.parent.parent / "Lib" / "site-packages", *path.parent.parent.glob("lib/python3*/site-packages")]
    stamps = [folder.stat().st_mtime_ns for folder in folders if folder.is_dir()]
    return (path.stat().st_mtime_ns, *stamps) if path.is_absolute() and path.is_file() and stamps else None
