"""Steady state: a compiled call in a traced process, in turn with and without the tracer's hooks in its way.

`python tests/bench/steady.py [PROCESSES]`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from measure import HEADER, UNCACHED, Figure, compared, show, spend

HERE = Path(__file__).parent


def measure(processes: int = 5) -> list[Figure]:
    """Time of a call of a small compiled graph, near the least of many rounds."""
    traced, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(processes):
            recording, result = Path(folder, f"{number}"), Path(folder, f"{number}.txt")
            recording.mkdir()
            job = Job(str(HERE / "programs" / "steady.py"), None, (str(result),), str(HERE))
            spend([sys.executable, BOOT, job.message(recording)], cwd=HERE, env=UNCACHED)
            ours, reference = map(float, result.read_text(encoding="utf-8").split())
            traced.append(ours)
            plain.append(reference)
    return [compared("steady state of a compiled call", traced, plain, budget=1.01, unit="us")]


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
