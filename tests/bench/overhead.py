"""Tracing overhead: a program that compiles, pairwise with a plain run of the same program.

By Python calls (free of noise), CPU time and peak memory. Graph caches are off on both sides, since a full trace turns
them off; compiled binaries are reused on both. `python tests/bench/overhead.py [PAIRS]`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from compilescope.analysis import analyse
from compilescope.recording.reader import Recording
from compilescope.runner.job import Job
from compilescope.runner.worker import BOOT
from measure import HEADER, UNCACHED, Figure, Spent, compared, show, spend

HERE = Path(__file__).parent
COUNTED = HERE / "counted.py"
PROGRAMS = HERE / "programs"


def measure(pairs: int = 5) -> list[Figure]:
    """The overhead of a transformer that trains and of a model that compiles in a second."""
    transformer = _program("4-layer transformer that trains", "transformer.py", pairs, calls=0.01, cpu=0.02)
    return [*transformer, *_program("compiles in a second", "one_second.py", pairs, calls=0.05, cpu=0.05)]


def _program(name: str, script: str, pairs: int, *, calls: float, cpu: float) -> list[Figure]:
    """Overhead of the whole process, its budgets by `calls` and by `cpu`, and what the tracer itself says it took."""
    path = PROGRAMS / script
    traced, plain, own = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        counted = _calls(Path(folder), path)  # the first: it also compiles the binaries
        for number in range(pairs):
            recording = _made(folder, f"{number}")
            plain.append(_spend([str(path)]))
            traced.append(_spend([BOOT, Job(str(path), None, (), str(HERE)).message(recording)]))
            with Recording.open(recording) as opened:
                own.append(analyse(opened).metrics["tracing_overhead"])
    seconds = [one.cpu for one in traced], [one.cpu for one in plain]
    memory = [one.peak_mb for one in traced], [one.peak_mb for one in plain]
    figures = [
        Figure(f"{name}: Python calls", *counted, "M", counted[0] / counted[1] - 1, calls),
        compared("  CPU time", *seconds, budget=cpu, excess=True),
        compared("  peak memory", *memory, budget=1.1, unit="MB"),
    ]
    if known := sorted(value for value in own if value is not None):
        middle = known[len(known) // 2]
        figures.append(Figure("  share measured inside the tracer", middle, None, "", middle))
    return figures


def _calls(folder: Path, script: Path) -> tuple[float, float]:
    """The noise-free measure: millions of Python calls that the program takes, traced and plain."""
    counts = {}
    for name in ("warm-up", "plain", "traced"):
        result = folder / f"{name}.txt"
        job = Job(str(COUNTED), None, (str(result), str(script)), str(HERE))
        _spend([BOOT, job.message(_made(folder, name))] if name == "traced" else [str(COUNTED), *job.args])
        counts[name] = int(result.read_text(encoding="utf-8")) / 1e6
    return counts["traced"], counts["plain"]


def _made(folder: str | Path, name: str) -> Path:
    recording = Path(folder, name)
    recording.mkdir()
    return recording


def _spend(words: list[str]) -> Spent:
    return spend([sys.executable, *words], cwd=HERE, env=UNCACHED)


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
