"""Recordings: ours, foreign ones, growing, replaced, damaged and packed ones."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from pathlib import Path

import pytest
from compilescope.recording import index_file, pieces
from compilescope.recording.reader import Recording, RecordingError

from tests.unit.recording.made import artifact, in_compile, record

TRACES = Path(__file__).parents[4] / "shared/traces"
NAME = "dedicated_log_torch_trace_4711_ab12.log"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / NAME).write_bytes(
        record("str", ["/a/b.py", 3])
        + record("dynamo_start", {"stack": [{"line": 4, "name": "f", "filename": 3}]}, **in_compile())
        + artifact("foo", {"x": 1}, **in_compile(0, 0, 1))
        + artifact("foo", {"x": 2}, **in_compile(0, 10))
    )
    return tmp_path


def test_events_by_name_and_compile(folder):
    with Recording.open(folder) as recording:
        assert [event.name for event in recording.events()] == ["str", "dynamo_start", "foo", "foo"]
        assert [recording.json(event) for event in recording.events("foo")] == [{"x": 1}, {"x": 2}]
        assert [event.compile_id for event in recording.events(compile_id="0/0")] == ["0/0", "0/0_1"]
        assert [event.compile_id for event in recording.events("foo", compile_id="0/10")] == ["0/10"]
        first = next(recording.events("foo"))
        assert (first.base_id, first.has_payload, first.fields["encoding"]) == ("0/0", True, "json")
        start = next(recording.events("dynamo_start"))
        assert not start.has_payload
        assert recording.stack(start) == [{"file": "/a/b.py", "line": 4, "function": "f"}]
        assert recording.info is None
        assert recording.counts() == {"str": 1, "dynamo_start": 1, "foo": 2}


def test_refresh_reads_only_what_is_new(folder, monkeypatch):
    with Recording.open(folder) as recording:
        offsets = []
        read = pieces.Readers.read

        def watched(self, stream, path, offset, size):
            offsets.append(offset)
            return read(self, stream, path, offset, size)

        monkeypatch.setattr(pieces.Readers, "read", watched)
        size = (folder / NAME).stat().st_size
        assert recording.refresh() == 0
        with (folder / NAME).open("ab") as stream:
            stream.write(artifact("bar", {"y": 1})[:30])
        assert recording.refresh() == 0
        assert [place.problem for place in recording.damage]
        with (folder / NAME).open("ab") as stream:
            stream.write(artifact("bar", {"y": 1})[30:] + record("baz"))
        assert recording.refresh() == 2
        assert recording.damage == []
        assert set(offsets) == {size}
        assert [event.name for event in recording.events("bar", "baz")] == ["bar", "baz"]


def test_new_log_of_another_rank_is_found(folder):
    with Recording.open(folder) as recording:
        (folder / "dedicated_log_torch_trace_rank_3_5_x.log").write_bytes(record("a"))
        assert recording.refresh() == 1
        assert recording.ranks == [3]
        assert next(recording.events("a")).rank == 3


@pytest.mark.parametrize("small", [True, False])
def test_replaced_and_truncated_logs_are_read_again(folder, small, monkeypatch):
    monkeypatch.setattr(index_file, "SMALL", 1 << 30 if small else 0)
    log = folder / NAME
    with Recording.open(folder) as recording:
        log.write_bytes(record("other") + record("more", {"z": "z" * 2000}))
        recording.refresh()
        assert [event.name for event in recording.events()] == ["other", "more"]
        log.write_bytes(record("other"))
        recording.refresh()
        assert [event.name for event in recording.events()] == ["other"]


def test_index_file_is_reused_and_rebuilt(folder, monkeypatch):
    monkeypatch.setattr(index_file, "SMALL", 0)
    (folder / "run.json").write_text(json.dumps({"format": 1, "exit_code": 0}))
    with Recording.open(folder) as recording:
        assert recording.info == {"format": 1, "exit_code": 0}
    path = folder / "index.sqlite"
    with Recording.open(folder) as again:
        assert len(list(again.events())) == 4
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with Recording.open(folder) as rebuilt:
        assert len(list(rebuilt.events())) == 4
    path.write_bytes(b"this is no database" * 100)
    with Recording.open(folder) as from_broken:
        assert len(list(from_broken.events())) == 4
    with (folder / NAME).open("ab") as stream:
        stream.write(record("new"))
    with Recording.open(folder) as grown:
        assert len(list(grown.events())) == 5


def test_index_goes_elsewhere_when_the_folder_is_read_only(folder, tmp_path_factory, monkeypatch):
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(index_file, "SMALL", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(index_file.os, "access", lambda path, _: Path(path).is_relative_to(cache))
    with Recording.open(folder) as recording:
        assert len(list(recording.events())) == 4
    assert not list(folder.glob("*.sqlite"))


def test_small_logs_leave_no_files(folder):
    before = sorted(folder.iterdir())
    with Recording.open(folder / NAME) as recording:
        assert len(list(recording.events())) == 4
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("cut", [0, 10])
def test_packed_logs(folder, cut):
    packed = gzip.compress((folder / NAME).read_bytes())
    (folder / f"{NAME}.gz").write_bytes(packed[: len(packed) - cut])
    with Recording.open(folder / f"{NAME}.gz") as recording:
        names = [event.name for event in recording.events()]
        assert names[:2] == ["str", "dynamo_start"]
        assert bool(recording.damage) == bool(cut)
        if not cut:
            assert [recording.json(event) for event in recording.events("foo")] == [{"x": 1}, {"x": 2}]


def test_a_payload_that_is_no_json_is_told_when_read(folder):
    (folder / NAME).write_bytes(artifact("foo", '{"x": 1[') + artifact("foo", {"x": 2}))
    with Recording.open(folder) as recording:
        assert recording.damage == []
        assert [recording.json(event) for event in recording.events("foo")] == [None, {"x": 2}]
        assert [place.problem for place in recording.damage] == ["the payload is not JSON"]


def test_nothing_readable_is_a_clear_error(tmp_path):
    with pytest.raises(RecordingError, match="does not exist"):
        Recording.open(tmp_path / "nothing")
    with pytest.raises(RecordingError, match="holds no recording"):
        Recording.open(tmp_path)
    (tmp_path / "notes.txt").write_text("hello\n")
    with pytest.raises(RecordingError, match="no TORCH_TRACE log"):
        Recording.open(tmp_path / "notes.txt")
    run = tmp_path / "runs/20260101-000000"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    with pytest.raises(RecordingError, match="20260101-000000"):
        Recording.open(tmp_path / "runs")
    with Recording.open(run) as recording:
        assert list(recording.events()) == []


@pytest.mark.skipif(not TRACES.is_dir(), reason="the shared traces are not here")
def test_real_traces_open():
    for path in sorted(TRACES.iterdir()):
        with Recording.open(path) as recording:
            events = list(recording.events())
            assert events
            for event in events:
                assert event.envelope
                assert bool(recording.payload(event)) == event.has_payload


def test_a_log_that_ends_early_says_so(folder):
    log = folder / NAME
    whole = log.read_bytes()
    for cut in (3, len(artifact("foo", {"x": 2}, **in_compile(0, 10))) - 8):
        log.write_bytes(whole[:-cut])
        with Recording.open(log) as recording:
            assert [recording.json(event) for event in recording.events("foo")] == [{"x": 1}]
            assert [place.problem.partition(",")[0] for place in recording.damage] == [
                "the log ends in the middle of a record"
            ]


def test_a_packed_log_that_ends_early_says_so(folder):
    packed = folder / f"{NAME}.gz"
    packed.write_bytes(gzip.compress((folder / NAME).read_bytes())[:-4])
    with Recording.open(packed) as recording:
        assert len(list(recording.events("foo"))) == 2
        assert [place.problem for place in recording.damage] == ["the compressed data ends early"]


def test_names_of_files_that_are_lost_are_told_once_with_their_place(tmp_path):
    start = record("dynamo_start", {"stack": [{"line": 3, "name": "f", "filename": 4}]}, **in_compile())
    known = record("str", ["/a.py", 0])
    (tmp_path / NAME).write_bytes(known + start + start)
    with Recording.open(tmp_path) as recording:
        assert recording.damage == []
        stacks = [recording.stack(event) for event in recording.events("dynamo_start")]
        assert [one["file"] for stack in stacks for one in stack] == ["<unknown>"] * 2
        [place] = recording.damage
        assert len(known) < place.offset < len(known + start)
        assert "4" in place.problem
        with (tmp_path / NAME).open("ab") as stream:
            stream.write(record("str", ["/late.py", 4]))
        recording.refresh()
        stacks = [recording.stack(event) for event in recording.events("dynamo_start")]
        assert recording.damage == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names, and other rights")
def test_names_that_move_a_cursor_are_read_and_shown_with_escapes(tmp_path):
    (tmp_path / "a\x1b[31m\nb.log").write_bytes(artifact("foo", {"x": 1}))
    (tmp_path / "other.log").write_bytes(artifact("foo", {"x": 2})[:-3])
    with Recording.open(tmp_path) as recording:
        assert {log.name for log in recording.logs.values()} == {"a\\x1b[31m\\x0ab.log", "other.log"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_who_may_not_read_the_logs_may_not_read_their_index(folder, monkeypatch):
    monkeypatch.setattr(index_file, "SMALL", 0)
    log = folder / NAME
    for mode in (0o600, 0o640):
        log.chmod(mode)
        with Recording.open(folder) as recording:
            assert recording._index.path.stat().st_mode & 0o777 == mode
        recording._index.path.unlink()
