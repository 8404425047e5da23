"""Numbers with their nouns, and sizes."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 break`, `2 breaks`; `many` where the plural has no plain s."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def size(count: int) -> str:
    """Bytes as people read them: `917 bytes`, `1,204 KiB`."""
    kilo = 1024
    return f"{count:,} bytes" if count < kilo else f"{count / kilo:,.0f} KiB"
