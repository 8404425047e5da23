"""A worker that has imported torch already, and programs whose variables torch reads when it is imported."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.torch


def standby(boot, job, env=None):
    line = json.dumps({**job, "env": dict(os.environ)}) + "\n"
    command = [sys.executable, str(boot), "--standby"]
    whole = {**os.environ, **(env or {})}
    return subprocess.run(command, input=line, env=whole, capture_output=True, text=True, timeout=200, check=False)


@pytest.fixture
def job(runner):
    script = runner.write(
        "sets.py",
        """
        import os
        os.environ["TORCH_LOGS"] = "+aot"
        import torch, logging
        print(logging.getLogger("torch._functorch.aot_autograd").level)
        """,
    )
    recording = runner.folder / "recording"
    recording.mkdir()
    common = {"script": str(script), "argv0": "sets.py", "module": None, "args": [], "depth": "capture"}
    return {**common, "recording": str(recording), "cwd": str(runner.folder)}


def test_a_program_that_sets_one_gets_a_torch_that_has_read_it(boot, job):
    ended = standby(boot, job)
    assert (ended.returncode, ended.stdout) == (0, "10\n"), ended.stderr


def test_a_torch_that_could_not_be_imported_is_not_handed_on(boot, job):
    """Half of it would be loaded; the job starts a worker of its own then."""
    ended = standby(boot, job, {"TORCH_LOGS": "graph_brakes"})
    assert (ended.returncode, ended.stdout) == (0, "")
