"""A launcher that is killed in the moment in which it starts a worker."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import compilescope
import pytest
from processes import gone

LAUNCHER = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from compilescope.runner import launch, reaper, standby
    from compilescope.runner.job import Job
    from compilescope.runner.worker import Streams

    folder, moment, how = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    watch = reaper.Reaper.watch

    def killed(self, group):
        if moment == "after":
            watch(self, group)
        os.write(1, b"%d" % group)
        os.kill(os.getpid(), signal.SIGKILL)

    reaper.Reaper.watch = killed
    if how == "job":
        launch.start(Job("program.py", None, (), str(folder)), python=sys.executable, env=os.environ, recording=folder,
                     streams=Streams(output=print), reaper=reaper.Reaper())
    else:
        standby.Standby(reaper.Reaper()).prepare(sys.executable, os.environ, str(folder))
    """
)
STARTED = "import os, pathlib, time\npathlib.Path(os.environ['NOTE']).touch()\ntime.sleep(60)\n"


@pytest.mark.skipif(os.name != "posix", reason="only there the parent can be asked for")
@pytest.mark.parametrize("how", ["job", "standby"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_worker_ends_whether_or_not_it_was_watched_yet(tmp_path, moment, how):
    (tmp_path / "program.py").write_text(STARTED)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(STARTED)  # what a worker that waits imports first
    note = tmp_path / "started"
    path = os.pathsep.join([str(tmp_path), str(Path(compilescope.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, str(tmp_path), moment, how],
        env={"PYTHONPATH": path, "NOTE": str(note)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    assert gone(int(done.stdout))
    if moment == "before":
        assert not note.exists(), "it ended before it ran anything"


def test_a_wrapper_that_stays_between_is_no_reason_to_end(tmp_path, launched, monkeypatch):
    """An interpreter may be a script that starts Python and waits for it."""
    boot = Path(compilescope.__file__).parent / "tracer" / "boot.py"
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\n"{sys.executable}" "$@"\nexit $?\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr("compilescope.runner.launch.BOOT", str(boot))
    monkeypatch.setattr(sys, "executable", str(wrapper))
    outcome = launched("print('ran')").wait()
    assert (outcome.exit_code, b"".join(launched.output)) == (0, b"ran\n")
