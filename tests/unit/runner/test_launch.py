from __future__ import annotations

import json
import os
import signal
import threading
import time
from dataclasses import replace

import pytest
from compilescope.runner import launch
from compilescope.runner.job import Job
from compilescope.runner.launch import shell_exit_code, signal_name
from compilescope.runner.problem import Problem
from processes import gone


@pytest.mark.parametrize(
    ("text", "status", "exit_code"),
    [
        ("print('hello')", "finished", 0),
        ("raise SystemExit(3)", "finished", 3),
        ("import os; os._exit(4)", "finished", 4),
        ("1 / 0", "finished", 1),
        ("import no_such_module_at_all", "finished", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed", -signal.SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed", -signal.SIGKILL),
        ("import os; os.chdir('/')", "finished", 0),
        ("import os; os.close(1); os.close(2)", "finished", 0),
    ],
)
def test_the_end_is_told_and_written(launched, text, status, exit_code):
    run = launched(text)
    outcome = run.wait()
    assert (outcome.status, outcome.exit_code) == (status, exit_code)
    written = json.loads((run.recording / "run.json").read_text())
    assert (written["status"], written["exit_code"], written["wall_s"]) == (status, exit_code, outcome.wall_s)
    assert written["command"] == ["program.py"]
    assert written["pid"] > 0


def test_run_file_says_running_until_the_end(launched):
    run = launched("import sys; sys.stdin.read(); import time; time.sleep(0.3)")
    written = json.loads((run.recording / "run.json").read_text())
    assert (written["status"], written["exit_code"]) == ("running", None)
    os.kill(written["pid"], 0)
    run.wait()


def test_both_streams_arrive_in_order(launched):
    program = "import sys\nfor n in range(3): print(n, flush=True); print(-n, file=sys.stderr, flush=True)"
    launched(program).wait()
    assert b"".join(launched.output) == b"0\n0\n1\n-1\n2\n-2\n"


def test_hundred_megabytes_of_output(launched):
    size = 100_000_000
    launched(f"import sys\nfor _ in range(100): sys.stdout.write('x' * ({size} // 100))").wait()
    assert sum(map(len, launched.output)) == size


def test_arguments_that_look_like_options(launched):
    launched("import sys; print(sys.argv[1:])", "--depth", "-m", "", "ä b").wait()
    assert b"".join(launched.output).decode() == "['--depth', '-m', '', 'ä b']\n"


def test_timeout_interrupts_so_that_cleanup_runs(launched):
    program = "import time\ntry:\n  while True: time.sleep(0.01)\nfinally: print('cleaned up', flush=True)"
    outcome = launched(program).wait(timeout_s=0.5)
    assert outcome.status == "timed-out"
    assert outcome.wall_s < 3
    assert b"cleaned up" in b"".join(launched.output)


def test_cancel_from_another_thread(launched):
    run = launched("while True: pass")
    threading.Timer(0.3, run.cancel).start()
    outcome = run.wait()
    assert (outcome.status, outcome.exit_code) == ("cancelled", -signal.SIGINT)


def test_a_program_that_ignores_signals_is_killed(launched, monkeypatch):
    quick = [(number, 0.2) for number, _ in launch.ENDING]
    monkeypatch.setattr(launch, "ENDING", quick)
    run = launched(
        "import signal, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        "while True: time.sleep(1)"
    )
    outcome = run.wait(timeout_s=1)
    assert (outcome.status, outcome.exit_code) == ("timed-out", -signal.SIGKILL)


def test_asking_again_ends_it_sooner(launched):
    run = launched(
        "import signal, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\n"
        "while True: time.sleep(1)"
    )
    while not launched.output:
        time.sleep(0.01)
    begun = time.monotonic()
    for _ in launch.ENDING:
        run.cancel()
    outcome = run.wait()
    assert (outcome.status, outcome.exit_code) == ("cancelled", -signal.SIGKILL)
    assert time.monotonic() - begun < launch.ENDING[0][1]


def test_a_child_in_a_session_of_its_own_is_killed_with_its_parent(launched):
    run = launched(
        "import signal, subprocess, sys, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True).pid,"
        " flush=True)\n"
        "while True: time.sleep(1)"
    )
    while not launched.output:
        time.sleep(0.01)
    for _ in launch.ENDING:
        run.cancel()
    run.wait()
    assert gone(int(b"".join(launched.output)))


def test_what_the_program_leaves_behind_is_killed(launched):
    run = launched(
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid, flush=True)"
    )
    begun = time.monotonic()
    assert run.wait().status == "finished"
    assert gone(int(b"".join(launched.output)))
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"script": "missing.py"}, "no-script"),
        ({"script": "."}, "bad-script"),
        ({"cwd": "/no/such/folder"}, "no-cwd"),
        ({"script": None}, "no-script"),
    ],
)
def test_jobs_that_cannot_run(tmp_path, change, code):
    job = replace(Job("a.py", None, (), str(tmp_path)), **change)
    with pytest.raises(Problem) as caught:
        job.check()
    assert caught.value.code == code


def test_signals_by_name_and_as_the_shell_reports_them():
    assert signal_name(-signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(1) is None
    assert shell_exit_code(-signal.SIGKILL) == 137
    assert shell_exit_code(3) == 3
