"""`compilescope watch`: real logs that grow, come, turn and go while it looks."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest

from .conftest import COMMAND, ENV

PATH = "dedicated_log_torch_trace_rank_{}_{}.log"


def record(compile_id, event, pid=4711, /, **fields):
    frame, _, number = compile_id.partition("/")
    ids = {"frame_id": int(frame), "frame_compile_id": int(number), "attempt": 0}
    envelope = json.dumps({event: fields, **ids})
    return f"V1130 10:00:00.000001 {pid} torch/_dynamo/x.py:1] {envelope}\n"


def started(compile_id, pid=4711, name="forward"):
    text = f'V1130 10:00:00.000000 {pid} torch/_dynamo/x.py:1] {{"str": ["/job/train.py", 0]}}\n'
    return text + record(compile_id, "dynamo_start", pid, stack=[{"line": 3, "name": name, "filename": 0}])


def compiled(compile_id, pid=4711, *, name="forward"):
    metrics = {"compile_id": compile_id, "co_name": name, "co_filename": "/job/train.py", "co_firstlineno": 3}
    return started(compile_id, pid, name) + record(compile_id, "compilation_metrics", pid, **metrics)


class Watching:
    """The command on a folder; `until` waits for a text in what it has printed so far."""

    def __init__(self, folder, *words):
        self.text = ""
        self.process = subprocess.Popen(
            [*COMMAND, "watch", *words, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=ENV,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.text += line

    def until(self, *wanted, timeout=20):
        end = time.monotonic() + timeout
        while not all(each in self.text for each in wanted):
            assert time.monotonic() < end, self.text
            time.sleep(0.05)

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        code = self.process.wait(20)
        time.sleep(0.1)
        return code


@pytest.fixture
def watching():
    made = []

    def start(*words):
        made.append(Watching(*words))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()


def test_a_job_that_comes_grows_and_goes(tmp_path, watching):
    folder = tmp_path / "later" / "trace"
    seen = watching(folder)
    seen.until("it does not exist. Waiting for it.")
    folder.mkdir(parents=True)
    first = folder / PATH.format(0, "a")
    first.write_text(compiled("0/0") + started("1/0")[:-20])
    seen.until("compiled forward [", "0/0]", "1 rank")
    with first.open("a") as log:  # the rest of a record that was half written
        log.write(started("1/0")[-20:])
    seen.until("1 compile, 1 running")
    (folder / PATH.format(1, "b")).write_text(compiled("0/0", 4712))
    seen.until("2 ranks")
    (folder / PATH.format(0, "c")).write_text(compiled("5/0", name="later").replace("10:00", "11:00"))
    seen.until(f"{folder}, the job that began with {PATH.format(0, 'c')}", "compiled later [")
    assert seen.text.count("compiled forward [") == 2
    shutil.rmtree(folder)
    seen.until("What it held is shown as it was.")
    folder.mkdir()
    first.write_text(compiled("0/0") + compiled("7/0", name="again"))
    seen.until(f"{folder} is there again.", "compiled again [")
    assert seen.end() == 0
    assert "To see all of it: compilescope show" in seen.text


def test_a_writer_that_is_killed_is_told(tmp_path, watching):
    log = tmp_path / PATH.format(0, "a")
    with log.open("w") as stream:
        job = subprocess.Popen(["sleep", "600"], stdout=stream)
        stream.write(compiled("0/0", job.pid) + started("1/0", job.pid))
    seen = watching(tmp_path)
    seen.until("1 running")
    time.sleep(1.2)
    job.kill()
    job.wait()
    seen.until(f"process {job.pid} (rank 0) has ended, while compiling")
    assert seen.end(signal.SIGTERM) == 128 + signal.SIGTERM


def test_a_process_that_only_has_the_number_of_a_writer_is_none(tmp_path, watching):
    job = subprocess.Popen(["sleep", "600"])
    (tmp_path / PATH.format(0, "a")).write_text(started("1/0", job.pid))
    seen = watching(tmp_path)
    seen.until("1 running")
    time.sleep(1.2)
    job.kill()
    job.wait()
    time.sleep(1.5)
    seen.end()
    assert "has ended" not in seen.text


def test_a_disk_that_is_full_is_told(tmp_path):
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system can't be mounted here")
    (tmp_path / "small").mkdir()
    (tmp_path / "whole.log").write_text(compiled("0/0") + compiled("1/0") * 1_000)
    within = f'mount -t tmpfs -o size=64k none small; cp whole.log small/{PATH.format(0, "a")}; "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", within, "sh", *COMMAND, "watch", "--once", "small"],
        cwd=tmp_path, env=ENV, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "is full: logs end in the middle." in done.stdout
    assert "compiled forward [" in done.stdout


def test_once_and_for(tmp_path, run):
    missing = run("watch", "--once", "nowhere")
    assert missing.returncode == 2
    assert "it does not exist" in missing.stderr
    assert "nothing was recorded" in run("watch", "--for", "0.5", ".").stdout
    (tmp_path / PATH.format(3, "a")).write_text(compiled("0/0"))
    once = run("watch", "--once", ".")
    assert once.returncode == 0
    assert "1 rank · 1 compile" in once.stdout
    assert "\x1b" not in once.stdout


def test_once_refuses_what_show_refuses(tmp_path, run):
    for name, content in (("empty.log", b""), ("binary.log", bytes(range(256)) * 400)):
        (tmp_path / name).write_bytes(content)
        once, shown = run("watch", "--once", name), run("show", str(tmp_path / name))
        assert (once.returncode, shown.returncode) == (2, 2)
        assert once.stderr == shown.stderr
        assert once.stdout == ""
    assert run("watch", "--once", ".").returncode == 2


def test_a_name_that_is_not_utf_8_is_shown(tmp_path, run):
    (tmp_path / os.fsdecode(b"caf\xe9.log")).write_text(compiled("0/0"))
    for words in (("watch", "--once"), ("watch", "--for", "0.5"), ("show",), ("show", "--format", "json")):
        for path in (".", os.fsdecode(b"caf\xe9.log")):
            done = run(*words, path)
            assert (done.returncode, done.stderr) == (0, ""), (words, path)
            assert "forward" in done.stdout


def test_a_terminal_is_redrawn_in_place(tmp_path):
    (tmp_path / PATH.format(0, "a")).write_text(compiled("0/0"))
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 40, 0, 0))
    env = {key: value for key, value in ENV.items() if key not in {"COLUMNS", "LINES"}} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [*COMMAND, "watch", "."],
        cwd=tmp_path, stdin=theirs, stdout=theirs, env=env, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )  # fmt: skip
    os.close(theirs)
    text, asked = b"", False
    try:
        while chunk := os.read(own, 65536):
            text += chunk
            if not asked and text.count(b"last event") > 1:
                asked = bool(os.write(own, b"q"))
    except OSError:  # the other end was closed
        pass
    assert process.wait(20) == 0
    assert b"To see all of it: compilescope show" in text
    assert b"q or Ctrl+C ends this." in text
    rows = text.partition(b"To see all")[0].decode().split("\x1b[K")
    assert max(len(re.sub(r"\x1b\[[?\d;]*[A-Za-z]|[\r\n]", "", row)) for row in rows[:-1]) <= 40
    up = [int(number) for number in re.findall(rb"\x1b\[(\d+)A", text)]
    assert up  # so many rows up: the view is written over itself
    assert max(up) < 20
