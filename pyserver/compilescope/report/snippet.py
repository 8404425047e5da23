"""Source lines with a gutter of line numbers and carets under a range."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.report.clean import clean
from compilescope.report.style import Style, width

if TYPE_CHECKING:
    from compilescope.analysis.model import Range, Severity

TAB = 4
_MOST_LINES = 4
_CUT = "..."


@dataclass(frozen=True)
class SourceLine:
    """A source line as shown, and the columns of the range in it (None in a line of context)."""

    number: int
    text: str
    marked: tuple[int, int] | None


def gutter_width(range_: Range) -> int:
    """Columns of the line numbers that a snippet of `range_` shows."""
    return len(str(min(range_.end.line, range_.start.line + _MOST_LINES) + 2))


def snippet(
    source: list[str], range_: Range, label: str, *, severity: Severity, context: int, columns: int, style: Style
) -> list[str]:
    """The lines of `range_` with carets and the label below them, `context` lines before and after.

    `source` are the file's lines. `columns` is the width to keep to. Empty when the range is not in `source`.
    """
    if not is_known(source, range_):
        return []
    number_width = gutter_width(range_)
    room = columns - number_width - 3
    lines = source_lines(source, range_, context)
    shift = _shift(lines, room)
    bar = style.paint("gutter", "|")
    empty = f"{' ' * number_width} {bar}"
    out = [empty]
    last = max(index for index, line in enumerate(lines) if line.marked)
    for index, line in enumerate(lines):
        text = _window(line.text, shift, room)
        out.append(f"{style.paint('gutter', str(line.number).rjust(number_width))} {bar} {text}".rstrip())
        if line.marked:
            start, end = (max(0, column - shift) for column in line.marked)
            end = max(start + 1, min(end, room))
            marks = _with_label("^" * (end - start), label if index == last else "", start, room)
            out += [f"{empty} {' ' * column}{style.paint(severity, text)}" for column, text in marks]
    rest = range_.end.line - (range_.start.line + _MOST_LINES - 1)
    if rest > 0:
        out.append(f"{empty} {style.paint('dim', f'{_CUT} {rest} more lines')}")
    out.append(empty)
    return out


def is_known(source: list[str], range_: Range) -> bool:
    """Whether a range begins on a line that has a text: of a file that is not here a log has some lines only."""
    return range_.start.line < len(source) and bool(source[range_.start.line].strip())


def _with_label(carets: str, label: str, start: int, room: int) -> list[tuple[int, str]]:
    """What goes below the marked text, with the column of each line: the label beside the carets, or else below."""
    if not label:
        return [(start, carets)]
    if start + len(carets) + 1 + width(label) <= room:
        return [(start, f"{carets} {label}")]
    column = max(0, min(start, room - width(label)))
    return [(start, carets), *((column, part) for part in textwrap.wrap(label, room - column))]


def source_lines(source: list[str], range_: Range, context: int) -> list[SourceLine]:
    """The first lines of `range_` with `context` lines before and after, tabs and control characters replaced.

    `range_` must begin in `source`, which are the file's lines.
    """
    first = range_.start.line
    final = range_.end.line - (
        range_.end.character == 0 and range_.end.line > first
    )  # up to a line's start: without it
    final = min(final, len(source) - 1)
    shown = min(final, first + _MOST_LINES - 1)
    lines = []
    for index in range(max(0, first - context), min(len(source), shown + context + 1)):
        raw = clean(source[index].rstrip("\r\n"))
        if not first <= index <= shown:
            if raw.strip():
                lines.append(SourceLine(index + 1, _expand(raw), None))
            continue
        indent = len(raw) - len(raw.lstrip())
        start = _character(raw, range_.start.character) if index == first else indent
        end = _character(raw, range_.end.character) if index == range_.end.line else len(raw.rstrip())
        columns = (width(_expand(raw[:start])), width(_expand(raw[:end])))
        lines.append(SourceLine(index + 1, _expand(raw), columns))
    return lines


def _character(text: str, units: int) -> int:
    """The index of the character that starts at UTF-16 code unit `units`."""
    seen = 0
    for index, character in enumerate(text):
        if seen >= units:
            return index
        seen += 2 if ord(character) > 0xFFFF else 1  # noqa: PLR2004 - the end of the basic plane
    return len(text)


def _expand(text: str) -> str:
    """Tabs as spaces up to the next tab stop, counted in columns."""
    out, column = [], 0
    for character in text:
        piece = " " * (TAB - column % TAB) if character == "\t" else character
        column += width(piece)
        out.append(piece)
    return "".join(out)


def _shift(lines: list[SourceLine], room: int) -> int:
    """Columns to leave out on the left so that the marked part fits."""
    start = min(line.marked[0] for line in lines if line.marked)
    end = max(line.marked[1] for line in lines if line.marked)
    if end <= room - len(_CUT):
        return 0
    return max(0, min(start - 2 * len(_CUT), end - room + 2 * len(_CUT)))


def _window(text: str, shift: int, room: int) -> str:
    """The columns of `text` from `shift` on that fit into `room`."""
    if shift == 0 and width(text) <= room:
        return text
    left = shift + len(_CUT) if shift else 0
    right = shift + room - len(_CUT) if width(text) > shift + room else shift + room
    out, column = _CUT if shift and width(text) > left else "", 0
    for character in text:
        size = width(character)
        if column >= left and column + size <= right:
            out += character
        elif column < left < column + size:
            out += " "  # half of a wide character
        column += size
    return out + (_CUT if right < shift + room else "")
