"""The log's format, which any tool that reads `TORCH_TRACE` must be able to read."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest
from compilescope.recording.write import LogWriter

HEAD = re.compile(r"V\d{4} \d\d:\d\d:\d\d\.\d{6} (\d+) (\S+):(\d+)\] (\{.*\})")


def test_record(tmp_path):
    writer = LogWriter(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    writer.append({"artifact": {"name": "x"}}, "one\ntwo", "a/b.py:3")
    writer.append({"str": ["é", 0]}, None, "a/b.py:4")
    (log,) = tmp_path.iterdir()
    assert re.fullmatch(rf"dedicated_log_torch_trace_{os.getpid()}_\w+\.log", log.name)
    first, *payload, second = log.read_text(encoding="utf-8").splitlines()
    pid, file, line, envelope = HEAD.fullmatch(first).groups()
    assert (int(pid), file, line, payload) == (os.getpid(), "a/b.py", "3", ["\tone", "\ttwo"])
    assert json.loads(envelope)["has_payload"] == hashlib.md5(b"one\ntwo").hexdigest()
    assert json.loads(HEAD.fullmatch(second)[4]) == {"str": ["é", 0]}


def test_rank_is_in_the_name(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "3")
    LogWriter(str(tmp_path)).append({}, None, "a:1")
    assert [log.name.startswith("dedicated_log_torch_trace_rank_3_") for log in tmp_path.iterdir()] == [True]


def test_fork_gets_a_log_of_its_own(tmp_path):
    writer = LogWriter(str(tmp_path))
    writer.append({"a": 1}, None, "a:1")
    child = writer.fork()
    child.append({"b": 2}, None, "a:2")
    assert len(list(tmp_path.iterdir())) == 2


def test_falls_silent(tmp_path):
    writer = LogWriter(str(tmp_path / "nowhere"))
    writer.append({"a": 1}, None, "a:1")
    (tmp_path / "nowhere").mkdir()
    writer.append({"a": 1}, None, "a:1")
    assert list((tmp_path / "nowhere").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="descriptors")
def test_survives_a_program_that_closes_its_descriptor(tmp_path):
    writer = LogWriter(str(tmp_path))
    writer.append({"a": 1}, None, "a:1")
    descriptor = writer._descriptor
    os.close(descriptor)
    other = os.open(tmp_path / "other.txt", os.O_CREAT | os.O_WRONLY)
    os.dup2(other, descriptor)
    writer.append({"b": 2}, None, "a:1")
    assert (tmp_path / "other.txt").read_bytes() == b""
    assert writer.path is not None
    assert len(Path(writer.path).read_text(encoding="utf-8").splitlines()) == 2
    os.close(other)
    os.close(descriptor)
