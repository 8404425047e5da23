"""Where the lines of the text that was traced are in the text of now.

Compared line by line, not followed edit by edit: that also covers what was edited while no server ran, by another
program, or undone again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

SIMILAR = 0.5
MOST_PAIRS = 2000
KEPT = 32


@dataclass(frozen=True)
class Place:
    """A line of the new text, from 0. `changed`: it is the old line, edited."""

    line: int
    changed: bool


def split_lines(text: str) -> list[str]:
    """Lines as LSP counts them: LF, CR LF and CR end a line, nothing else does."""
    return re.split(r"\r\n|\n|\r", text)


class LineMap:
    """Maps lines of `old` (from 0) to lines of `new`. A line that was deleted has no place."""

    def __init__(self, old: str, new: str) -> None:
        if old == new:
            self._places: dict[int, Place] | None = None
            self._shift: tuple[int, int, int] = (0, 0, 0)
            return
        before, after = split_lines(old), split_lines(new)
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        self._shift = (head, len(before) - tail, len(after) - len(before))
        self._places = dict(_middle(before[head : len(before) - tail], after[head : len(after) - tail], head))

    def place(self, line: int) -> Place | None:
        """Where old line `line` is now, null when it is gone."""
        if self._places is None:
            return Place(line, changed=False)
        head, tail, shift = self._shift
        if line < head:
            return Place(line, changed=False)
        if line >= tail:
            return Place(line + shift, changed=False)
        return self._places.get(line)

    def origin(self, line: int) -> int | None:
        """Which old line new line `line` is, unchanged; null for one that is new or was edited."""
        head, tail, shift = self._shift
        if self._places is None or line < head:
            return line
        if line >= tail + shift:
            return line - shift
        return next((old for old, at in self._places.items() if at.line == line and not at.changed), None)


@lru_cache(maxsize=KEPT)
def line_map(old: str, new: str) -> LineMap:
    """The map from `old` to `new`, one of the last `KEPT` if they were compared before: that can take half a second."""
    return LineMap(old, new)


def _common(one: list[str], other: list[str]) -> int:
    for position, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return position
    return min(len(one), len(other))


def _middle(before: list[str], after: list[str], offset: int) -> list[tuple[int, Place]]:
    """Places of the lines between the common head and the common tail; `offset` is the length of the head."""
    places: list[tuple[int, Place]] = []
    for tag, old, old_end, new, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            places += [(offset + old + i, Place(offset + new + i, changed=False)) for i in range(old_end - old)]
        elif tag == "replace":
            places += _replaced(before, after, (old, old_end), (new, new_end), offset)
    return places


def _replaced(
    before: list[str], after: list[str], old: tuple[int, int], new: tuple[int, int], offset: int
) -> list[tuple[int, Place]]:
    """Pair the lines of a replaced block: one to one when there are as many, else each with the most similar one."""
    if old[1] - old[0] == new[1] - new[0]:
        return [(offset + old[0] + i, Place(offset + new[0] + i, changed=True)) for i in range(old[1] - old[0])]
    places = []
    start = new[0]
    for line in range(*old):
        if (old[1] - old[0]) * (new[1] - new[0]) > MOST_PAIRS:
            break
        scored = [(_similarity(before[line], after[other]), -other) for other in range(start, new[1])]
        score, position = max(scored, default=(0.0, 0))
        if score >= SIMILAR:
            start = -position + 1
            places.append((offset + line, Place(offset - position, changed=True)))
    return places


def _similarity(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one.strip(), other.strip(), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= SIMILAR else 0.0
