"""What lies in a watched folder, and which file system it lies on."""

from __future__ import annotations

from pathlib import Path

from compilescope.recording.mounts import shared_file_system
from compilescope.recording.watched import Look, look

RECORD = b'V1130 10:00:00.000001 7 x.py:1] {"str": ["/job/train.py", 0]}\n'
NAME = "dedicated_log_torch_trace_rank_0_a.log"


def test_recordings_that_come_and_grow(tmp_path):
    assert look(tmp_path / "later").missing == "it does not exist"
    assert look(tmp_path) == Look()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{}")
    before = look(tmp_path)
    assert set(before.recordings) == {tmp_path / "a", tmp_path / "b"}
    assert look(tmp_path).grown(before) == []
    (tmp_path / "a" / NAME).write_bytes(RECORD)
    now = look(tmp_path)
    assert now.grown(before) == [tmp_path / "a"]
    assert now.newest == tmp_path / "a"


def test_a_folder_without_recordings_of_ours_is_one(tmp_path):
    for rank, host in enumerate(("one", "two")):
        (tmp_path / host).mkdir()
        (tmp_path / host / NAME.replace("0", str(rank))).write_bytes(RECORD)
    assert set(look(tmp_path).recordings) == {tmp_path}


def test_each_of_several_jobs_in_a_folder_is_one(tmp_path):
    (tmp_path / NAME).write_bytes(RECORD)
    before = look(tmp_path)
    assert set(before.recordings) == {tmp_path}
    later = tmp_path / NAME.replace("_a", "_b")
    later.write_bytes(RECORD.replace(b"10:00", b"11:00"))
    now = look(tmp_path)
    first, second = (tmp_path.parent / f"{tmp_path.name}#job={name}" for name in (NAME, later.name))
    assert set(now.recordings) == {first, second} == set(now.grown(before))
    (tmp_path / NAME.replace("0_a", "1_b")).write_bytes(RECORD.replace(b"10:00", b"11:01"))
    assert look(tmp_path).grown(now) == [second]


def test_file_systems_of_other_machines(tmp_path):
    table = tmp_path / "mountinfo"
    table.write_text(
        "22 1 8:1 / / rw shared:1 - ext4 /dev/sda rw\n"
        "30 22 0:40 / /mnt/my\\040share rw shared:2 - nfs4 host:/x rw\n"
        "31 30 0:41 / /mnt/my\\040share/local rw - tmpfs tmpfs rw\n"
        "32 22 0:42 / /mnt/ssh rw - fuse.sshfs host: rw\n"
    )
    assert shared_file_system(Path("/mnt/my share/job"), table) == "nfs4"
    assert shared_file_system(Path("/mnt/my share/local/job"), table) is None
    assert shared_file_system(Path("/mnt/ssh"), table) == "fuse.sshfs"
    assert shared_file_system(Path("/mnt/sshfs"), table) is None
    assert shared_file_system(Path("/mnt/ssh"), tmp_path / "none") is None
