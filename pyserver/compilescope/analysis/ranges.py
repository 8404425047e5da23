"""From Python's positions (lines from 1, UTF-8 bytes) to ranges in an editor (lines from 0, UTF-16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Position, Range
from compilescope.analysis.syntax import meant

if TYPE_CHECKING:
    import ast

    from compilescope.analysis.sources import Sources
    from compilescope.analysis.syntax import Span


class Ranges:
    """Ranges in the files of one recording."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._meant: dict[str, dict[Span, ast.expr]] = {}

    def of(self, frame: Frame) -> Range:
        """Return the range of a frame: its exact expression, else its line without the indentation."""
        frame = self.meant(frame)
        if frame.col is None or frame.end_col is None:
            return self.line(frame.file, frame.line)
        end_line = frame.end_line or frame.line
        start = self.position(frame.file, frame.line, frame.col)
        end = self.position(frame.file, end_line, frame.end_col)
        if (end.line, end.character) <= (start.line, start.character):
            return self.line(frame.file, frame.line)
        return Range(start, end)

    def meant(self, frame: Frame) -> Frame:
        """Return the frame at the expression that is meant where Python gives it another position (`syntax.meant`)."""
        if frame.col is None:
            return frame
        if frame.file not in self._meant:
            source = self._sources.get(frame.file)
            self._meant[frame.file] = {} if source is None else meant(source)
        node = self._meant[frame.file].get((frame.line, frame.end_line or frame.line, frame.col, frame.end_col))
        if node is None:
            return frame
        return Frame(frame.file, node.lineno, frame.function, node.end_lineno, node.col_offset, node.end_col_offset)

    def line(self, file: str, number: int) -> Range:
        """Return the range of a line without its indentation; of the whole line when its text is unknown."""
        text = self._sources.line(file, number)
        row = max(number - 1, 0)
        if text is None:
            return Range(Position(row, 0), Position(row + 1, 0))
        stripped = text.strip()
        if not stripped:
            return Range(Position(row, 0), Position(row, utf16(text)))
        indent = len(text) - len(text.lstrip())
        start = utf16(text[:indent])
        return Range(Position(row, start), Position(row, start + utf16(stripped)))

    def position(self, file: str, line: int, column: int) -> Position:
        """Return the place `column` UTF-8 bytes into a line that counts from 1."""
        text = self._sources.line(file, line)
        return Position(max(line - 1, 0), column if text is None else from_utf8(text, column))


def utf16(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def from_utf8(line: str, column: int) -> int:
    """Return the UTF-16 column of the UTF-8 byte `column` of `line`; beyond the end, the end.

    A column within a character is the column of its start.
    """
    if column <= 0:
        return 0
    head = line.encode("utf-8", errors="surrogatepass")[:column]
    return utf16(head.decode("utf-8", errors="ignore"))
