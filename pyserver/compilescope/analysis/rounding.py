"""Numbers of a program as they are shown: long fractions at four digits. Results keep them whole."""

from __future__ import annotations

import re

# A number inside of a name, a version or a text is none.
_LONG = re.compile(r"(?<![\w.'\"])\d+\.\d{5,}(?:e[-+]?\d+)?(?![\w.'\"])")


def rounded(text: str) -> str:
    """Return `text` with its long fractions at four digits: `sigma == 0.3333`, `1.235e-05`."""
    return _LONG.sub(lambda match: _short(match[0]), text)


def rounded_pair(old: str, new: str) -> tuple[str, str]:
    """Return two values rounded; whole where they would look the same."""
    short = rounded(old), rounded(new)
    return (old, new) if short[0] == short[1] else short


def _short(number: str) -> str:
    value = float(number)
    short = f"{value:.4g}"
    return short if "e" in number or "e" not in short else f"{value:.0f}"
