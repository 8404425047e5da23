"""One file that holds a recording: written, shown, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compilescope.cli.main import main
from compilescope.recording.reader import Recording

LOG = (
    'V1129 13:17:29.123456 41 torch/_dynamo/convert_frame.py:1] {"dynamo_start": {"stack": []}, "frame_id": 0, '
    '"frame_compile_id": 0, "attempt": 0}\n'
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "dedicated_log_torch_trace_rank_3_x.log"
    file.write_text(LOG)
    return file


def shown(path: Path, out: Path) -> dict:
    assert main(["show", "--format", "json", "-o", str(out), str(path)]) == 0
    result = json.loads(out.read_text())
    del result["run"]["recording"]
    return result


def test_what_is_packed_is_shown_as_the_recording_is(log, tmp_path):
    pack = tmp_path / "to send.compilescope"
    assert main(["pack", "-o", str(pack), str(log)]) == 0
    before = shown(log, tmp_path / "before.json")
    log.unlink()
    assert shown(pack, tmp_path / "after.json") == before
    with Recording.open(pack) as recording:
        assert (recording.ranks, recording.counts()) == ([3], {"dynamo_start": 1})
        folder = Path(recording.logs[next(iter(recording.logs))].path)
    assert not folder.exists(), "what was unpacked goes"


def test_without_a_name_it_is_written_here(log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["pack", str(log)]) == 0
    assert (tmp_path / "dedicated_log_torch_trace_rank_3_x.compilescope").exists()


def test_what_can_not_be_written_or_read_is_said(log, tmp_path, capsys):
    assert main(["pack", "-o", str(tmp_path / "nowhere/x.compilescope"), str(log)]) == 2
    assert "can't be written" in capsys.readouterr().err
    assert main(["pack", str(tmp_path / "none.log")]) == 2
    broken = tmp_path / "broken.compilescope"
    broken.write_bytes(b"PK\x03\x04 no zip")
    assert main(["show", str(broken)]) == 2
    assert str(broken) in capsys.readouterr().err
