"""Logs that several processes wrote: after each other, at once, with numbers of processes that come again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact, in_compile, record

LOG = "dedicated_log_torch_trace_ab12.log"


def by(pid: int, data: bytes, minute: int = 17) -> bytes:
    """What another process would have written, or the same one at another time."""
    return re.sub(rb"^(V1129 13:)\d\d(:29.123456) \d+ ", rb"\g<1>%02d\2 %d " % (minute, pid), data, flags=re.MULTILINE)


def start(line: int, frame: int = 0, name: int = 0, rank: int | None = None) -> bytes:
    """The start of a compile, with the number of a file name."""
    stack = [{"line": line, "name": "f", "filename": name}]
    return record("dynamo_start", {"stack": stack}, **({} if rank is None else {"rank": rank}), **in_compile(frame))


def places(folder: Path) -> dict[tuple[int | None, int | None, int], list[str]]:
    """Where the compiles of each process start."""
    with Recording.open(folder) as recording:
        told = recording.processes()
        assert {event.process for event in recording.events()} <= told.keys()
        found: dict[tuple[int | None, int | None, int], list[str]] = {}
        numbers = sorted(told)
        for event in recording.events("dynamo_start"):
            [frame] = recording.stack(event)
            key = (*told[event.process], numbers.index(event.process))
            found.setdefault(key, []).append(f"{event.compile_id} {frame['file']}:{frame['line']}")
        return found


def problems(folder: Path) -> list[tuple[int, str]]:
    with Recording.open(folder) as recording:
        return [(place.offset, place.problem) for place in recording.damage]


ONE = record("str", ["/torch.py", 0]) + record("str", ["/one.py", 1]) + start(1, name=1) + start(2, 1, name=1)
TWO = record("str", ["/torch.py", 0]) + record("str", ["/two.py", 1]) + start(7, name=1) + start(8, 1, name=1)


def lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


@pytest.mark.parametrize("at_once", [True, False])
def test_each_process_has_its_own_compiles_and_file_names(tmp_path, at_once):
    pairs = zip(lines(by(10, ONE)), lines(by(11, TWO)), strict=True)
    (tmp_path / LOG).write_bytes(b"".join(one + two for one, two in pairs) if at_once else by(10, ONE) + by(11, TWO))
    assert places(tmp_path) == {
        (10, None, 0): ["0/0 /one.py:1", "1/0 /one.py:2"],
        (11, None, 1): ["0/0 /two.py:7", "1/0 /two.py:8"],
    }
    assert problems(tmp_path) == []


def test_logs_of_processes_with_the_same_number_one_after_the_other(tmp_path):
    """In containers all processes may have the same number: the file names tell them apart, the pause where."""
    before = record("chromium_event", {}, '{"name": "dynamo"}', **in_compile())
    (tmp_path / LOG).write_bytes(by(1, before + ONE) + by(1, before + TWO, minute=40))
    assert places(tmp_path) == {
        (1, None, 0): ["0/0 /one.py:1", "1/0 /one.py:2"],
        (1, None, 1): ["0/0 /two.py:7", "1/0 /two.py:8"],
    }
    with Recording.open(tmp_path) as recording:
        processes = [event.process for event in recording.events("chromium_event")]
    assert len(set(processes)) == 2
    assert problems(tmp_path) == []


def test_processes_with_the_same_number_at_once_are_left_out(tmp_path):
    more = [record("str", [f"/{name}.py", 2]) for name in ("three", "four")]
    one, two = (lines(by(1, log + name + start(9, 2, 2))) for log, name in zip((ONE, TWO), more, strict=True))
    pairs = zip(one, two, strict=True)
    first = by(1, artifact("foo", {}))
    (tmp_path / LOG).write_bytes(first + b"".join(one + two for one, two in pairs))
    assert places(tmp_path) == {}
    [(offset, problem)] = problems(tmp_path)
    assert offset > len(first)
    assert "left out" in problem
    with Recording.open(tmp_path) as recording:
        assert [event.name for event in recording.events("foo")] == ["foo"]


def test_processes_with_the_same_number_at_once_are_told_apart_by_their_ranks(tmp_path):
    names = record("str", ["/torch.py", 0]) + record("str", ["/same.py", 1])
    own = [[start(10 * rank + line, line, 1, rank) for line in (1, 2)] for rank in (0, 1)]
    both = b"".join(one + two for one, two in zip(*own, strict=True))
    (tmp_path / LOG).write_bytes(by(1, names + names + both))
    assert places(tmp_path) == {
        (1, 0, 0): ["1/0 /same.py:1", "2/0 /same.py:2"],
        (1, 1, 1): ["1/0 /same.py:11", "2/0 /same.py:12"],
    }
    assert any("without a rank" in problem for _, problem in problems(tmp_path))


def test_a_forked_process_knows_the_file_names_of_its_parent(tmp_path):
    child = record("str", ["/child.py", 2]) + start(5, 2, 1) + start(6, 3, 2)
    parent = record("str", ["/later.py", 2]) + start(9, 2, 2)
    pairs = zip(lines(by(11, child)), [*lines(by(10, parent)), b""], strict=True)
    (tmp_path / LOG).write_bytes(by(10, ONE) + b"".join(one + two for one, two in pairs))
    assert places(tmp_path) == {
        (10, None, 0): ["0/0 /one.py:1", "1/0 /one.py:2", "2/0 /later.py:9"],
        (11, None, 1): ["2/0 /one.py:5", "3/0 /child.py:6"],
    }


def test_a_second_job_whose_file_names_are_lost_has_none_of_the_first(tmp_path):
    (tmp_path / LOG).write_bytes(by(10, ONE) + by(11, start(7, name=1) + start(8, 1, name=1)))
    assert places(tmp_path)[11, None, 1] == ["0/0 <unknown>:7", "1/0 <unknown>:8"]


def test_threads_of_older_torch_are_of_one_process(tmp_path):
    thread = 140144363024384
    (tmp_path / LOG).write_bytes(by(thread, ONE) + by(thread + 4096, start(9, 2, 1)))
    assert list(places(tmp_path).values()) == [["0/0 /one.py:1", "1/0 /one.py:2", "2/0 /one.py:9"]]


def test_a_damaged_process_number_makes_no_process(tmp_path):
    data = by(10, ONE)
    wrong = by(18, artifact("foo", {}))
    (tmp_path / LOG).write_bytes(data + wrong + by(10, start(9, 2, 1)))
    assert list(places(tmp_path)) == [(10, None, 0)]
    [(offset, problem)] = problems(tmp_path)
    assert len(data) < offset < len(data + wrong)
    assert "18" in problem
    with Recording.open(tmp_path) as recording:
        assert list(recording.events("foo")) == []


def test_a_number_that_stands_for_two_file_names_is_not_believed(tmp_path):
    twice = record("str", ["/a.py", 1]) + record("str", ["/b.py", 2]) + record("str", ["/c.py", 1])
    (tmp_path / LOG).write_bytes(record("str", ["/t.py", 0]) + twice + start(1, 0, 1) + start(2, 1, 2))
    assert list(places(tmp_path).values()) == [["0/0 <unknown>:1", "1/0 /b.py:2"]]


def test_a_log_without_an_end_of_line_before_another(tmp_path):
    """`cat` of logs whose last line was cut at its end: the next record stands within a payload."""
    one = by(10, ONE + artifact("foo", {"x": 1})).rstrip(b"\n")
    (tmp_path / LOG).write_bytes(one + by(11, TWO))
    assert list(places(tmp_path)) == [(10, None, 0), (11, None, 1)]
    assert places(tmp_path)[11, None, 1] == ["0/0 /two.py:7", "1/0 /two.py:8"]
    assert problems(tmp_path) == []
    with Recording.open(tmp_path) as recording:
        assert [recording.json(event) for event in recording.events("foo")] == [{"x": 1}]
        ids = [event.id for event in recording.events()]
        assert [event.pid for event in recording.events()] == [10] * 5 + [11] * 4
        assert ids == sorted(set(ids))


def test_a_payload_with_another_process_s_lines_is_left_out(tmp_path):
    long = by(10, artifact("foo", "first\nsecond\nthird"))
    head, first, rest = long[: long.index(b"\tfirst")], b"\tfirst\n", b"\tsecond\n\tthird\n"
    other = by(11, artifact("bar", "own\nlines"))
    (tmp_path / LOG).write_bytes(by(10, ONE) + by(11, TWO) + head + first + other + rest + by(10, start(9, 2, 1)))
    with Recording.open(tmp_path) as recording:
        assert [recording.payload(event) for event in recording.events("foo", "bar")] == ["", "own\nlines"]
        [place] = recording.damage
    assert place.offset == len(by(10, ONE) + by(11, TWO) + head)
    assert "mixed" in place.problem


def test_a_record_within_a_line_of_another_is_found(tmp_path):
    long = by(10, artifact("foo", "first\nsecond\nthird"))
    at = long.index(b"cond")
    other = by(11, artifact("bar", "own"))
    data = by(10, ONE) + by(11, TWO) + long[:at] + other + long[at:] + by(10, start(9, 2, 1))
    (tmp_path / LOG).write_bytes(data)
    with Recording.open(tmp_path) as recording:
        assert [recording.payload(event) for event in recording.events("foo", "bar")] == ["", "own"]
        assert {place.problem.partition(" ")[0] for place in recording.damage} == {"lines", "not"}


def test_what_comes_later_is_told_apart_too(tmp_path):
    path = tmp_path / LOG
    path.write_bytes(by(10, ONE))
    with Recording.open(tmp_path) as recording:
        [number] = recording.processes()
        with path.open("ab") as stream:
            stream.write(by(11, TWO) + by(10, start(9, 2, 1)))
        recording.refresh()
        assert [pid for pid, _ in recording.processes().values()] == [10, 11]
        assert [event.process == number for event in recording.events("dynamo_start")] == [
            True,
            True,
            False,
            False,
            True,
        ]


def test_logs_put_behind_each_other_again_are_not_mixed(tmp_path):
    """Time goes back where a log comes again: a payload that is damaged there has nothing of another process."""
    text = by(10, artifact("foo", "first\nsecond\nthird"), minute=20)
    later = by(10, start(9, 2, 1), minute=20)
    logs = by(10, ONE) + text + later + by(11, TWO, minute=30) + by(11, start(9, 2, 1), minute=40)
    (tmp_path / LOG).write_bytes(logs + logs.replace(b"second", b"zecond"))
    with Recording.open(tmp_path) as recording:
        payloads = [recording.payload(event) for event in recording.events("foo")]
        assert payloads == ["first\nsecond\nthird", "first\nzecond\nthird"]
        assert [place.problem for place in recording.damage] == ["the payload does not match its checksum"]


@pytest.mark.parametrize("extra", [b"", by(12, start(5, 3, 1)) * 2])
def test_turns_are_the_same_when_the_log_grew(tmp_path, extra):
    path = tmp_path / LOG
    last = by(10, artifact("foo", "first\nsecond"))
    path.write_bytes(by(10, ONE) + by(11, TWO) + extra + last[: last.index(b"\tsecond")])
    with Recording.open(tmp_path) as recording:
        path.write_bytes(by(10, ONE) + by(11, TWO) + extra + last)
        recording.refresh()
        grown = recording._index.turns().turns([1])
    with Recording.open(tmp_path) as recording:
        assert recording._index.turns().turns([1]) == grown
    assert [(turn.pid, turn.records) for turn in grown if turn.pid != 12] == [(10, 4), (11, 4), (10, 1)]
