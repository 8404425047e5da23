"""Colours, links and widths of a terminal. Without one, plain text."""

from __future__ import annotations

import os
import re
import socket
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from typing import TextIO

    from compilescope.analysis.model import Severity

COLUMNS = 100
"""The width that a report keeps to."""

Role = Literal["error", "warning", "information", "hint", "gutter", "place", "strong", "advice", "removed", "dim"]
_CODES: dict[Role, str] = {
    "error": "1;31",
    "warning": "1;33",
    "information": "1;36",
    "hint": "1;32",
    "gutter": "34",
    "place": "4;36",
    "strong": "1",
    "advice": "32",
    "removed": "31",
    "dim": "2",
}
_LIBRARY = re.compile(r"^/.*/lib/python\d\.\d+/(?:(?:site|dist)-packages/)?")


@dataclass(frozen=True)
class Style:
    """`colour`: ANSI colours and OSC 8 links. Paths below `cwd` are shown relative to it."""

    cwd: Path
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO, cwd: Path) -> Style:
        """What `stream` can show: colour on a terminal, unless NO_COLOR is set or it is a dumb one."""
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return cls(cwd, colour=stream.isatty() and not plain)

    def path(self, file: str) -> str:
        """`file` as shown: from the working directory, or from the folder that packages are imported from."""
        path = Path(file)
        if path.is_relative_to(self.cwd):
            return str(path.relative_to(self.cwd))
        return _LIBRARY.sub("", file)

    def paint(self, role: Role | Severity, text: str) -> str:
        """`text` in the colour of `role`."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.colour and text else text

    def place(self, file: str, line: int, column: int | None = None) -> str:
        """`train.py:15:12`, as a link where links work. Line and column count from 1."""
        label = f"{self.path(file)}:{line}" + (f":{column}" if column else "")
        text = self.paint("place", label)
        if not self.colour or not Path(file).is_absolute():
            return text
        address = f"file://{socket.gethostname()}{quote(file)}#{line}"
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def width(text: str) -> int:
    """Columns that `text` takes on a terminal; tabs are expanded before."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
