"""A folder with several recordings stands for the newest of them."""

from __future__ import annotations

import json

import pytest
from compilescope.recording.error import RecordingError
from compilescope.recording.newest import choose

from tests.unit.recording.made import artifact

LOG = "dedicated_log_torch_trace_4711_ab12.log"


def made(folder, started):
    folder.mkdir(parents=True)
    (folder / LOG).write_bytes(artifact("foo", {}))
    run = {"format": 1, "command": ["a.py"], "status": "finished", "started": started}
    (folder / "run.json").write_text(json.dumps(run))
    return folder


@pytest.fixture
def several(tmp_path):
    made(tmp_path / ".compilescope/b", "2026-11-29T13:00:00+00:00")
    newest = made(tmp_path / ".compilescope/a", "2026-11-29T13:30:00+00:00")
    made(tmp_path / "deeper/.compilescope/c", "2026-11-29T14:00:00+01:00")
    return newest


def test_the_newest_is_chosen(several, tmp_path):
    assert choose(tmp_path) == (several, 3)
    assert choose(tmp_path / ".compilescope") == (several, 2)


def test_other_logs_and_other_run_files_do_not_matter(several, tmp_path):
    (tmp_path / "train.log").write_text("epoch 1\n")
    (tmp_path / "run.json.d").mkdir()
    (tmp_path / "x").mkdir()
    (tmp_path / "x/run.json").write_text('{"scripts": {}}')
    assert choose(tmp_path) == (several, 3)


def test_a_recording_is_itself(several, tmp_path):
    assert choose(several) == (several, 1)
    assert choose(several / LOG) == (several / LOG, 1)
    (tmp_path / LOG).write_bytes(artifact("foo", {}))
    assert choose(tmp_path) == (tmp_path, 1)


def test_traces_of_torch_in_folders_of_their_own_stay_together(tmp_path):
    for rank in "01":
        (tmp_path / rank).mkdir()
        (tmp_path / rank / LOG).write_bytes(artifact("foo", {}))
    assert choose(tmp_path) == (tmp_path, 1)


def test_no_path_is_an_error():
    with pytest.raises(RecordingError, match="No recording is named"):
        choose(None)
