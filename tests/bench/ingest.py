"""Large logs beside `tlparse`: open to findings, peak memory, opening again, and hovers while the server reads one.

`python tests/bench/ingest.py [ROUNDS [FOLDER]]`; the logs are real ones, one after another until there is enough: those
in FOLDER, else `tests/fixtures/tlparse`. `tlparse` is the one beside this interpreter, else the one on the path.
"""

from __future__ import annotations

import lzma
import shutil
import sys
import tempfile
from pathlib import Path

import server
from measure import HEADER, ROOT, Figure, Spent, compared, show, spend

FIXTURES = ROOT / "tests" / "fixtures" / "tlparse"
SIZES_MB = (100, 300)
WALL, MEMORY, AGAIN = 0.2, 0.5, 0.02
"""Parts of what `tlparse -p` takes: wall time and peak memory to the findings, wall time of an unchanged log."""
HUGE_MB, MOST_MB = 1000, 300
"""A log of this size is opened within this much memory."""


def measure(rounds: int = 3, logs: str | None = None) -> list[Figure]:
    """Ours and `tlparse` in turn on the same log, each time as if it were new; then one huge log, then the server."""
    tlparse = shutil.which("tlparse", path=str(Path(sys.executable).parent)) or shutil.which("tlparse")
    if tlparse is None:
        raise FileNotFoundError("tlparse is in the dev extra")
    parts = _parts(Path(logs) if logs else FIXTURES)
    figures = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for megabytes in SIZES_MB:
            log = _made(folder, parts, megabytes)
            figures += _beside(log, tlparse, rounds)
        figures += _answers(folder, log)
        figures.append(_huge(_made(folder, parts, HUGE_MB)))
    return figures


def _parts(folder: Path) -> list[bytes]:
    """The logs in a folder, each with a line feed at its end."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix in {".log", ".txt", ".xz"}:
            data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
            found.append(data.rstrip(b"\n") + b"\n")
    return found


def _made(folder: Path, parts: list[bytes], megabytes: int) -> Path:
    """Write a log of this size in place of the one before."""
    log = folder / "log" / "dedicated_log_torch_trace_x.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as stream:
        while stream.tell() < megabytes << 20:
            for part in parts:
                stream.write(part)
    return log


def _beside(log: Path, tlparse: str, rounds: int) -> list[Figure]:
    ours: list[Spent] = []
    again: list[Spent] = []
    plain: list[Spent] = []
    with_source: list[Spent] = []
    for _ in range(rounds):
        with_source.append(_tlparse(log, [tlparse, "-p"]))
        ours.append(_ours(log))
        again.append(_ours(log, is_new=False))
        plain.append(_tlparse(log, [tlparse]))
    size = f"{log.stat().st_size >> 20} MB"

    def wall(name: str, took: list[Spent], reference: list[Spent], budget: float | None) -> Figure:
        return compared(name, [one.wall for one in took], [one.wall for one in reference], budget=budget)

    peaks = [[one.peak_mb for one in took] for took in (ours, with_source, plain)]
    return [
        wall(f"{size} to findings, beside tlparse -p", ours, with_source, WALL),
        compared(
            f"{size} to findings, beside tlparse -p, CPU",
            [one.cpu for one in ours],
            [one.cpu for one in with_source],
            budget=None,
        ),
        compared(f"{size} peak memory, beside tlparse -p", peaks[0], peaks[1], budget=MEMORY, unit="MB"),
        wall(f"{size} again, beside tlparse -p", again, with_source, AGAIN),
        wall(f"{size} to findings, beside tlparse", ours, plain, None),
        compared(f"{size} peak memory, beside tlparse", peaks[0], peaks[2], budget=None, unit="MB"),
    ]


def _ours(log: Path, *, is_new: bool = True) -> Spent:
    cache = log.parent.with_name("cache")
    if is_new:
        shutil.rmtree(cache, ignore_errors=True)
        for index in log.parent.glob("*.sqlite"):
            index.unlink()
    command = [sys.executable, "-m", "compilescope", "show", "--format", "json", "-o", str(cache.with_name("out.json"))]
    return spend([*command, str(log)], cwd=log.parent.parent, env={"XDG_CACHE_HOME": str(cache)})


def _tlparse(log: Path, command: list[str]) -> Spent:
    out = log.parent.with_name("tlparse")
    shutil.rmtree(out, ignore_errors=True)
    spent = spend([*command, str(log), "-o", str(out), "--no-browser"], cwd=log.parent.parent, env={})
    shutil.rmtree(out, ignore_errors=True)
    return spent


def _answers(folder: Path, log: Path) -> list[Figure]:
    for index in log.parent.glob("*.sqlite"):
        index.unlink()
    _, busy, took = server.answers(folder, log)
    size = f"{log.stat().st_size >> 20} MB"
    return [server.p99(f"{name}, {size} are read ({took:.0f} s), p99", busy[name]) for name in busy if "hover" in name]


def _huge(log: Path) -> Figure:
    spent = _ours(log)
    name = f"{log.stat().st_size >> 20} MB peak memory ({spent.wall:.0f} s)"
    return Figure(name, spent.peak_mb, MOST_MB, "MB", spent.peak_mb / MOST_MB, 1.0)


if __name__ == "__main__":
    rounds_, *folder_ = sys.argv[1:] or ["3"]
    show(HEADER, *(figure.line() for figure in measure(int(rounds_), *folder_)))
