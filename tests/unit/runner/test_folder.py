from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from compilescope.runner.folder import KEPT, RunFile, given_folder, new_folder
from compilescope.runner.problem import Problem


def run_file(**changes):
    values = {"command": ["a.py"], "cwd": "/", "python": "python", "depth": "full", "started": "2026-11-29T13:17:29Z"}
    return RunFile(**{**values, **changes})


def made(parent: Path, name: str, **changes) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    run_file(**{"status": "finished", **changes}).write(folder)
    return folder


def test_folders_are_new_and_ignored_by_git(tmp_path):
    first, note = new_folder(tmp_path)
    second, _ = new_folder(tmp_path)
    assert note is None
    assert first != second
    assert first.parent == tmp_path / ".compilescope"
    assert (first.parent / ".gitignore").read_text() == "*\n"


def test_the_newest_are_kept(tmp_path):
    parent = tmp_path / ".compilescope"
    old = [made(parent, f"20200101-{number:06}") for number in range(KEPT + 3)]
    new, _ = new_folder(tmp_path)
    assert [folder for folder in old if folder.exists()] == old[-(KEPT - 1) :]
    assert new.exists()


def test_ten_in_a_second_are_ordered_by_number(tmp_path):
    parent = tmp_path / ".compilescope"
    made(parent, "20200101-000000")
    numbered = [made(parent, f"20200101-000000-{number}") for number in range(2, KEPT + 2)]
    new_folder(tmp_path)
    assert [folder for folder in numbered if folder.exists()] == numbered[-(KEPT - 1) :]


def test_running_and_foreign_things_are_never_removed(tmp_path):
    parent = tmp_path / ".compilescope"
    running = made(parent, "20100101-000000", status="running", pid=os.getpid())
    starting = made(parent, "20100101-000001", status="running", pid=None)
    foreign = parent / "20100101-000002"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    named = made(parent, "the-good-one")
    target = made(tmp_path, "target")
    (parent / "20100101-000003").symlink_to(target)
    dead = made(parent, "20100101-000004", status="running", pid=2**22 + 1)
    for number in range(KEPT):
        made(parent, f"20200101-{number:06}")
    new_folder(tmp_path)
    assert all(path.exists() for path in (running, starting, foreign, named, target, parent / "20100101-000003"))
    assert not dead.exists()


def test_a_file_in_the_way_is_named(tmp_path, monkeypatch):
    (tmp_path / ".compilescope").write_text("a file in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, note = new_folder(tmp_path)
    assert folder.is_relative_to(tmp_path / "cache")
    assert note == f"{tmp_path / '.compilescope'} is there and is no folder, so the recording is in {folder.parent}"


def test_unwritable_folder_falls_back_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "file").touch()
    folder, note = new_folder(tmp_path / "file")
    assert folder.is_relative_to(tmp_path / "cache")
    assert note == f"{tmp_path / 'file'} can't be written (Not a directory), so the recording is in {folder.parent}"


def test_given_folder(tmp_path):
    assert given_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    for bad in (tmp_path / "full", tmp_path / "full" / "x", tmp_path / "full" / "x" / "below"):
        with pytest.raises(Problem, match=str(bad)):
            given_folder(bad)


def test_run_file_has_the_documented_keys(tmp_path):
    run_file(exit_code=-9, status="killed", wall_s=1.5, pid=7).write(tmp_path)
    assert json.loads((tmp_path / "run.json").read_text()) == {
        "format": 1,
        "command": ["a.py"],
        "cwd": "/",
        "python": "python",
        "depth": "full",
        "started": "2026-11-29T13:17:29Z",
        "status": "killed",
        "exit_code": -9,
        "wall_s": 1.5,
        "pid": 7,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_folder_that_takes_no_bytes_is_not_used(tmp_path, monkeypatch):
    def full(_path, _data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    elsewhere = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(elsewhere))
    write = Path.write_bytes
    monkeypatch.setattr(
        Path, "write_bytes", lambda self, data: (write if elsewhere in self.parents else full)(self, data)
    )
    folder, note = new_folder(tmp_path)
    assert elsewhere in folder.parents
    assert "No space left on device" in note
    assert list((tmp_path / ".compilescope").iterdir()) == [tmp_path / ".compilescope" / ".gitignore"]


def test_a_run_file_that_can_not_be_written_leaves_the_old_one_and_nothing_else(tmp_path, monkeypatch):
    run_file().write(tmp_path)

    def full(path, *_, **__):
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        run_file(status="finished").write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert json.loads((tmp_path / "run.json").read_bytes())["status"] == "running"
