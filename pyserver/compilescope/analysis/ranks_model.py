"""What is said of the ranks of one job: where they differ, and which of them was the slowest."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RankGroup:
    """Ranks that agree. `value`: what they agree on, or the first part of it that is not as in the first group."""

    ranks: list[int]
    value: str


@dataclass(frozen=True)
class RankDifference:
    """Something that is not the same on all ranks.

    `kind`: `compile-ids`, `cache`, `collectives`, `execution-order`, `tensor-metadata` of the whole run (no
    `compile_id`), or `missing`, `status`, `graph`, `guards`, `cache` of one compile, whose id is without a rank.
    """

    kind: str
    compile_id: str | None
    what: str
    groups: list[RankGroup]


@dataclass(frozen=True)
class SlowestRank:
    """The slowest and the fastest rank of one compile. `what`: `compile`, or `estimate` of how long its graphs run."""

    what: str
    compile_id: str
    rank: int
    seconds: float
    fastest: int
    fastest_s: float


@dataclass
class Ranks:
    """The ranks of a job beside each other."""

    ranks: list[int]
    differences: list[RankDifference] = field(default_factory=list)
    slowest: list[SlowestRank] = field(default_factory=list)
