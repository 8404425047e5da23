"""Source text in colours, and a range of it with carets below."""

from __future__ import annotations

import builtins
import keyword
import re
from typing import TYPE_CHECKING

from compilescope.report.html.markup import EMPTY, Markup, escape, join, shortened, tag
from compilescope.report.snippet import is_known, source_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Range

MOST_LINES = 5
_WIDEST = 240
"""Columns of a line that are shown; of a longer one the part around the range."""
_PYTHON = re.compile(
    r"(?P<c>#.*)|(?P<s>(?:\b[rRbBfFuU]{1,2})?(?:'''.*?(?:'''|$)|\"\"\".*?(?:\"\"\"|$)|'(?:[^'\\]|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?))"
    r"|(?P<n>\b\d[\w.]*)|(?P<w>[^\W\d]\w*)"
)
_C = re.compile(
    r"(?P<c>//.*|/\*.*?(?:\*/|$))|(?P<s>\"(?:[^\"\\]|\\.)*\"?)|(?P<n>\b\d[\w.]*)|(?P<w>[^\W\d]\w*)|(?P<p>^#\w+)"
)
_C_WORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "constexpr",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "false",
        "float",
        "for",
        "if",
        "inline",
        "int",
        "long",
        "namespace",
        "nullptr",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "template",
        "true",
        "typedef",
        "typename",
        "unsigned",
        "using",
        "void",
        "while",
        "int64_t",
        "int32_t",
        "uint32_t",
        "bool",
        "int8_t",
        "uint8_t",
        "bfloat16",
        "half",
    ]
)
_BESIDE = 112
"""Columns up to which a label stands beside its carets; one that is longer stands below."""
_CALLED = re.compile(r"\s*\(")
_SELF = frozenset({"self", "cls"})
_BUILTIN = frozenset(name for name in dir(builtins) if name.islower())


def python(line: str) -> Markup:
    """A line of Python in colours."""
    return _coloured(line, _PYTHON, frozenset(keyword.kwlist) | _SELF)


def c(line: str) -> Markup:
    """A line of C++ or PTX in colours."""
    return _coloured(line, _C, _C_WORDS)


def _coloured(line: str, pattern: re.Pattern[str], words: frozenset[str]) -> Markup:
    parts: list[Markup] = []
    place = 0
    for match in pattern.finditer(line):
        kind = match.lastgroup
        if kind == "w":
            kind = "k" if match[0] in words else "f" if _CALLED.match(line, match.end()) else None
        if kind is not None:
            parts += [escape(line[place : match.start()]), tag("span", match[0], class_="k" if kind == "p" else kind)]
            place = match.end()
    return join([*parts, escape(line[place:])])


class Excerpts:
    """Cuts excerpts out of the sources of a run."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str | None) -> list[str]:
        """The lines of a file; none when its text is not known."""
        if file is None:
            return []
        if file not in self._lines:
            text = self._sources.get(file, "")
            self._lines[file] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if text else []
        return self._lines[file]

    def marked(self, file: str | None, range_: Range, label: str = "") -> Markup:
        """The lines of a range with carets under exactly it, the label beside them, and up to five lines in all."""
        source = self.lines(file)
        if not is_known(source, range_):
            return EMPTY
        marked = min(range_.end.line - range_.start.line + 1, MOST_LINES - 1)
        lines = source_lines(source, range_, max(0, (MOST_LINES - marked) // 2))
        first = min(line.marked[0] for line in lines if line.marked)
        shift = max(0, first - _WIDEST // 2) if any(len(line.text) > _WIDEST for line in lines) else 0
        last = max(number for number, line in enumerate(lines) if line.marked)
        rows: list[Markup] = []
        for number, line in enumerate(lines):
            text = ("… " if shift else "") + line.text[shift : shift + _WIDEST]
            text += " …" if len(line.text) > shift + _WIDEST else ""
            rows.append(_row(line.number, python(text), "e" if line.marked else None))
            if line.marked:
                start, end = (min(max(0, at - shift + (2 if shift else 0)), _WIDEST) for at in line.marked)
                carets = " " * start + "^" * max(1, end - start)
                rows += _carets(start, carets, label if number == last else "")
        return tag("div", *rows, class_="ex", tabindex=0, role="group", aria_label="Source")

    def text(self, file: str | None, range_: Range, most: int = 60) -> str:
        """What stands in a range, on one line; empty when it is not known. `most`: characters."""
        source = self.lines(file)
        start, end = range_.start, range_.end
        if start.line >= len(source):
            return ""
        encoded = source[start.line].encode("utf-16-le", "surrogatepass")
        stop = 2 * end.character if end.line == start.line else len(encoded)
        found = encoded[2 * start.character : stop].decode("utf-16-le", "replace").strip()
        return found if len(found) <= most else f"{found[: most - 1]}…"


def _carets(start: int, carets: str, label: str) -> list[Markup]:
    said = shortened(" ".join(label.replace("`", "").split()), 200)
    if not said:
        return [_row(None, carets, "car")]
    if len(carets) + 1 + len(said) <= _BESIDE:
        return [_row(None, join([carets, tag("em", " ", said)]), "car")]
    column = " " * max(0, min(start, _BESIDE - len(said)))
    return [_row(None, carets, "car"), _row(None, tag("em", column, said), "car")]


def _row(number: int | None, text: object, class_: str | None) -> Markup:
    gutter = tag("span", "" if number is None else number, class_="ln")
    return tag("div", gutter, tag("span", text), class_=f"el {class_}" if class_ else "el")
