"""However the client or the server ends, nothing of ours is left running."""

from __future__ import annotations

import gzip
import importlib.metadata
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import descendants, gone

from tests.unit.recording.made import artifact, record

from .conftest import COMMAND, ENTRY

REQUEST_CANCELLED = -32800
SLEEPER = (
    "import os, sys, time\nprint('up', flush=True)\nopen(sys.argv[1], 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
)


class Wire:
    """A client of few words."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, **message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict:
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server closed its output"
            if line.startswith(b"Content-Length"):
                length = int(line.split()[1])
        return json.loads(self.process.stdout.read(length))

    def answer(self, number: int) -> dict:
        while (message := self.receive()).get("id") != number or "method" in message:
            pass
        return message

    def initialize(self, pid: int | None = None, python: str = sys.executable) -> dict:
        params = {"processId": pid, "rootUri": None, "capabilities": {}, "initializationOptions": {"python": python}}
        self.send(id=1, method="initialize", params=params)
        self.send(method="initialized", params={})
        return self.answer(1)


def start(command=COMMAND, **options) -> Wire:
    return Wire(
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    )


@pytest.fixture
def wire():
    made = start()
    yield made
    made.process.kill()
    made.process.wait()


def running(wire: Wire, tmp_path: Path, how: str = "request") -> list[int]:
    """Start a run that never ends; the processes that belong to the server then."""
    script, note = tmp_path / "sleeper.py", tmp_path / "pid"
    script.write_text(SLEEPER)
    wire.initialize(os.getpid())
    trace = {"script": str(script), "args": [str(note)]}
    if how == "command":
        command = {"command": "compilescope.server.trace", "arguments": [trace]}
        wire.send(id=2, method="workspace/executeCommand", params=command)
    else:
        wire.send(id=2, method="compilescope/trace", params=trace)
    end = time.monotonic() + 30
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < end, "the run did not start"
        time.sleep(0.05)
    processes = descendants(wire.process.pid)
    assert int(note.read_text()) in processes
    assert len(processes) >= 2, "the run and what watches it"
    return processes


@pytest.mark.torch
@pytest.mark.parametrize("how", ["request", "command"])
def test_a_request_that_is_cancelled_ends_its_run(wire, tmp_path, how):
    watched = running(wire, tmp_path, how)
    (program,) = {int((tmp_path / "pid").read_text())} & set(watched)
    wire.send(method="$/cancelRequest", params={"id": 2})
    assert wire.answer(2)["error"]["code"] == REQUEST_CANCELLED
    assert gone(program, within_s=2)
    quick = tmp_path / "quick.py"
    quick.write_text("print('up')\n")
    end = time.monotonic() + 5
    for number in itertools.count(10):
        wire.send(id=number, method="compilescope/trace", params={"script": str(quick)})
        result = wire.answer(number)["result"]
        if result["status"] == "finished":
            break
        assert result["problem"]["code"] == "busy"
        assert time.monotonic() < end
    wire.send(id=3, method="compilescope/runs")
    runs = wire.answer(3)["result"]["runs"]
    assert {(Path(run["script"]).name, run["status"]) for run in runs} == {
        ("sleeper.py", "cancelled"),
        ("quick.py", "finished"),
    }


@pytest.mark.torch
@pytest.mark.parametrize("after_s", [0, 0.02, 0.1, 0.3])
def test_a_request_that_is_cancelled_at_once_leaves_nothing(wire, tmp_path, after_s):
    script = tmp_path / "sleeper.py"
    script.write_text("import time\ntime.sleep(600)\n")
    wire.initialize(os.getpid())
    wire.send(id=2, method="compilescope/trace", params={"script": str(script)})
    time.sleep(after_s)
    wire.send(method="$/cancelRequest", params={"id": 2})
    assert wire.answer(2)["error"]["code"] == REQUEST_CANCELLED
    end = time.monotonic() + 10
    quiet = 0
    while quiet < 10:  # half a second without the program
        commands = [Path(f"/proc/{pid}/cmdline") for pid in descendants(wire.process.pid)]
        quiet = 0 if any(_runs(one, script) for one in commands) else quiet + 1
        assert time.monotonic() < end
        time.sleep(0.05)
    wire.send(id=3, method="compilescope/cancel")
    assert wire.answer(3)["result"]["count"] == 0


def _runs(command: Path, script: Path) -> bool:
    try:
        return str(script).encode() in command.read_bytes()
    except OSError:
        return False


def test_shutdown_and_exit(wire):
    wire.initialize(os.getpid())
    wire.send(id=2, method="shutdown")
    assert wire.answer(2)["result"] is None
    wire.send(method="exit")
    assert wire.process.wait(timeout=3) == 0


def test_exit_without_shutdown_is_an_error(wire):
    wire.initialize(os.getpid())
    wire.send(method="exit")
    assert wire.process.wait(timeout=3) == 1


def test_closed_stdin_ends_the_server(wire):
    wire.initialize(os.getpid())
    wire.process.stdin.close()
    wire.process.wait(timeout=2)


def test_a_client_of_another_machine_is_not_watched(wire):
    gone_pid = subprocess.Popen(["true"])
    gone_pid.wait()
    wire.initialize(gone_pid.pid)
    time.sleep(1.2)
    assert wire.process.poll() is None


def test_the_server_ends_with_its_client_though_stdin_stays_open(wire):
    client = subprocess.Popen(["sleep", "600"])
    wire.initialize(client.pid)
    client.kill()
    client.wait()
    wire.process.wait(timeout=2)


@pytest.mark.torch
@pytest.mark.parametrize("how", ["kill", "stdin", "exit", "shutdown"])
def test_nothing_is_left_of_a_run(wire, tmp_path, how):
    processes = running(wire, tmp_path)
    if how == "kill":
        os.kill(wire.process.pid, signal.SIGKILL)
    elif how == "stdin":
        wire.process.stdin.close()
    elif how == "exit":
        wire.send(method="exit")
    else:
        wire.send(id=9, method="shutdown")
        wire.answer(9)
        wire.send(method="exit")
    wire.process.wait(timeout=3)
    assert gone(*processes)


@pytest.mark.parametrize("how", ["kill", "stdin"])
def test_the_search_ends_with_the_server_and_takes_along_what_it_unpacked(tmp_path, how):
    log = tmp_path / "dedicated_log_torch_trace_1.log.gz"
    log.write_bytes(gzip.compress(record("dynamo_start", {}) + artifact("notes", "a needle")))
    places = tmp_path / "unpacked"
    places.mkdir()
    wire = start(env={**os.environ, "TMPDIR": str(places)})
    try:
        wire.initialize(os.getpid())
        wire.send(id=2, method="compilescope/search", params={"recording": str(log), "text": "needle"})
        assert [hit["text"] for hit in wire.answer(2)["result"]["hits"]] == ["a needle"]
        processes = descendants(wire.process.pid)
        assert len(processes) == 1
        assert list(places.iterdir())
        os.kill(wire.process.pid, signal.SIGKILL) if how == "kill" else wire.process.stdin.close()
        wire.process.wait(timeout=3)
        assert gone(*processes)
        assert list(places.iterdir()) == []
    finally:
        wire.process.kill()
        wire.process.wait()


@pytest.mark.torch
def test_the_waiting_worker_ends_with_the_server(wire, tmp_path):
    script = tmp_path / "short.py"
    script.write_text("import torch\n")
    wire.initialize(os.getpid())
    wire.send(id=2, method="compilescope/trace", params={"script": str(script)})
    assert wire.answer(2)["result"]["status"] == "finished"
    end = time.monotonic() + 10
    while len(processes := descendants(wire.process.pid)) < 2:
        assert time.monotonic() < end, "no worker waits"
        time.sleep(0.05)
    os.kill(wire.process.pid, signal.SIGKILL)
    wire.process.wait()
    assert gone(*processes)


def test_a_poisoned_environment_does_not_stop_the_start(tmp_path):
    for name in ("attrs", "attr", "cattrs", "pygls", "lsprotocol", "typing_extensions", "asyncio", "json"):
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('the wrong {name}')\n")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('the wrong sitecustomize')\n")
    poisoned = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "json.py"), "PYTHONHOME": ""}
    wire = start(env={**os.environ, **poisoned}, cwd=tmp_path)
    try:
        assert wire.initialize(os.getpid())["result"]["serverInfo"]["name"] == "compilescope"
    finally:
        wire.process.kill()
        wire.process.wait()


def test_the_package_starts_in_an_interpreter_whose_own_packages_are_broken(tmp_path):
    """As the .vsix has it: `bundled/libs` beside `pyserver`, where the interpreter has an `attrs` of its own."""
    shutil.copytree(ENTRY.parents[2], tmp_path / "pyserver", ignore=shutil.ignore_patterns("__pycache__"))
    libraries = tmp_path / "bundled" / "libs"
    for name in ("pygls", "lsprotocol", "attrs", "cattrs", "typing_extensions", "parso"):
        for file in importlib.metadata.files(name) or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (libraries / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), libraries / file)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    (packages,) = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    for name in ("attr", "attrs", "cattrs", "pygls", "lsprotocol", "sitecustomize"):
        (packages / f"{name}.py").write_text(f"raise SystemExit('the wrong {name}')\n")
    entry = tmp_path / "pyserver" / ENTRY.relative_to(ENTRY.parents[2])
    wire = start([str(tmp_path / "venv" / "bin" / "python"), "-I", "-S", str(entry)])
    try:
        assert wire.initialize(os.getpid())["result"]["serverInfo"]["name"] == "compilescope"
    finally:
        wire.process.kill()
        wire.process.wait()


def test_the_command_starts_it_too():
    path = {"PYTHONPATH": str(ENTRY.parents[2])}
    for command in (["compilescope", "lsp"], ["compilescope.lsp", "--stdio"]):
        wire = start([sys.executable, "-m", *command], env={**os.environ, **path})
        assert wire.initialize(os.getpid())["result"]["serverInfo"]["name"] == "compilescope"
        wire.process.stdin.close()
        assert wire.process.wait(timeout=3) == 0


def test_what_is_printed_in_the_server_never_reaches_the_client(wire):
    """Only the protocol speaks on stdout: descriptor 1 itself points elsewhere."""
    wire.initialize(os.getpid())
    descriptors = Path(f"/proc/{wire.process.pid}/fd")
    assert (descriptors / "1").readlink() == (descriptors / "2").readlink()
    assert str((descriptors / "0").readlink()) == os.devnull
