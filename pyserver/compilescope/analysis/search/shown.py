"""The part of a line that is shown of a match."""

from __future__ import annotations

WIDTH = 240
_BEFORE = 60


def shown(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Return a line without its indentation and, when it is long, the part around the match, and the match in it.

    What is left out is an ellipsis; of a match that is too long itself the beginning is shown.
    """
    indent = min(len(line) - len(line.lstrip()), start)
    line = line[indent:].rstrip()
    start, end = min(start - indent, len(line)), min(end - indent, len(line))
    if len(line) <= WIDTH:
        return line, start, end
    first = max(min(start - _BEFORE, len(line) - WIDTH), 0)
    last = first + WIDTH
    before, after = "…" if first else "", "…" if last < len(line) else ""
    start, end = start - first + len(before), min(end, last) - first + len(before)
    return f"{before}{line[first:last]}{after}", start, end


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
