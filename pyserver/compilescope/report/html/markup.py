"""HTML from plain values: everything that is not markup already is escaped, so a recording can't write tags."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from compilescope.report.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 4000
"""Characters of a text that are shown where nothing else is said."""
_TOLD = 500
"""From this length on a text says how much of it is left out."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_VOID = frozenset({"meta", "rect", "path", "line", "use", "circle", "br", "stop"})


class Markup(str):
    """HTML that is written as it is."""

    __slots__ = ()


EMPTY = Markup("")


def escape(value: object) -> Markup:
    """`value` as text of a page; Markup stays as it is."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    if not text.isprintable():
        text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", clean(text))
    return Markup(html.escape(text))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. None among the children is left out; an attribute that is None or False too.

    `class_` is `class`, an underscore in a name a dash.
    """
    head = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{head}/>")
    return Markup(f"<{name}{head}>{join(children)}</{name}>")


def join(parts: Iterable[object], between: str = "") -> Markup:
    """The parts one after another, without those that are None."""
    return Markup(escape(between).join(escape(part) for part in parts if part is not None))


def prose(text: str, most: int = LONGEST) -> Markup:
    """Text with what stands in backticks as code."""
    pieces = shortened(text, most).split("`")
    if len(pieces) % 2 == 0:  # the last backtick opens nothing
        pieces[-2:] = ["`".join(pieces[-2:])]
    return join(tag("code", piece) if number % 2 else piece for number, piece in enumerate(pieces))


def shortened(text: object, most: int = LONGEST) -> str:
    """At most `most` characters of a text; of a long one with the number of those left out."""
    whole = str(text)
    if len(whole) <= most:
        return whole
    return f"{whole[: most - 1]}…" if most < _TOLD else f"{whole[:most]} … {len(whole) - most:,} more characters"


def bar(share: float) -> Markup:
    """A bar of a share of its place, from 0 to 1. SVG, because a style in an element would be none of the page's."""
    percent = f"{100 * min(max(share, 0.0), 1.0):.1f}%"
    return tag("svg", tag("rect", width=percent, height="100%", rx=2), class_="bar", aria_hidden="true")


def details(summary: object, *children: object, open_: bool = False, class_: str | None = None) -> Markup:
    """A part that can be folded."""
    return tag("details", tag("summary", summary), *children, open=open_, class_=class_)


def section(name: str, title: object, about: object, *children: object, right: object = None) -> Markup:
    """A section with its heading; `name` is what links go to."""
    small = [tag("small", about) if about else None, tag("small", right, class_="rt") if right else None]
    head = tag("h2", title, *small, id=f"{name}-title")
    return tag("section", head, *children, id=name, aria_labelledby=f"{name}-title")


def table(head: Iterable[object], rows: Iterable[object], class_: str | None = None, caption: str = "") -> Markup:
    """A table of rows (`tr` elements) in a box that scrolls when it is too wide. `head`: texts or `th` elements."""
    cells = [one if isinstance(one, Markup) else tag("th", one, scope="col") for one in head]
    whole = tag("table", tag("thead", tag("tr", *cells)), tag("tbody", *rows), class_=class_)
    return tag("div", whole, class_="tw", tabindex=0, role="region", aria_label=caption or "Table")


def right(title: str) -> Markup:
    """A heading over a column of numbers."""
    return tag("th", title, scope="col", class_="r")


def row(*cells: object, **attributes: object) -> Markup:
    """A row; cells that are no `td` yet become one."""
    return tag(
        "tr", *(c if isinstance(c, Markup) and c.startswith("<td") else tag("td", c) for c in cells), **attributes
    )
