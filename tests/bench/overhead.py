"""Tracing overhead: CPU time of a small transformer that compiles and trains, with and without the tracer.

Graph caches are off on both sides, since a full trace turns them off; compiled binaries are reused on both.
`python tests/bench/overhead.py [PAIRS]`
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from compilescope.analysis import analyse
from compilescope.recording.reader import Recording
from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from measure import HEADER, ROOT, UNCACHED, Figure, compared, show, spend

SCRIPT = ROOT / "examples" / "train_transformer.py"


def measure(pairs: int = 5) -> list[Figure]:
    """Overhead of the whole process, and what the tracer itself says it took."""

    traced, plain, own = [], [], []
    job = Job(SCRIPT.name, None, (), str(SCRIPT.parent), "full")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-1, pairs):
            recording = Path(folder, str(number))
            recording.mkdir()
            off = spend([sys.executable, SCRIPT.name], cwd=SCRIPT.parent, env=UNCACHED)
            on = spend([sys.executable, BOOT, job.message(recording)], cwd=SCRIPT.parent, env=UNCACHED)
            if number < 0:  # the first pair compiles the binaries
                continue
            traced.append(on.cpu)
            plain.append(off.cpu)
            with Recording.open(recording) as opened:
                own.append(analyse(opened).metrics["tracing_overhead"])
    known = sorted(value for value in own if value is not None)
    figures = [compared("tracing overhead, full depth (CPU)", traced, plain, budget=0.02, excess=True)]
    if known:
        middle = known[len(known) // 2]
        figures.append(Figure("  share measured inside the tracer", middle, None, "", middle, None, json.dumps(known)))
    return figures


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
