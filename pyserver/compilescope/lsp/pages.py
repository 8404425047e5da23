"""Our own page about a rule, `docs/rules/<rule>.md` beside the server, in a checkout and in the extension alike."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from compilescope.lsp import paths

RULES = Path(__file__).resolve().parents[3] / "docs" / "rules"


@cache
def rule_page(rule: str) -> str | None:
    """The URI of the page about `rule`; null when it is not on this machine."""
    page = RULES / f"{rule}.md"
    return paths.to_uri(str(page)) if page.is_file() else None
