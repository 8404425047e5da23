"""The part of a line that is shown of a match."""

from __future__ import annotations

import re

WIDTH = 240
_BEFORE = 60
_FAR = 200
_KEY = re.compile(r'\\*"[^"\\]{1,80}\\*"\s*:')
_NEXT = re.compile(r',\s*\\*"|[}\]]')


def shown(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Return a line without its indentation and, when it is long, the part around the match, and the match in it.

    What is left out is an ellipsis; of a match that is too long itself the beginning is shown.
    """
    indent = min(len(line) - len(line.lstrip()), start)
    line = line[indent:].rstrip()
    start, end = min(start - indent, len(line)), min(end - indent, len(line))
    if len(line) <= WIDTH:
        return line, start, end
    first, last = member(line, start, end) or _around(line, start)
    before, after = "…" if first else "", "…" if last < len(line) else ""
    start, end = start - first + len(before), min(end, last) - first + len(before)
    return f"{before}{line[first:last]}{after}", start, end


def _around(line: str, start: int) -> tuple[int, int]:
    first = max(min(start - _BEFORE, len(line) - WIDTH), 0)
    return first, first + WIDTH


def member(line: str, start: int, end: int) -> tuple[int, int] | None:
    """Return which part of a long line of JSON is the key and the value with the match; None when it is none."""
    if len(line) <= WIDTH or not line.startswith(("{", "[")):
        return None
    keys = [one for one in _KEY.finditer(line, max(start - _FAR, 0), end + _FAR) if one.start() <= start]
    if not keys:
        return None
    first = keys[-1].start()
    after = _NEXT.search(line, max(end, keys[-1].end()), first + WIDTH)
    return first, after.start() if after else min(first + WIDTH, len(line))


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
