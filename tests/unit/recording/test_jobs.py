"""Logs of several jobs in one folder, and several logs that are one recording."""

import gzip

import pytest
from compilescope.recording.files import log_paths
from compilescope.recording.jobs import jobs
from compilescope.recording.newest import job
from compilescope.recording.reader import Recording, RecordingError
from compilescope.report.jobs import job_words

from tests.unit.recording.made import artifact, record


def log(folder, name, first, last, **common):
    """Write a log whose records begin at a time of a day, `1129 13:17:29`, and end at another."""
    data = [
        record("dynamo_start", {"stack": []}, **common).replace(b"1129 13:17:29", at.encode()) for at in (first, last)
    ]
    path = folder / f"dedicated_log_torch_trace_{name}.log"
    path.write_bytes(b"".join(data))
    return path


def told(folder):
    return [
        ([path.name.removeprefix("dedicated_log_torch_trace_").partition(".")[0] for path in one.logs], one.ranks)
        for one in jobs(log_paths(folder))
    ]


def test_processes_that_ran_at_the_same_time_are_one_job(tmp_path):
    log(tmp_path, "parent", "1129 10:00:00", "1129 10:10:00")
    log(tmp_path, "child", "1129 10:01:00", "1129 10:02:00")
    log(tmp_path, "later", "1129 10:10:01", "1129 10:10:02")
    assert told(tmp_path) == [(["parent", "child"], set()), (["later"], set())]


def test_a_rank_that_is_there_twice_is_of_another_job(tmp_path):
    for rank in (0, 1, 2):
        log(tmp_path, f"rank_{rank}_a", f"1129 10:0{rank}:00", "1129 10:03:00")
        log(tmp_path, f"rank_{rank}_b", f"1129 12:0{rank}:00", "1129 12:03:00")
    first, second = told(tmp_path)
    assert first == (["rank_0_a", "rank_1_a", "rank_2_a"], {0, 1, 2})
    assert second == (["rank_0_b", "rank_1_b", "rank_2_b"], {0, 1, 2})


def test_ranks_of_one_job_may_be_apart_and_may_be_told_by_the_events_alone(tmp_path):
    log(tmp_path, "rank_0", "1206 10:00:00", "1206 10:00:01")
    log(tmp_path, "x", "0718 10:00:00", "0718 10:00:01", rank=3)
    assert {rank for _, ranks in told(tmp_path) for rank in ranks} == {0, 3}
    assert len(told(tmp_path)) == 1


def test_rotations_and_packed_logs_are_of_the_job_of_their_log(tmp_path):
    path = log(tmp_path, "a", "1129 10:05:00", "1129 10:06:00")
    old = log(tmp_path, "old", "1129 10:00:00", "1129 10:01:00")
    path.with_name(path.name + ".1.gz").write_bytes(gzip.compress(old.read_bytes()))
    old.unlink()
    assert told(tmp_path) == [(["a", "a"], set())]


def test_the_newest_job_or_the_one_that_is_asked_for(tmp_path):
    first = log(tmp_path, "a", "1129 10:00:00", "1129 10:01:00")
    second = log(tmp_path, "b", "1129 11:00:00", "1129 11:01:00")
    chosen = job(tmp_path)
    assert chosen is not None
    assert (chosen[0], len(chosen[1])) == ([second], 2)
    assert "11-29 10:00:00 to 11-29 10:01:00, 1 log" in [job_words(one).rpartition(", ")[0] for one in chosen[1]]
    assert job(tmp_path, 1)[0] == [first]
    with pytest.raises(RecordingError, match="There are 2"):
        job(tmp_path, 3)
    (tmp_path / "run.json").write_text("{}")
    assert job(tmp_path) is None
    with pytest.raises(RecordingError, match="no logs of several jobs"):
        job(tmp_path / "dedicated_log_torch_trace_a.log", 1)


def test_several_logs_are_one_recording(tmp_path, monkeypatch):
    paths = []
    for number in (1, 0):
        (tmp_path / f"node{number}").mkdir()
        path = tmp_path / f"node{number}" / f"dedicated_log_torch_trace_rank_{number}.log"
        path.write_bytes(artifact("foo", {"x": number}))
        paths.append(path)
    (tmp_path / "node1/dedicated_log_torch_trace_rank_7.log").write_bytes(artifact("foo", {"x": 7}))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for small in (True, False):
        monkeypatch.setattr("compilescope.recording.index_file.SMALL", 1 << 30 if small else 0)
        with Recording.open(paths) as recording:
            assert recording.path == tmp_path
            assert [recording.json(event)["x"] for event in recording.events("foo")] == [0, 1]
            assert recording.ranks == [0, 1]
    assert not list(tmp_path.glob("*.sqlite"))
    with pytest.raises(RecordingError, match="does not exist"):
        Recording.open([*paths, tmp_path / "nothing.log"])
