"""Whether two groups of times differ, or only vary: the exact rank-sum test (Mann and Whitney 1947), both sides."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.05
"""A difference that times which only vary would show less often than this is called real."""
MOST = 40
"""Times of a group that are looked at."""


def p_value(before: Sequence[float], after: Sequence[float]) -> float:
    """Return how likely ranks as far apart as these are when both groups are alike; equal times count for neither."""
    first, second = before[:MOST], after[:MOST]
    if not first or not second:
        return 1.0
    wins = sum(one > other for one in second for other in first)
    losses = sum(one < other for one in second for other in first)
    pairs = len(first) * len(second)
    low = pairs - max(wins, losses)  # equal ones go to the smaller side: never a difference by a tie
    ways = sum(_ways(len(first), len(second), at) for at in range(low + 1))
    return min(1.0, 2 * ways / comb(len(first) + len(second), len(first)))


def can_tell(before: int, after: int, level: float = LEVEL) -> bool:
    """Return whether so many times could show any difference at `level` at all."""
    return min(before, after) > 0 and 2 / comb(before + after, before) <= level


@cache
def _ways(first: int, second: int, wins: int) -> int:
    """Return in how many orders of two groups the second is above the first `wins` times."""
    if wins < 0:
        return 0
    if first == 0 or second == 0:
        return int(wins == 0)
    return _ways(first - 1, second, wins - second) + _ways(first, second - 1, wins)
