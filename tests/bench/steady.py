"""Steady state: a compiled call in a traced process.

Its time, in turn with and without the tracer's counter and hook in its way; and how many Python calls it takes in a
traced process and in a plain one, which would show whatever else is in its way. `python tests/bench/steady.py [ROUNDS]`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from measure import HEADER, UNCACHED, Figure, compared, show, spend

HERE = Path(__file__).parent
PROGRAM = HERE / "programs" / "steady.py"


def measure(processes: int = 5) -> list[Figure]:
    """Microseconds of a call of a small compiled graph, and its Python calls."""
    traced, plain, calls = [], [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(processes):
            recording, result = Path(folder, f"{number}"), Path(folder, f"{number}.txt")
            recording.mkdir()
            _run([BOOT, Job(str(PROGRAM), None, (str(result),), str(HERE)).message(recording)])
            calls, ours, reference = map(float, result.read_text(encoding="utf-8").split())
            traced.append(ours)
            plain.append(reference)
        result = Path(folder, "plain.txt")
        _run([str(PROGRAM), str(result)])
        plain_calls = float(result.read_text(encoding="utf-8"))
    return [
        compared("steady state of a compiled call", traced, plain, budget=1.01, unit="us"),
        Figure("  Python calls of it", calls, plain_calls, "", calls / plain_calls),
    ]


def _run(words: list[str]) -> None:
    spend([sys.executable, *words], cwd=HERE, env=UNCACHED)


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
