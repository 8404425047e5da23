"""A regular expression that finds any of many texts at once: a tree of what they have in common."""

from __future__ import annotations

import json
import re
from itertools import groupby
from os.path import commonprefix
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST = 40


def any_of(texts: Iterable[str]) -> str | None:
    """Return the pattern of `texts`, of two that begin at one place the longer; None when there are none."""
    found = sorted({text for text in texts if text})
    return _pattern(found, 0, 0) if found else None


def spellings(text: str) -> set[str]:
    """Return a text as it stands in plain text, in a JSON string, and in a Python string's repr."""
    escaped, shown = json.dumps(text)[1:-1], repr(text)[1:-1]
    return {text, escaped, json.dumps(text, ensure_ascii=False)[1:-1], shown, json.dumps(shown)[1:-1]}


def _pattern(texts: list[str], start: int, depth: int) -> str:
    """The alternatives of what is left of sorted `texts` behind `start`."""
    if len(texts) == 1:
        return re.escape(texts[0][start:])
    if depth == _DEEPEST:
        return f"(?:{'|'.join(re.escape(text[start:]) for text in reversed(texts))})"
    end = len(commonprefix([texts[0], texts[-1]]))  # noqa: RUF071 - of characters is what is wanted
    shared = re.escape(texts[0][start:end])
    ends_here = len(texts[0]) == end
    groups = [list(group) for _, group in groupby(texts[ends_here:], key=lambda text: text[end])]
    branches = [_pattern(group, end, depth + 1) for group in groups]
    whole = branches[0] if len(branches) == 1 and not ends_here else f"(?:{'|'.join(branches)})"
    return shared + (f"{whole}?" if ends_here else whole)
