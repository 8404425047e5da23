"""Tells the user's own code from library code, and finds the frame where the user should look."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.model import StackFrame
from compilescope.analysis.ours import strings

if TYPE_CHECKING:
    from compilescope.analysis.facts import Facts, Frame
    from compilescope.analysis.ranges import Ranges

_RESUME = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d{1,9})")
_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3(?:\.\d+)?[\\/]")
_PACKAGE = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_TORCH = re.compile(r"[\\/](?:site|dist)-packages[\\/]torch[\\/]")
_IN_PLACE = re.compile(r"torch[\\/]_dynamo[\\/]polyfills[\\/]|[\\/]lib[\\/]python3(?:\.\d+)?[\\/]logging[\\/]")
_PATH = re.compile(r"[\\/.]")
# Frames that stand between a caller and its callee in every compiled program, and tell nothing.
_PLUMBING = re.compile(
    r"torch[\\/](?:_dynamo[\\/](?:eval_frame|external_utils|convert_frame)\.py|nn[\\/]modules[\\/]module\.py|_compile\.py)$"
)

LOST = "<unknown>"
"""The file of a frame whose name is not in the log (any more)."""


class FrameRules:
    """Which files are the user's."""

    def __init__(
        self,
        library_roots: Iterable[str],
        torch_root: str | None,
        main_files: Iterable[str],
        recorded: Container[str] | None = None,
    ) -> None:
        roots = [*library_roots, *([torch_root] if torch_root else [])]
        self._roots = tuple(_folder(root) for root in roots if root)
        self._torch = _folder(torch_root) if torch_root else None
        self._main = frozenset(main_files)
        self._recorded = recorded
        self._known: dict[str, bool] = {}

    @classmethod
    def of(cls, facts: Facts) -> FrameRules:
        """Return the rules that the processes of a recording give."""
        environments = [process.environment for process in facts.processes.values()]
        roots = {root for one in environments for root in strings(one.get("library_roots"))}
        main = {one["main_file"] for one in environments if isinstance(one.get("main_file"), str)}
        return cls(roots, facts.torch_root, main, facts.recorded if any(environments) else None)

    def in_user_code(self, file: str) -> bool:
        """Whether `file` is the user's own: no installed package, no standard library, no code without a file."""
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._in_user_code(file)
        return known

    def _in_user_code(self, file: str) -> bool:
        if file in self._main:
            return True
        if file.startswith("<") or not _PATH.search(file):
            return False
        return not self.in_library(file) and self._is_there(file)

    def in_library(self, file: str) -> bool:
        """Whether `file` is of an installed package or of the standard library."""
        return file not in self._main and bool(_folder(file).startswith(self._roots) or _INSTALLED.search(file))

    def in_package(self, file: str) -> bool:
        """Whether `file` is of an installed package other than torch."""
        return bool(_PACKAGE.search(file)) and self.in_library(file) and not self.in_torch(file)

    def _is_there(self, file: str) -> bool:
        """Whether `file` is one: our tracer records the text of the user's, so a name without is that of a template."""
        if self._recorded is None or file in self._recorded:
            return True
        try:
            return Path(file).is_file()
        except (OSError, ValueError):
            return False

    def in_torch(self, file: str) -> bool:
        """Whether `file` is one of torch's own."""
        if self._torch is not None and _folder(file).startswith(self._torch):
            return True
        return bool(_TORCH.search(file))

    def in_place_of_builtin(self, file: str) -> bool:
        """Whether `file` is what torch traces for Python's own functions, or `logging`: the call of it is meant."""
        return bool(_IN_PLACE.search(file))

    def place(self, stack: Sequence[Frame]) -> Frame | None:
        """Return the innermost frame in the user's code, else the innermost frame there is.

        Where the names of files were lost, the innermost without one: it may be the user's.
        """
        for frame in reversed(stack):
            if self.in_user_code(frame.file):
                return frame
        lost = [frame for frame in stack if frame.file == LOST]
        return lost[-1] if lost else stack[-1] if stack else None

    def caller(self, above: Sequence[Frame]) -> Frame | None:
        """Return the innermost frame in the user's code; None if there is none."""
        frame = self.place(above)
        return frame if frame is not None and self.in_user_code(frame.file) else None

    def shown(self, stack: Sequence[Frame], ranges: Ranges) -> list[StackFrame]:
        """Return a stack as findings carry it, outermost first, without the plumbing between frames."""
        return [
            StackFrame(
                file=frame.file,
                line=frame.line,
                function=plain_function(frame.function),
                in_user_code=self.in_user_code(frame.file),
                range=ranges.of(frame),
            )
            for frame in stack
            if not is_plumbing(frame.file)
        ]


def is_plumbing(file: str) -> bool:
    """Whether a file's frames only stand between a caller and its callee."""
    return bool(_PLUMBING.search(file))


def plain_function(name: str) -> str:
    """Return a function's own name, without what torch puts before the name of a resumed piece."""
    while match := _RESUME.fullmatch(name):
        name = match[1]
    return name


def resumed_at(name: str) -> int | None:
    """Return the line that a resumed piece of a function goes on after; None for a function of the user's."""
    match = _RESUME.fullmatch(name)
    return int(match[2]) if match else None


def _folder(path: str) -> str:
    return path.replace("\\", "/").rstrip("/") + "/"
