"""Edits made: the text that comes out, several fixes at once, and where lines went."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compilescope.analysis.model import Edit, Fix, Position, Range

_LINE_END = re.compile(r"\r\n|\r|\n")


class Edited:
    """One file's text with edits made, which must not overlap."""

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        self.before = text
        self._starts = _line_starts(text)
        self._spans = sorted(
            ((self._offset(edit.range.start), self._offset(edit.range.end), edit.text) for edit in edits),
            key=lambda span: span[:2],
        )
        pieces, at = [], 0
        for start, end, new in self._spans:
            pieces += [text[at:start], new]
            at = end
        self.after = "".join([*pieces, text[at:]])

    def lines(self, range_: Range) -> tuple[int, int]:
        """The first and the last line (from 0) that the lines of a range of the old text became."""
        first, last = self._starts[min(range_.start.line, len(self._starts) - 1)], self._line_end(range_.end.line)
        touching = [(start, end) for start, end, _ in self._spans if start <= last and end >= first]
        first, last = min([first, *(one[0] for one in touching)]), max([last, *(one[1] for one in touching)])
        shift = sum(len(new) - (end - start) for start, end, new in self._spans if end < first)
        grown = sum(len(new) - (end - start) for start, end, new in self._spans if first <= start and end <= last)
        starts = _line_starts(self.after)
        first, last = first + shift, last + shift + grown
        return _line_of(starts, first), _line_of(starts, max(first, last - 1))  # an edit of whole lines ends below them

    def _line_end(self, line: int) -> int:
        if line + 1 >= len(self._starts):
            return len(self.before)
        end = self._starts[line + 1]
        return end - len(self.before[:end]) + len(self.before[:end].rstrip("\r\n"))

    def _offset(self, at: Position) -> int:
        if at.line >= len(self._starts):
            return len(self.before)
        start = self._starts[at.line]
        end = self._starts[at.line + 1] if at.line + 1 < len(self._starts) else len(self.before)
        line = self.before[start:end].encode("utf-16-le", "surrogatepass")
        return start + len(line[: 2 * at.character].decode("utf-16-le", "replace"))


def edited(texts: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, Edited]:
    """Each file that the edits are of, edited. Raises KeyError when there is no text of one."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    return {file: Edited(texts[file], found) for file, found in by_file.items()}


def merged(fixes: Iterable[Fix]) -> tuple[list[Fix], list[Edit]]:
    """Those of `fixes` that can be made at once, and their edits: an earlier one is made, not one that touches it.

    The same edit of two fixes, an import that both need, is made once.
    """
    kept: list[Fix] = []
    edits: list[Edit] = []
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in edits]
        if new and not any(_touch(edit, other) for edit in new for other in edits):
            kept.append(fix)
            edits += new
    return kept, edits


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or begin at one place; two insertions at one place do not."""
    if one.file != other.file or (one.range == other.range and one.range.start == one.range.end):
        return False
    first, second = sorted((one.range, other.range), key=lambda each: _key(each.start))
    return _key(second.start) < _key(first.end) or _key(second.start) == _key(first.start)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def _line_of(starts: list[int], offset: int) -> int:
    return max(0, sum(start <= offset for start in starts) - 1)
