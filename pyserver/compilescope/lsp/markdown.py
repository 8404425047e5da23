"""Markdown for hovers: trusted links, icons and colours for VS Code, the same text without them for others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from compilescope.report.marked import block, cell, code, escape, prose, safe_href

__all__ = ["SEPARATOR", "Style", "block", "cell", "code", "escape", "prose", "safe_href"]

SEPARATOR = " &nbsp;·&nbsp; "


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
