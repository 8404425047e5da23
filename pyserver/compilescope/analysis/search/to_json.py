"""Hits as JSON: docs/search.md has the keys."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis.search.shown import units

if TYPE_CHECKING:
    from compilescope.analysis.search.model import Ended, Hit


def hit(found: Hit) -> dict[str, Any]:
    """Return a hit without what it has not; the match is a `range` in UTF-16 code units, like all ranges of ours."""
    values = {key: value for key, value in asdict(found).items() if value is not None}
    del values["start"], values["end"]
    return {**values, "range": list(utf16(found))}


def ended(found: Ended) -> dict[str, Any]:
    """Return how a search ended, with nulls."""
    return {"end": asdict(found)}


def utf16(found: Hit) -> tuple[int, int]:
    """Return the match in UTF-16 code units."""
    return units(found.text[: found.start]), units(found.text[: found.end])
