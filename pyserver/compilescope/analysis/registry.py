"""What torch's own registry says of each kind of break, for logs that do not say it themselves.

`data/registry.json` is the list that ships with torch 2.14 (torch/_dynamo/graph_break_registry.json), made by
`tools/break_registry.py`: it still has the kinds of older versions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from compilescope.analysis.data import load


def number(gb_type: str | None) -> str | None:
    """Return torch's number for a kind that has one by its name: `GB0170`."""
    return _numbers().get(gb_type or "")


def explanation(gb_id: str | None, gb_type: str | None) -> str:
    """Return torch's explanation of a kind; what stands for values of the moment is left open (`…`)."""
    return str(_kind(gb_id, gb_type).get("explanation", ""))


def hints(gb_id: str | None, gb_type: str | None) -> tuple[str, ...]:
    """Return torch's hints about a kind."""
    return tuple(_kind(gb_id, gb_type).get("hints", ()))


def _kind(gb_id: str | None, gb_type: str | None) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = load("registry")["kinds"]
    return kinds.get(gb_id or _numbers().get(gb_type or "", ""), {})


@cache
def _numbers() -> dict[str, str]:
    return {str(kind["type"]): number for number, kind in load("registry")["kinds"].items()}
