"""Numbers in words, as the report shows them."""

from __future__ import annotations

from compilescope.report.html.markup import EMPTY, Markup, tag

NOTHING = "–"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 graph`, `2 graphs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def seconds(value: float | None) -> str:
    """Milliseconds below one second, from there on seconds with two decimals; nothing for what is not recorded."""
    if value is None:
        return ""
    if value == 0:
        return "0 s"
    if value >= 1:
        return f"{value:,.2f} s"
    return f"{1000 * value:.{2 if value < 0.001 else 1 if value < 0.1 else 0}f} ms"  # noqa: PLR2004 - three figures


def plain(value: float | None, digits: int = 2) -> str:
    """A number without its unit."""
    return "" if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """A share as `94.9 %`."""
    return "" if value is None else f"{100 * value:.1f} %".replace("100.0", "100")


def number(*parts: object, class_: str = "r") -> Markup:
    """A table cell for numbers, to the right."""
    return tag("td", *parts, class_=class_)


def change(delta: int | None) -> Markup:
    """A signed change of a count: green when it shrank, amber when it grew."""
    if delta is None:
        return EMPTY
    if delta == 0:
        return tag("b", "±0")
    return tag("b", f"{delta:+,}".replace("-", "−"), class_="neg" if delta < 0 else "pos")
