"""A log that was rotated is one process's, its oldest part first, with the string table of all parts."""

from __future__ import annotations

import gzip

from compilescope.recording.reader import Recording

NAME = "dedicated_log_torch_trace_rank_0_a.log"
TABLE = 'V1130 10:00:00.000001 7 x.py:1] {"str": ["/job/train.py", 0]}\n'


def started(number):
    stack = '[{"line": 3, "name": "f", "filename": 0}]'
    ids = f'"frame_id": {number}, "frame_compile_id": 0, "attempt": 0'
    return f'V1130 10:00:0{number}.000001 7 x.py:1] {{"dynamo_start": {{"stack": {stack}}}, {ids}}}\n'


def test_a_log_that_is_rotated_while_it_is_open(tmp_path):
    log = tmp_path / NAME
    log.write_text(TABLE + started(0))
    with Recording.open(tmp_path) as recording:
        log.rename(tmp_path / f"{NAME}.1")
        log.write_text(started(1))
        recording.refresh()
        (tmp_path / f"{NAME}.2.gz").write_bytes(gzip.compress((tmp_path / f"{NAME}.1").read_bytes()))
        (tmp_path / f"{NAME}.1").write_text(started(1))
        log.write_text(started(2))
        recording.refresh()
        check(recording)
    with Recording.open(tmp_path) as recording:
        check(recording)
        assert [event.compile_id for event in recording.events("dynamo_start")] == ["0/0", "1/0", "2/0"]


def check(recording):
    events = list(recording.events("dynamo_start"))
    assert sorted(event.compile_id for event in events) == ["0/0", "1/0", "2/0"]
    assert len({event.process for event in events}) == 1
    assert list(recording.processes().values()) == [(7, 0)]
    assert {recording.stack(event)[0]["file"] for event in events} == {"/job/train.py"}
