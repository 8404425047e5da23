"""From the command to the first finding, against `python script.py`.

`python tests/bench/first_finding.py [ROUNDS]`
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from compilescope.analysis import analyse
from compilescope.recording.reader import Recording
from compilescope.recording.tail import Tail
from compilescope.runner.job import Depth, Job
from compilescope.runner.launch import start
from compilescope.runner.reaper import Reaper
from compilescope.runner.standby import Standby
from compilescope.runner.worker import Streams
from measure import HEADER, ROOT, Figure, compared, show, spend

SCRIPT = ROOT / "examples" / "sampler.py"


def measure(rounds: int = 5) -> list[Figure]:
    """Cold and standby workers, both depths, and the whole command, each in turn with the plain script."""

    plain: list[float] = []
    depths: tuple[Depth, ...] = ("full", "capture")
    cold: dict[Depth, list[float]] = {depth: [] for depth in depths}
    warm: dict[Depth, list[float]] = {depth: [] for depth in depths}
    command = []
    with Reaper() as reaper:
        standby = Standby(reaper)
        for number in range(-1, rounds):
            found = spend([sys.executable, SCRIPT.name], cwd=SCRIPT.parent, env={}).wall
            whole = _command()
            for depth in depths:
                cold_s = _first_finding(depth, reaper, None)
                standby.prepare(sys.executable, os.environ, str(SCRIPT.parent)).result()
                warm_s = _first_finding(depth, reaper, standby)
                if number >= 0:
                    cold[depth].append(cold_s)
                    warm[depth].append(warm_s)
            if number >= 0:
                plain.append(found)
                command.append(whole)
        standby.close()
    return [
        compared("first finding, standby worker, full depth", warm["full"], plain, budget=0.8),
        compared("first finding, standby worker, capture", warm["capture"], plain, budget=0.3),
        compared("first finding, cold worker, full depth", cold["full"], plain, budget=None),
        compared("first finding, cold worker, capture", cold["capture"], plain, budget=None),
        compared("whole `compilescope trace`, full depth", command, plain, budget=None),
    ]


def _command() -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = ["trace", "--record", f"{folder}/recording", "-o", f"{folder}/report", SCRIPT.name]
        return spend([sys.executable, "-m", "compilescope", *words], cwd=SCRIPT.parent, env={}).wall


def _first_finding(depth: Depth, reaper: Reaper, standby: Standby | None) -> float:
    """Seconds from the start of the run until the analysis of the growing recording has a finding."""

    found = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        run = start(
            Job(SCRIPT.name, None, (), str(SCRIPT.parent), depth),
            python=sys.executable,
            env=os.environ,
            recording=Path(folder),
            streams=Streams(output=lambda _: None),
            reaper=reaper,
            standby=standby,
        )
        with Recording.open(folder) as recording:

            def look() -> None:
                recording.refresh()
                if not found.is_set() and analyse(recording).findings:
                    found.set()

            with Tail(Path(folder), look):
                waiting = threading.Thread(target=run.wait)
                waiting.start()
                if not found.wait(120):
                    raise RuntimeError("no finding within 120 s")
                taken = time.monotonic() - begun
                waiting.join()
    return taken


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
