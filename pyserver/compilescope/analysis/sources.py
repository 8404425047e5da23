"""The text of the program's files as it was when it ran: recorded, else from disk."""

from __future__ import annotations

import ast
import re
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording.mapping import PathMapping

if TYPE_CHECKING:
    from collections.abc import Iterable

_LARGEST = 4 << 20
# Python and LSP agree on these line ends; `str.splitlines` knows more.
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
# What is left of a path before the part that a shortened one keeps: folders, or the root and one character.
_WHOLE_FOLDERS = re.compile(r"|.*/|(?:[A-Za-z]:)?/.", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """One file's text, its lines and its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return _LINE_END.split(self.text)

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree; None when the text is no Python of this version."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of the syntax tree, outer before inner; empty when there is none."""
        return [] if self.tree is None else list(ast.walk(self.tree))

    @cached_property
    def methods(self) -> list[tuple[int, int, str, str]]:
        """The methods of its classes: first and last line, name, and name with its classes, `Energy.forward`."""
        found: list[tuple[int, int, str, str]] = []
        waiting: list[tuple[ast.AST, str]] = [] if self.tree is None else [(self.tree, "")]
        while waiting:
            node, outer = waiting.pop()
            for child in ast.iter_child_nodes(node):
                inner = f"{outer}{child.name}." if isinstance(child, ast.ClassDef) else ""
                if outer and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                    found.append((first, child.end_lineno or first, child.name, outer + child.name))
                waiting.append((child, inner))
        return found

    def line(self, number: int) -> str | None:
        """Return line `number`, counted from 1; None when there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else None


class Sources:
    """The sources of one recording, by file name."""

    def __init__(self, recorded: dict[str, str], paths: PathMapping | None = None) -> None:
        self._paths = paths or PathMapping()
        self._known: dict[str, Source | None] = {file: Source(text) for file, text in recorded.items()}
        self._named: dict[str, None] = {}

    def qualified(self, file: str, line: int, function: str) -> str:
        """Return `Energy.forward` for the function `forward` around a line when it is a method, else its own name."""
        source = self.get(file)
        around = (one for one in source.methods if one[2] == function and one[0] <= line <= one[1]) if source else ()
        return max(around, default=(0, 0, "", function))[3]

    def get(self, file: str) -> Source | None:
        """Return the source of `file`; None when nobody has it."""
        if file not in self._known:
            self._known[file] = _from_disk(file)
        return self._known[file]

    def find(self, shortened: str) -> str | None:
        """Return the one known file that torch shortened to `shortened`; None when none or several fit.

        Torch takes off the folders that a path shares with its own, and one character more even where they share
        the root alone: `/tmp/a.py` becomes `mp/a.py` (torch/utils/_traceback.py).
        """
        end = shortened.replace("\\", "/").removeprefix("./")
        files = [file for file in {**self._known, **self._named} if _shortens(self._there(file), end)]
        return files[0] if len(files) == 1 else None

    def _there(self, file: str) -> str:
        """The name that the log has of a file."""
        return self._paths.original(file).replace("\\", "/")

    def name(self, files: Iterable[str]) -> None:
        """Note files that the recording names, for `find`."""
        self._named.update(dict.fromkeys(file for file in files if _ABSOLUTE.match(file)))

    def line(self, file: str, number: int) -> str | None:
        """Return one line of `file`, counted from 1; None when unknown."""
        source = self.get(file)
        return None if source is None else source.line(number)


def is_whole(file: str) -> bool:
    """Whether a file name is an absolute path, or one of code without a file (`<string>`)."""
    return bool(_ABSOLUTE.match(file)) or file.startswith("<")


def _shortens(file: str, end: str) -> bool:
    head = file.removesuffix(end)
    return (bool(end) and head != file and bool(_WHOLE_FOLDERS.fullmatch(head))) or file == end


def _from_disk(file: str) -> Source | None:
    path = Path(file)
    try:
        if not path.is_absolute() or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return Source(path.read_bytes().decode("utf-8-sig", errors="replace"))
    except (OSError, ValueError):
        return None
