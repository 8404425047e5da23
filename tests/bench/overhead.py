"""Tracing overhead: CPU time of a small transformer that compiles and trains, with and without the tracer.

Graph caches are off on both sides, since a full trace turns them off; compiled binaries are reused on both.
`python tests/bench/overhead.py [PAIRS]`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compilescope.analysis import analyse
from compilescope.recording.reader import Recording
from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from measure import HEADER, ROOT, UNCACHED, Figure, Spent, compared, show, spend

COUNTED = Path(__file__).with_name("counted.py")
SCRIPT = ROOT / "examples" / "train_transformer.py"


def measure(pairs: int = 5) -> list[Figure]:
    """Overhead of the whole process by calls and by CPU time, and what the tracer itself says it took."""
    job = Job(str(SCRIPT), None, (), str(SCRIPT.parent))
    traced, plain, own = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        calls = _calls(Path(folder))  # the first: it also compiles the binaries
        for number in range(pairs):
            recording = _made(folder, f"{number}")
            plain.append(_spend([str(SCRIPT)]).cpu)
            traced.append(_spend([BOOT, job.message(recording)]).cpu)
            with Recording.open(recording) as opened:
                own.append(analyse(opened).metrics["tracing_overhead"])
    figures = [calls, compared("tracing overhead, full depth (CPU)", traced, plain, budget=0.02, excess=True)]
    if known := sorted(value for value in own if value is not None):
        middle = known[len(known) // 2]
        figures.append(Figure("  share measured inside the tracer", middle, None, "", middle))
    return figures


def _calls(folder: Path) -> Figure:
    """The noise-free measure: how many Python calls the program takes, those of the tracer's hooks included."""
    counts = []
    for name in ("warm-up", "plain", "traced"):
        result = folder / f"{name}.txt"
        job = Job(str(COUNTED), None, (str(result), str(SCRIPT)), str(SCRIPT.parent))
        message = job.message(_made(folder, name))
        _spend([BOOT, message] if name == "traced" else [str(COUNTED), *job.args])
        counts.append(int(result.read_text(encoding="utf-8")) / 1e6)
    _, plain, traced = counts
    return Figure("tracing overhead, full depth (Python calls)", traced, plain, "M", traced / plain - 1, 0.01)


def _made(folder: str | Path, name: str) -> Path:
    recording = Path(folder, name)
    recording.mkdir()
    return recording


def _spend(words: list[str]) -> Spent:
    return spend([sys.executable, *words], cwd=SCRIPT.parent, env=UNCACHED)


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
