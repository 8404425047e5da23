"""Keeps a report fit to be passed on: paths from the run's folder, and no name of a user or a machine."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.model import Result

_START = r"(?<![\w.~\\/-])"
_SEPARATOR = r"(?:\\\\|\\|/)"
_HOME = re.compile(
    _START + r"(?:/(?:home|Users|var/home)/([^/\s\"'<>:&]+)|/(root)\b|[A-Za-z]:\\\\?Users\\\\?([^\\\s\"'<>:&]+))"
)
_CACHE = re.compile(r"\btorchinductor_[\w.-]+")
# The text may be HTML: nothing of an entity (`&#x27;`) is a path.
_LIBRARY = re.compile(
    _START + r"(?:[A-Za-z]:)?[^\s\"'<>:;&]{0,300}?"
    r"[\\/]lib(?:64)?[\\/]python\d\.\d+[\\/](?:(?:site|dist)-packages[\\/])?"
)
_COMMON = frozenset({"localhost", "root", "user", "runner", "ubuntu", "home", "admin", "vscode"})
_SHORTEST = 4


@dataclass(frozen=True)
class Private:
    """What to leave out of a report. `cwd`: the folder that paths are told from; `names`: of users and machines."""

    cwd: str | None = None
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, result: Result) -> Private:
        """What is private of a run: the folder that it ran in, whose home it was in, and this machine's name."""
        run = result.run
        known = [run.cwd, run.python, run.recording, str(Path.home()), *(one.file for one in result.compiles)]
        names = {platform.node().partition(".")[0], *_users(known)}
        private = {name for name in names if len(name) >= _SHORTEST and name.lower() not in _COMMON}
        return cls(run.cwd, frozenset(private))

    def hide(self, text: str) -> str:
        """`text` (plain, HTML or JSON) with paths from `cwd`, home folders as `~`, and without the names."""
        if self.cwd is not None and len(Path(self.cwd).parts) > 1:
            steps = (re.escape(part) for part in re.split(r"[\\/]+", self.cwd.rstrip("\\/")))
            whole = _START + _SEPARATOR.join(steps)
            text = re.sub(rf"{whole}{_SEPARATOR}(?=[\w.])", "", text)
            text = re.sub(rf"{whole}(?![\w.-])", ".", text)
        text = _CACHE.sub("torchinductor_user", _HOME.sub("~", _LIBRARY.sub("", text)))
        for name in sorted(self.names, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", "user", text)
        return text

    def path(self, file: str) -> str:
        """A path as reports show it."""
        return self.hide(file)


def _users(paths: Iterable[str | None]) -> set[str]:
    """The users whose homes some paths are in."""
    found = (match for path in paths if path for match in _HOME.finditer(path))
    return {name for match in found for name in match.groups() if name}
