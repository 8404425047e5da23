"""Texts that stand in pieces: adjacent strings over several lines, as `pprint` writes them, or sources have them.

No search for a whole path or line finds it there: `'  File "/home/me/acme '`, and in the next line `'project/a.py"'`.
Pieces are also found where the text that they are in was put into a string itself: in JSON, or in a repr.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_PIECE = r"""(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")"""
_BETWEEN = r"[ \t]*(?:[\\+][ \t]*)?\r?\n\s*(?:\+\s*)?[bBfFrRuU]{0,2}"
_LAST_PIECE = r"""(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*|"[^"\\\n]*(?:\\.[^"\\\n]*)*)\\?\Z"""  # of a text that was cut
_PIECES = re.compile(rf"(?<!\\){_PIECE}(?:{_BETWEEN}(?:{_PIECE}|{_LAST_PIECE}))+")
_NEXT = re.compile(rf"({_PIECE}|{_LAST_PIECE})(?:{_BETWEEN})?")
# Such a place in a text that is in a string: its newline is an escape, its quotes may be.
_IN_STRING = re.compile(r"""['"][ \t]*(?:\+[ \t]*)?\\+n(?:[\s+]|\\+[nrt])*[bBfFrRuU]{0,2}\\*['"]""")
_BRIDGE = re.compile(r"""(?<!\\)\\*['"](?:[\s+\\]|(?<=\\)[nrt])*[bBfFrRuU]{0,2}['"]""")
_DEEPEST = 4
"""Strings in strings that are looked into."""
_TOKEN = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)|[^\\]+|\\", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_LAST = 0x10FFFF
_HALF = re.compile("[\ud800-\udfff]")


class Split(NamedTuple):
    """A text in pieces: `text` from `start` to `end`, in a string in `depth` others."""

    start: int
    end: int
    text: str
    depth: int


def splits(text: str) -> Iterator[Split]:
    """Yield the texts that stand in pieces in `text`, joined; those in strings in it after those in it."""
    starts: array[int] | None = None
    plain = text
    for depth in range(_DEEPEST + 1):
        if "\n" in plain and ("'" in plain or '"' in plain):
            for match in _PIECES.finditer(plain):
                whole = _paired("".join(_plain(_inside(piece[1])) for piece in _NEXT.finditer(match[0])))
                start, end = match.span()
                yield Split(*((start, end) if starts is None else (starts[start], starts[end])), whole, depth)
        if depth == _DEEPEST or "\\" not in plain or not _IN_STRING.search(plain):
            return
        plain, starts = _opened(plain, starts)


def joined(text: str, hide: Callable[[str], str]) -> str:
    """Return `text` with one string in place of the pieces of each text that `hide` changes."""
    for depth in range(_DEEPEST + 1):
        found = [one for one in splits(text) if one.depth == depth]
        kept, last = [], 0
        for one in found:
            if one.start >= last and (hidden := hide(one.text)) != one.text:
                kept += [text[last : one.start], _spelled(hidden, depth)]
                last = one.end
        if kept:
            text = "".join([*kept, text[last:]])
        if not _IN_STRING.search(text):
            return text
    return text


def bridged(text: str, sought: Iterable[re.Pattern[str]]) -> bool:
    """Whether something that is sought stands in pieces in `text` after all, however often its quotes are escaped."""
    parts, places, last, length = [], [], 0, 0
    for match in _BRIDGE.finditer(text):
        if "\n" in match[0] or "\\n" in match[0]:
            parts.append(text[last : match.start()])
            length += len(parts[-1])
            places.append(length)
            last = match.end()
    if not places:
        return False
    whole = "".join([*parts, text[last:]])
    for pattern in sought:
        for match in pattern.finditer(whole):
            after = bisect_right(places, match.start())
            if after < len(places) and places[after] < match.end():
                return True
    return False


def _spelled(text: str, depth: int) -> str:
    shown = repr(text)
    for _ in range(depth):
        shown = json.dumps(shown)[1:-1]
    return shown


def _inside(piece: str) -> str:
    closed = len(piece) > 1 and re.fullmatch(_PIECE, piece)
    return piece[1:-1] if closed else piece[1:]


def _plain(text: str) -> str:
    """What a string of this text holds."""
    return "".join(map(_meant, _TOKEN.findall(text))) if "\\" in text else text


def _paired(text: str) -> str:
    """Return `text` with one character for each two that JSON has for it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALF.search(text) else text


def _meant(token: str) -> str:
    if token[0] != "\\" or len(token) == 1:
        return token
    if len(token) == 2:  # noqa: PLR2004 - a backslash and a character
        return _ESCAPES.get(token[1], token[1])
    code = int("0x" + token[2:], 0)
    return chr(code) if code <= _LAST else token


def _opened(text: str, before: array[int] | None) -> tuple[str, array[int]]:
    """Return what a string of this text holds, and where in the first text each of its characters begins."""
    parts, places, at = [], array("q"), 0
    for token in _TOKEN.findall(text):
        meant = _meant(token)
        parts.append(meant)
        places.extend(range(at, at + len(token)) if meant == token else [at] * len(meant))
        at += len(token)
    places.append(at)
    return "".join(parts), places if before is None else array("q", (before[place] for place in places))
