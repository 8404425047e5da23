"""Addresses of jobs, as their folder changes."""

import pytest
from compilescope.recording.address import addressed, current, place, source
from compilescope.recording.error import RecordingError
from compilescope.recording.jobs import began

from tests.unit.recording.test_jobs import log


def rank(folder, number, job, at, until=None):
    return log(folder, f"rank_{number}_{job}", f"1129 {at}:00", f"1129 {until or at}:01")


def test_a_folder_with_one_job_has_no_addresses(tmp_path):
    first = rank(tmp_path, 0, "a", "10:00")
    rank(tmp_path, 1, "a", "10:01")
    assert addressed(tmp_path) == []
    assert current(tmp_path) == source(tmp_path) == place(tmp_path) == tmp_path
    assert current(tmp_path / first.name) == tmp_path / first.name
    assert f"{began([tmp_path / 'none', first]):%m-%d %H:%M}" == "11-29 10:00"
    assert began([]) is None


def test_a_job_is_known_by_the_log_that_it_began_with(tmp_path):
    logs = [rank(tmp_path, number, "a", f"10:0{number}") for number in (0, 1)]
    later = rank(tmp_path, 0, "b", "12:00")
    first, second = (one.address for one in addressed(tmp_path))
    assert [place(one) for one in (first, second)] == [tmp_path, tmp_path]
    assert current(tmp_path) == first
    assert (source(first), source(second)) == (logs, [later])
    also = rank(tmp_path, 1, "b", "12:01")
    assert current(second) == second
    assert source(second) == [later, also]
    assert f"{began(source(second)):%m-%d %H:%M}" == "11-29 12:00"
    assert current(tmp_path.parent / f"{tmp_path.name}#job={also.name}") == second
    packed = later.with_name(later.name + ".gz")
    later.rename(packed)
    assert source(second) == [packed, also]
    for one in logs:
        one.unlink()
    assert current(second) == tmp_path
    with pytest.raises(RecordingError, match="no job in"):
        source(first)
    assert current(first) == first


def test_processes_without_a_rank_may_turn_out_to_be_of_one_job(tmp_path):
    log(tmp_path, "parent", "1129 10:00:00", "1129 10:01:00")
    log(tmp_path, "child", "1129 10:02:00", "1129 10:03:00")
    log(tmp_path, "later", "1129 12:00:00", "1129 12:01:00")
    parent, child, later = (one.address for one in addressed(tmp_path))
    log(tmp_path, "parent", "1129 10:00:00", "1129 10:04:00")
    assert [current(one) for one in (parent, child, later)] == [parent, parent, later]


def test_runs_of_our_own_are_no_jobs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        rank(tmp_path / name, 0, name, "10:00")
        (tmp_path / name / "run.json").write_text('{"format": 1, "command": ["x.py"], "status": "finished"}')
    assert addressed(tmp_path) == addressed(tmp_path / "a") == []
    assert current(tmp_path) == tmp_path
