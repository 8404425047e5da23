"""Markdown in which a text from anywhere stays text.

A recording is data from anywhere. What comes out of it enters Markdown only through `code`, `block`, `escape` or
`prose`, none of which can produce a link, an image or HTML.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_SPECIAL = re.compile(
    r"[\\`\[\]<>|&@]"  # code, links, HTML, cells, entities, addresses
    r"|\$(?=\()|~(?=~)|:(?=//)|(?<=www)\."  # icons, struck text, links that need no brackets
    r"|\*(?=\S)|(?<=\S)\*|(?<!\w)_|_(?!\w)",  # emphasis
    re.IGNORECASE,
)
_SPAN = re.compile(r"(`[^`\n]+`)")


def escape(text: str) -> str:
    """`text` as prose that shows its characters as they are, in one line."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """`text` in a code span of its own, in one line, whatever backticks it has."""
    flat = " ".join(text.split())
    if not flat:
        return ""
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def prose(text: str) -> str:
    """`text` escaped, with its own code spans kept as code spans."""
    parts = _SPAN.split(text)
    return "".join(code(part[1:-1]) if index % 2 else escape_keeping_ends(part) for index, part in enumerate(parts))


def escape_keeping_ends(text: str) -> str:
    """`escape`, but a space at either end stays: the pieces are put together again."""
    flat = escape(text)
    if not flat:
        return " " if text else ""
    return (" " if text[0].isspace() else "") + flat + (" " if text[-1].isspace() else "")


def cell(markdown: str) -> str:
    """`markdown` as the content of a table cell: a pipe inside a code span would end the cell."""
    return re.sub(r"(?<!\\)\|", r"\\|", markdown)


def block(text: str, language: str = "python") -> str:
    """`text` as a fenced block that it can't leave."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", text) or [""]))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def safe_href(href: str | None) -> str | None:
    """`href` if it is a plain web address that can stand inside a Markdown link, else null."""
    if href is None or re.search(r"[\s()<>\[\]\"'`\\]", href):
        return None
    return href if urlsplit(href).scheme in {"https", "http"} else None
