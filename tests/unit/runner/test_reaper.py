from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import compilescope
from processes import gone

from .conftest import PLAIN_BOOT

PARENT = textwrap.dedent(
    """
    import os, sys
    from pathlib import Path
    from compilescope.runner import launch, standby
    from compilescope.runner.job import Job
    from compilescope.runner.reaper import Reaper
    from compilescope.runner.worker import Streams

    launch.BOOT = standby.BOOT = sys.argv[1]
    reaper = Reaper()
    folder = Path(sys.argv[2])
    waiting = standby.Standby(reaper)
    assert waiting.prepare(sys.executable, os.environ, str(folder)).result()
    run = launch.start(Job("program.py", None, (), str(folder)), python=sys.executable, env=os.environ,
                       recording=folder, streams=Streams(output=lambda piece: os.write(1, piece)), reaper=reaper)
    print(reaper._helper.pid, waiting._waiting.worker.pid, flush=True)
    run.wait()
    """
)


def test_nothing_survives_when_we_are_killed(tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, signal, subprocess, sys, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=subprocess.DEVNULL)\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True,\n"
        "                         stdout=subprocess.DEVNULL)\n"
        "print(os.getpid(), child.pid, other.pid, flush=True)\n"
        "while True: time.sleep(1)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, PLAIN_BOOT, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(Path(compilescope.__file__).parents[1])},
        text=True,
    )
    pids = [int(word) for _ in range(2) for word in parent.stdout.readline().split()]
    assert len(pids) == 5
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert [pid for pid in pids if not gone(pid)] == []
