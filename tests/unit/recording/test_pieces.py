"""A large log that several processes read gives what one would read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from compilescope.recording import interpreter, pieces
from compilescope.recording.log import scan
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact, in_compile, record

MANY = 400


def large(count: int = MANY) -> bytes:
    """Records of all sizes, strings that come again, damage, and a record at the end that is not whole."""
    parts = []
    for number in range(count):
        parts += [
            record("str", [f"/a/{number % 7}.py", number % 5]),
            record("dynamo_start", {"stack": [{"line": number}]}, rank=2, **in_compile(number % 9, number // 9)),
            record("chromium_event", {}, f'{{"name": "span{number}"}}', **in_compile(number)),
            artifact("text", {"text": "line\n\n\tV1129 13:17:29.123456 1 a.py:1] {\n" * (number % 50)}),
        ]
        if number % 40 == 7:
            parts.append(b"not the start of a record\n\twith a line behind it\nV1129 13:17:29.123456 1 a.py:1] {\n")
    return b"".join(parts) + artifact("last", {"a": 1})[:-3]


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "dedicated_log_torch_trace_1.log"
    path.write_bytes(large())
    monkeypatch.setattr(pieces, "PIECE", path.stat().st_size // 23)
    monkeypatch.setattr(pieces, "LARGE", 0)
    return path


def read(path, offset=0):
    """Return what is read of a log in pieces, and in one."""
    size = path.stat().st_size
    with path.open("rb") as stream, pieces.Readers() as readers:
        readers.start(size - offset)
        found = list(readers.read(stream, path, offset, size))
        assert [one.position for one in found[:-1]] == [None] * (len(found) - 1)
        inside = [*(one for each in found for one in (*each.records, *each.damage)), found[-1].position]
        return inside, list(scan(stream, offset))


def by_place(found):
    return sorted(found[:-1], key=lambda one: one[0] if len(one) == 2 else one.envelope_offset), found[-1]


@pytest.mark.parametrize("processors", [1, 2, 3, 8])
def test_pieces_are_what_one_would_read(log, monkeypatch, processors):
    started = []
    start = subprocess.Popen

    def popen(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(pieces, "_processors", lambda: processors)
    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(pieces, "islice", None)  # no piece of a helper is read here
    in_pieces, at_once = read(log)
    assert by_place(in_pieces) == by_place(at_once)
    assert len(started) == min(processors - 1, pieces.HELPERS)
    assert all(one.returncode is not None for one in started)


def test_pieces_begin_where_the_last_read_ended(log, monkeypatch):
    monkeypatch.setattr(pieces, "_processors", lambda: 2)
    whole = log.read_bytes()
    at = whole.index(b"V1129", len(whole) // 3)
    in_pieces, at_once = read(log, whole.rindex(b"\nV1129", 0, at) + 1)
    assert by_place(in_pieces) == by_place(at_once)


@pytest.mark.parametrize("ended", ["no place", "never started", "at once", "in the middle"])
def test_a_helper_that_is_ended_costs_nothing_but_time(log, monkeypatch, ended):
    monkeypatch.setattr(pieces, "_processors", lambda: 3)
    if ended == "no place":
        monkeypatch.setattr(tempfile, "tempdir", str(log.parent / "missing"))
    elif ended == "never started":
        monkeypatch.setattr(sys, "executable", str(log.parent / "missing"))
    elif ended == "at once":
        monkeypatch.setattr(interpreter, "_START", "raise SystemExit(3)")
    else:
        take = pieces.Helper._next

        def next_(self):
            for stretch in take(self):
                if self._taken == 3:
                    self._process.kill()
                    self._process.wait()
                yield stretch

        monkeypatch.setattr(pieces.Helper, "_next", next_)
    in_pieces, at_once = read(log)
    assert by_place(in_pieces) == by_place(at_once)


def test_what_ends_the_reading_ends_the_helpers(log, monkeypatch):
    monkeypatch.setattr(pieces, "_processors", lambda: 3)
    monkeypatch.setattr("compilescope.recording.index_file.SMALL", 0)
    started = []
    start = subprocess.Popen

    def popen(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    def check():
        if started:
            raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(KeyboardInterrupt):
        Recording.open(log, check)
    assert started
    assert all(one.returncode is not None for one in started)


def test_several_logs_share_the_helpers(log, monkeypatch):
    monkeypatch.setattr(pieces, "_SMALLEST", 1)
    for rank in range(3):
        whole = log.read_bytes()
        at = whole.index(b"\nV1129", len(whole) // (rank + 2)) + 1
        (log.parent / f"dedicated_log_torch_trace_rank_{rank}_a.log").write_bytes(whole[:at])
    found = []
    for processors in (1, 3):
        monkeypatch.setattr(pieces, "_processors", lambda processors=processors: processors)
        with Recording.open(log.parent) as recording:
            rows = [event.raw() for event in recording.events()]
            names = {number: recording.strings(number) for number in recording.processes()}
            found.append((rows, names, recording.damage, recording.processes()))
    assert found[0] == found[1]
    assert len({row.log for row in found[0][0]}) == 4


def test_reading_can_begin_before_the_index_is_there(log, monkeypatch):
    monkeypatch.setattr(pieces, "_processors", lambda: 3)
    called = []
    with Recording.open(log) as recording:
        rows = [event.raw() for event in recording.events()]
    with pieces.Readers(lambda: called.append(1)) as readers:
        readers.begin(log)
        assert len(readers._helpers) == 2
        with log.open("ab") as stream:
            stream.write(b"]}\n" + artifact("more", {}))  # it grows meanwhile
        monkeypatch.setattr(pieces, "islice", None)  # no piece of a helper is read here
        with Recording.open(log, readers=readers) as recording:
            after = [event.raw() for event in recording.events()]
    assert called == [1]
    assert after[: len(rows)] == rows
    assert [row.name for row in after[len(rows) :]][-1:] == ["more"]


@pytest.mark.parametrize("indexed", [True, False])
def test_what_was_begun_for_nothing_costs_nothing_but_time(log, monkeypatch, indexed):
    monkeypatch.setattr(pieces, "_processors", lambda: 3)
    other = log.with_name("dedicated_log_torch_trace_2.log")
    other.write_bytes(artifact("other", {}) * 50)
    if indexed:
        monkeypatch.setattr("compilescope.recording.index_file.SMALL", 0)
        Recording.open(other).close()
    with pieces.Readers() as readers:
        readers.begin(log)
        with Recording.open(other, readers=readers) as recording:
            assert recording.counts() == {"other": 50}


def test_a_small_log_is_read_here(log, monkeypatch):
    monkeypatch.setattr(pieces, "_processors", lambda: 3)
    monkeypatch.setattr(pieces, "LARGE", log.stat().st_size + 1)
    monkeypatch.setattr(subprocess, "Popen", None)
    in_pieces, at_once = read(log)
    assert by_place(in_pieces) == by_place(at_once)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a process as POSIX does")
def test_a_helper_ends_with_its_parent(log):
    program = (
        "import sys, pathlib, time\n"
        "from compilescope.recording.pieces import Helper\n"
        "log = pathlib.Path(sys.argv[1])\n"
        "helper = Helper(log.parent / 'piece')\n"
        "print(helper._process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(log)], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _is_running(child):
        time.sleep(0.05)
    assert not _is_running(child)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True
