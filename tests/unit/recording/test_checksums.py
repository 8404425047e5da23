"""Every payload is compared with its checksum, once, wherever that is done."""

from __future__ import annotations

import sqlite3
import subprocess

import pytest
from compilescope.recording import checksums, index, index_file
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact

NAME = "dedicated_log_torch_trace_4711_ab12.log"
DAMAGED = (3, 500, 1198)


def written(number):
    good = artifact("note", {"number": number, "text": "a" * 40})
    return good.replace(b"aaaa", b"bbbb", 1) if number in DAMAGED else good


@pytest.fixture
def log(tmp_path):
    file = tmp_path / NAME
    file.write_bytes(b"".join(map(written, range(1200))))
    return file


def expected(log):
    """The places of the damaged payloads, found by what was changed in them."""
    data, at, found = log.read_bytes(), -1, []
    while (at := data.find(b"bbbb", at + 1)) >= 0:
        found.append((NAME, data.rindex(b"\n", 0, at) + 1, "the payload does not match its checksum"))
    return found


@pytest.fixture
def processes(monkeypatch):
    """Those that compare, as they are started: from few bytes on, a few payloads at a time."""
    monkeypatch.setattr(index_file, "SMALL", 0)
    monkeypatch.setattr(index, "MANY", 0)
    started, start = [], checksums.Comparing

    def begin(*arguments):
        started.append(start(*arguments))
        return started[-1]

    monkeypatch.setattr(index, "Comparing", begin)
    return started


def told(log):
    with Recording.open(log.parent) as recording:
        recording.begin_to_compare()
        return [tuple(place) for place in recording.damage]


def test_all_payloads_of_a_small_log_are_compared_here(log, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    assert told(log) == expected(log)


def test_those_of_a_large_log_are_compared_by_another_process(log, processes, monkeypatch):
    monkeypatch.setattr(checksums, "compare", None)
    monkeypatch.setattr(index.Index, "_rest", lambda *_: ())
    assert told(log) == expected(log)
    assert len(processes) == 1
    assert processes[0]._process is None


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("ended", ["never started", "at once", "after some"])
def test_what_that_process_does_not_do_is_done_here(log, monkeypatch, ended):
    if ended == "never started":
        monkeypatch.setattr("sys.executable", str(log.parent / "missing"))
    elif ended == "at once":
        monkeypatch.setattr("compilescope.recording.interpreter._START", "raise SystemExit(3)")
    else:
        whole = checksums.Comparing.__iter__

        def some(self):
            yield next(whole(self))._replace(until=600, mismatches=[(1, place[1]) for place in expected(log)[:2]])

        monkeypatch.setattr(checksums.Comparing, "__iter__", some)
    assert told(log) == expected(log)


def test_nothing_is_compared_twice(log, processes, monkeypatch):
    assert told(log) == expected(log)
    monkeypatch.setattr(checksums, "_is_whole", None)
    assert told(log) == expected(log)
    assert len(processes) == 2  # the second has nothing to do


@pytest.mark.usefixtures("processes")
def test_two_that_compare_tell_once(log):
    with Recording.open(log.parent) as one, Recording.open(log.parent) as other:
        one.begin_to_compare()
        other.begin_to_compare()
        assert [tuple(place) for place in one.damage] == [tuple(place) for place in other.damage] == expected(log)


@pytest.mark.usefixtures("processes")
def test_what_comes_later_is_compared(log):
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    with Recording.open(log.parent) as recording:
        assert [place.problem for place in recording.damage].count(checksums.MISMATCH) == 2
        log.write_bytes(whole)
        recording.refresh()
        assert [tuple(place) for place in recording.damage] == expected(log)


@pytest.mark.usefixtures("processes")
def test_a_log_that_was_replaced_is_compared_again(log):
    assert told(log) == expected(log)
    log.write_bytes(artifact("other", {"number": 0}) + written(3) + artifact("other", {"number": 1}))
    assert told(log) == expected(log)


@pytest.mark.usefixtures("processes")
def test_an_index_that_breaks_meanwhile_keeps_what_it_has(log):
    with Recording.open(log.parent) as recording:
        recording.begin_to_compare()
        assert recording.damage
        with sqlite3.connect(recording._index.path) as other:
            other.execute("DROP TABLE compared")
        assert [tuple(place) for place in recording.damage] == expected(log)


@pytest.mark.usefixtures("processes")
def test_what_is_compared_again_is_told_once(log):
    with Recording.open(log.parent) as recording:
        assert [tuple(place) for place in recording.damage] == expected(log)
        with sqlite3.connect(recording._index.path) as other:
            other.execute("UPDATE compared SET until = 100")
        recording.begin_to_compare()
        assert [tuple(place) for place in recording.damage] == expected(log)


def test_more_to_read_ends_a_comparison(log, processes):
    with Recording.open(log.parent) as recording:
        recording.begin_to_compare()
        with log.open("ab") as stream:
            stream.write(artifact("more", {"number": 1}))
        recording.refresh()
        assert processes[0]._process is None
        assert [tuple(place) for place in recording.damage] == expected(log)
