"""Sixteen ranks: opening their logs and finding where they differ, beside reading a log of one rank for each.

`python tests/bench/ranks.py [ROUNDS]`
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from measure import HEADER, ROOT, Figure, compared, show

sys.path.insert(0, str(ROOT))

from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

from tests.unit.analysis.ranks_made import SCHEDULE, Rank

RANKS = 16
COMPILES = 60
LINES = 400
BUDGET = 1.5
"""Sixteen ranks together may take this many times what they take one by one."""


def measure(rounds: int = 3) -> list[Figure]:
    """Logs of sixteen ranks, three of them odd, as one job and one after another."""
    with tempfile.TemporaryDirectory() as folder:
        together, alone = Path(folder, "job"), [Path(folder, f"alone{rank}") for rank in range(RANKS)]
        for rank, own in enumerate(alone):
            made = _made(rank)
            for place in (together, own):
                place.mkdir(exist_ok=True)
                made.write(place)
        size = sum(one.stat().st_size for one in together.iterdir()) / 1e6
        ours, reference = [], []
        for _ in range(rounds):
            ours.append(_seconds([together]))
            reference.append(_seconds(alone))
    name = f"ranks: {RANKS} of {COMPILES} compiles, {size:.0f} MB"
    return [compared(name, ours, reference, budget=BUDGET)]


def _made(rank: int) -> Rank:
    made = Rank(rank)
    for number in range(COMPILES + (rank == 7)):
        graph = "\n".join(
            f"  y{line} = torch.relu(y{line - 1})  # {rank == 3 and line == LINES // 2}" for line in range(LINES)
        )
        made.compiled(number, graph=graph, seconds=0.5 + rank / 100)
        made.guards("\n".join(f"GUARD {line} id {94_000_000 + rank}" for line in range(LINES // 4)), number)
        names = ["all_reduce", "broadcast"] if rank == 11 else ["broadcast", "all_reduce"]
        if number < COMPILES:
            made.artifact(SCHEDULE, names, number)
    return made


def _seconds(places: list[Path]) -> float:
    start = time.perf_counter()
    for place in places:
        with Recording.open(place) as recording:
            found = analyse(recording).ranks
        if len(places) == 1:
            assert found is not None
            kinds = {one.kind: [group.ranks for group in one.groups][1:] for one in found.differences}
            assert (kinds["compile-ids"], kinds["graph"], kinds["collectives"]) == ([[7]], [[3]], [[11]]), kinds
    return time.perf_counter() - start


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
