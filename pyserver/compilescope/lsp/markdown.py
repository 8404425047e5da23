"""Markdown for hovers: trusted links, icons and colours for VS Code, the same text without them for others.

A recording is data from anywhere. What comes out of it enters a card only through `code`, `block` or `escape`, none
of which can produce a link, an image or HTML.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

SEPARATOR = " &nbsp;·&nbsp; "
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


@dataclass(frozen=True)
class Style:
    """Writes what only a trusted card may have. `trusted`: the client is VS Code with our extension."""

    trusted: bool

    def icon(self, name: str) -> str:
        """An icon with the space after it."""
        return f"$({name}) " if self.trusted else ""

    def command(self, label: str, name: str, argument: dict[str, Any], icon: str = "", title: str = "") -> str:
        """A link that runs one of the extension's commands; nothing at all in other clients. `label` is Markdown."""
        if not self.trusted:
            return ""
        query = quote(json.dumps([argument], separators=(",", ":")), safe="")
        tip = f' "{title}"' if title else ""
        return f"[{self.icon(icon) if icon else ''}{label}](command:compilescope.{name}?{query}{tip})"

    def command_or_text(self, label: str, name: str, argument: dict[str, Any]) -> str:
        """As `command`, but other clients see the label."""
        return self.command(label, name, argument) or label

    def link(self, label: str, href: str | None, icon: str = "") -> str:
        """A web link; nothing when the address is unsafe."""
        safe = safe_href(href)
        return f"[{self.icon(icon) if icon else ''}{label}]({safe})" if safe else ""

    def dim(self, markdown: str) -> str:
        """Words of less weight."""
        if not self.trusted:
            return markdown
        return f'<span style="color:var(--vscode-descriptionForeground);">{markdown}</span>'

    def row(self, links: list[str]) -> str:
        """Actions side by side; empty when there is none."""
        separator = SEPARATOR if self.trusted else " · "
        return separator.join(link for link in links if link)
