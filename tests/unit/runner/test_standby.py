from __future__ import annotations

import os
import sys

import pytest
from compilescope.runner.standby import Standby
from processes import gone


@pytest.fixture
def standby(reaper):
    standby = Standby(reaper)
    yield standby
    standby.close()


def test_the_waiting_worker_runs_the_job(standby, launched, tmp_path):
    assert standby.prepare(sys.executable, os.environ, str(tmp_path)).result(20)
    waiting = standby._waiting.worker.pid
    run = launched("import os, sys; print(os.getpid(), sys.argv[1:])", "a", standby=standby)
    assert run.wait().exit_code == 0
    assert b"".join(launched.output).decode() == f"{waiting} ['a']\n"


def test_a_worker_that_is_not_ready_yet_runs_the_job_too(standby, launched, tmp_path):
    standby.prepare(sys.executable, os.environ, str(tmp_path))
    waiting = standby._waiting.worker.pid
    launched("import os; print(os.getpid())", standby=standby).wait()
    assert int(b"".join(launched.output)) == waiting


def test_preparing_twice_keeps_the_worker(standby, tmp_path):
    standby.prepare(sys.executable, os.environ, str(tmp_path))
    first = standby._waiting.worker.pid
    standby.prepare(sys.executable, dict(os.environ), str(tmp_path))
    assert standby._waiting.worker.pid == first


def test_another_environment_means_a_cold_start(standby, launched, tmp_path):
    standby.prepare(sys.executable, {**os.environ, "TORCH_LOGS": "graph_breaks"}, str(tmp_path))
    waiting = standby._waiting.worker.pid
    launched("import os; print(os.getpid())", standby=standby).wait()
    assert int(b"".join(launched.output)) != waiting
    standby.prepare(sys.executable, os.environ, str(tmp_path))
    assert gone(waiting)


def test_a_dead_worker_means_a_cold_start(standby, launched, tmp_path):
    standby.prepare(sys.executable, os.environ, str(tmp_path)).result(20)
    waiting = standby._waiting.worker.pid
    os.kill(waiting, 9)
    assert gone(waiting)
    assert launched("print('cold')", standby=standby).wait().exit_code == 0
    assert b"".join(launched.output) == b"cold\n"


def test_relative_python_path_ties_a_worker_to_its_folder(standby, tmp_path):
    env = {**os.environ, "PYTHONPATH": "here"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    standby.prepare(sys.executable, env, str(elsewhere))
    first = standby._waiting.worker.pid
    standby.prepare(sys.executable, env, str(tmp_path))
    assert standby._waiting.worker.pid != first


def test_close_ends_the_worker(reaper, tmp_path):
    standby = Standby(reaper)
    standby.prepare(sys.executable, os.environ, str(tmp_path)).result(20)
    waiting = standby._waiting.worker.pid
    standby.close()
    assert gone(waiting)
