"""Numbers with their nouns."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 break`, `2 breaks`; `many` where the plural has no plain s."""
    return f"{count} {one if count == 1 else many or one + 's'}"
