"""Logs that are written while they are read, and files beside them: in the end it is what a fresh look reads."""

from __future__ import annotations

import errno
import lzma
import os
import random
import sys
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.recording import index_file
from compilescope.recording.jobs import jobs
from compilescope.recording.reader import DamagedPlace, Recording, RecordingError

from tests.unit.recording.made import HEAD, artifact, in_compile, record

REAL = Path(__file__).parents[2] / "fixtures/tlparse/shapes-torch-2.14.1.log.xz"
NAME = "dedicated_log_torch_trace_rank_{}_ab12.log"


def described(recording):
    """All that was read. A payload may end before or after its last line feed."""
    events = [(event.raw()[2:9], event.label, recording.payload(event)) for event in recording.events()]
    return events, recording.counts(), recording.damage


def fresh(folder):
    with Recording.open(folder) as recording:
        return described(recording)


@pytest.mark.parametrize("seed", range(4))
def test_a_real_log_in_pieces(tmp_path, seed):
    data, log = lzma.decompress(REAL.read_bytes()), tmp_path / "a.log"
    cuts = sorted(random.Random(seed).sample(range(100, len(data)), 5))
    log.write_bytes(data[: cuts[0]])
    with Recording.open(tmp_path) as recording:
        for start, end in zip(cuts, [*cuts[1:], len(data)], strict=True):
            described(recording)
            with log.open("ab") as stream:
                stream.write(data[start:end])
            recording.refresh()
        assert described(recording) == fresh(tmp_path)
        assert recording.damage == []


def test_a_log_that_is_written_anew_while_its_payloads_are_read(tmp_path):
    data, log = lzma.decompress(REAL.read_bytes()), tmp_path / "a.log"
    log.write_bytes(data)
    with Recording.open(tmp_path) as recording:
        wanted = analyse(recording)
        recording.refresh()
        log.write_bytes(data[:100_000])  # as `cp` does: cut, then written
        assert analyse(recording).run.damage
        log.write_bytes(data)
        recording.refresh()
        result = analyse(recording)
    assert result.run.damage == []
    assert result.findings == wanted.findings
    assert any(one.rule == "recompile" for one in result.findings)


def test_every_place_at_which_a_writer_can_be(tmp_path):
    data = (
        record("str", ["/a/b.py", 3])
        + artifact("empty", "", **in_compile())
        + artifact("ends_in_line_feeds", "a\n\n\tb\n\n", **in_compile())
        + f'{HEAD}{{"no_checksum": {{}}}}\n\tone\n\ttwo\n'.encode()
        + record("chromium_event", {}, '{\n"name": "x"}')
        + artifact("empty", "", **in_compile())
        + b"no record\n\tof no record\n"
        + record("last", {"x": 1})
    )
    log = tmp_path / NAME.format(0)
    log.write_bytes(data)
    wanted = fresh(tmp_path)
    assert len(wanted[0]) == 7
    for cut in range(len(HEAD), len(data)):
        log.write_bytes(data[:cut])
        with Recording.open(tmp_path) as recording:
            described(recording)
            log.write_bytes(data)
            recording.refresh()
            assert described(recording) == wanted, data[:cut][-60:]


def test_what_another_process_has_read_waits_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(index_file, "SMALL", 0)
    log = tmp_path / NAME.format(0)
    whole = artifact("foo", {"x": 1}) + artifact("foo", {"x": 2})
    log.write_bytes(whole[:-5])
    with Recording.open(tmp_path) as recording:
        assert len(recording.damage) == 1
        log.write_bytes(whole)
        assert fresh(tmp_path)[2] == []
        recording.refresh()
        assert recording.damage == []


@pytest.fixture
def unreadable(monkeypatch):
    """Logs that another user may not read: tests may run as root, who may."""
    names, opened = set(), Path.open

    def refusing(self, *args, **kwargs):
        if self.name in names:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refusing)
    return names


@pytest.mark.parametrize("small", [1 << 20, 0])
def test_a_rank_that_may_not_be_read_is_told(tmp_path, unreadable, monkeypatch, small):
    monkeypatch.setattr(index_file, "SMALL", small)
    for rank in (0, 1):
        (tmp_path / NAME.format(rank)).write_bytes(artifact("foo", {"x": rank}, rank=rank))
    unreadable.add(NAME.format(1))
    with Recording.open(tmp_path) as recording:
        told = [DamagedPlace(NAME.format(1), 0, "can't be opened: Permission denied")]
        assert (recording.ranks, recording.damage) == ([0], told)
        assert [one["file"] for one in analyse(recording).run.damage] == [NAME.format(1)]
        assert NAME.format(1) in {path.name for job in jobs(tmp_path.iterdir()) for path in job.logs}
        unreadable.clear()
        recording.refresh()
        assert (recording.ranks, recording.damage) == ([0, 1], [])


def test_where_no_rank_may_be_read_one_is_named(tmp_path, unreadable):
    for rank in (0, 1):
        (tmp_path / NAME.format(rank)).write_bytes(artifact("foo", {"x": rank}, rank=rank))
        unreadable.add(NAME.format(rank))
    with pytest.raises(RecordingError, match=r"rank_0_ab12\.log can't be read: Permission denied"):
        Recording.open(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_names_that_are_not_utf_8(tmp_path, monkeypatch):
    folder = os.fsencode(tmp_path) + b"/d\xe9"
    os.mkdir(folder)  # noqa: PTH102
    for number, name in enumerate((b"caf\xe9.log", b"caf\xe8.log")):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(artifact("foo", {"x": number}))
    for small in (1 << 20, 0):
        monkeypatch.setattr(index_file, "SMALL", small)
        with Recording.open(os.fsdecode(folder)) as recording:
            assert {log.name for log in recording.logs.values()} == {"caf\\xe8.log", "caf\\xe9.log"}
            assert sorted(recording.json(event)["x"] for event in recording.events()) == [0, 1]


def test_a_text_beside_logs_is_left_out_until_it_has_a_record(tmp_path):
    (tmp_path / NAME.format(0)).write_bytes(artifact("foo", {"x": 0}))
    text, empty = tmp_path / "train.log", tmp_path / "later.log"
    text.write_text("epoch 1\nloss 0.3\n" * 300)
    empty.touch()
    with Recording.open(tmp_path) as recording:
        left_out = [DamagedPlace("train.log", 0, "left out: no trace record in its first 64 KB")]
        assert recording.damage == left_out
        assert len(recording.logs) == 1
        empty.write_bytes(artifact("foo", {"x": 1}))
        recording.refresh()
        assert (len(recording.logs), recording.damage) == (2, left_out)
        text.write_bytes(artifact("foo", {"x": 2}))
        recording.refresh()
        assert (recording.counts(), recording.damage) == ({"foo": 3}, [])
