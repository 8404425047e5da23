"""The lines of a log around a byte."""

from __future__ import annotations

import gzip

import pytest
from compilescope.recording.error import RecordingError
from compilescope.recording.reader import Recording
from compilescope.report import log_place as module
from compilescope.report.log_place import log_place

from tests.unit.recording.made import artifact, in_compile, record

BEFORE, AFTER = artifact("first", {"x": 1}, **in_compile()), artifact("second", {"x": 2}, **in_compile(1))
GARBAGE = b"this is no record\nat \xff all\x1b[31m\n"


def shown(path, offset, name=None):
    with Recording.open(path) as recording:
        found = log_place(recording, name or path.name, offset)
        return found, found.text.split("\n")


def test_a_damaged_place_is_marked_and_the_events_beside_it_are_linked(tmp_path):
    log = tmp_path / "a.log"
    log.write_bytes(BEFORE + GARBAGE + AFTER)
    found, lines = shown(log, len(BEFORE))
    assert lines[0] == f"# a.log, {log.stat().st_size} bytes"
    assert lines[1] == f"# byte {len(BEFORE)}: not the start of a record"
    assert lines[found.line : found.end_line + 1] == [
        f"> {len(BEFORE):>3}  this is no record",
        f"> {len(BEFORE) + 18:>3}  at \\xff all\N{REPLACEMENT CHARACTER}[31m",
    ]
    assert lines[found.line - 1].strip().startswith(str(BEFORE.index(b"\t")))
    assert lines[found.end_line + 1].startswith(f"  {len(BEFORE + GARBAGE):>3}  V1129")
    said = [(one.name, one.compile_id, lines[one.line][one.start : one.end]) for one in found.links if one.name]
    assert said == [("first", "0/0", "first 0/0"), ("second", "1/0", "second 1/0")]
    with Recording.open(log) as recording:
        assert [recording.event_at("a.log", one.offset).name for one in found.links if one.name] == ["first", "second"]


def test_other_damaged_places_are_linked(tmp_path):
    log = tmp_path / "a.log"
    log.write_bytes(BEFORE + b"one\n" + AFTER + b"two\n" + BEFORE + b"three\n" + AFTER)
    data = log.read_bytes()
    found, lines = shown(log, data.index(b"two"))
    places = [one.offset for one in found.links if not one.name]
    assert places == [data.index(b"one"), data.index(b"three")]
    assert lines[4] == (
        f"# 3 damaged places in this log; the one before: byte {places[0]}; the next one: byte {places[1]}"
    )
    assert [lines[one.line][one.start : one.end] for one in found.links if not one.name] == [
        f"byte {one}" for one in places
    ]


def test_what_can_not_be_read_is_passed_over_on_the_way_to_an_event(tmp_path):
    log = tmp_path / "a.log"
    broken = record("broken", {}).replace(b"}", b"")
    log.write_bytes(BEFORE + broken + b"no\n" + broken + AFTER)
    found, lines = shown(log, len(BEFORE + broken))
    assert [one.name for one in found.links if one.name] == ["first", "second"]
    log.write_bytes(b"no\n" + BEFORE)
    found, lines = shown(log, 0)
    assert lines[2] == "# event before: none that can be read"
    assert [one.name for one in found.links] == ["first"]


def test_long_lines_are_cut_and_what_is_far_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_BEFORE", 1000)
    monkeypatch.setattr(module, "_CHUNK", 700)
    long = artifact("long", "x" * 50_000)
    log = tmp_path / "a.log"
    log.write_bytes(BEFORE + long + b"no\n" + long + AFTER)
    found, lines = shown(log, len(BEFORE + long))
    assert max(map(len, lines)) < 500
    assert any(line.endswith("x … (50,001 bytes)") for line in lines)
    assert lines[found.line].endswith("  no")
    assert [one.name for one in found.links] == ["long", "long"]
    within, lines = shown(log, len(BEFORE) + 20_000)
    assert lines[within.line].startswith(f">  {len(BEFORE) + 20_000 - 200}  xxx")
    assert [one.name for one in within.links] == ["long", "long"]
    monkeypatch.setattr(module, "_FARTHEST", 1000)
    assert [one.name for one in shown(log, len(BEFORE) + 20_000)[0].links] == []
    assert any("longer than 64 MB" in line for line in shown(log, len(BEFORE) + 20_000)[1])


def test_a_packed_log_has_the_bytes_of_its_text(tmp_path):
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(BEFORE + GARBAGE + AFTER)[:-9])
    found, lines = shown(log, len(BEFORE))
    assert "unpacked: bytes are those of its text" in lines[0]
    assert lines[found.line].endswith("  this is no record")


def test_a_file_that_is_left_out_and_what_is_not_there(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_a.log").write_bytes(BEFORE)
    (tmp_path / "other.log").write_bytes(b"no log\n")
    found, lines = shown(tmp_path, 0, "other.log")
    assert "left out" in lines[1]
    assert lines[found.line] == "> 0  no log"
    for name in ("nothing.log", "../x.log", "/etc/passwd"):
        with pytest.raises(RecordingError, match="There is no log"):
            shown(tmp_path, 0, name)
    _, lines = shown(tmp_path, 1 << 60, "other.log")
    assert lines[1] == "# byte 7"
