"""One file that holds a recording: written, shown, refused; and without what somebody wants left out."""

from __future__ import annotations

import getpass
import json
import os
import platform
import stat
import threading
from pathlib import Path

import pytest
from compilescope.cli.main import main
from compilescope.recording.reader import Recording
from compilescope.recording.unpack import unpack

from tests.unit.recording.made import artifact

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


PROGRAM = """import os, sys
import torch
from warpdrive_pkg.blocks import Block

assert sys.argv[1] == "--data=../private_dataset/x.bin"
net = torch.compile(Block(), backend="eager")
for scale in (1.0, 2.0, 3.0):
    net(torch.ones(4, 8), scale)
"""
BLOCKS = """import torch

class Block(torch.nn.Module):
    def forward(self, x, scale):
        y = torch.relu(x) * scale  # the remark of 4242
        if y.sum() > 1234.5:
            print("a break on purpose")
        return y + 7.125
"""


def test_secrets_of_a_program_are_nowhere_in_what_is_handed_on(run, tmp_path):
    """Of a traced program: its text, its folders, the user whose home it is in, and this machine's name."""
    folder = tmp_path / "home/zaphodb/acme-warp9/Kernel Lab"
    (folder / "warpdrive_pkg").mkdir(parents=True)
    (folder / "launch.py").write_text(PROGRAM)
    (folder / "warpdrive_pkg/blocks.py").write_text(BLOCKS)
    words = ("trace", "--depth", "capture", "--record", "rec", "launch.py", "--data=../private_dataset/x.bin")
    assert run(*words, cwd=folder).returncode == 0
    lines = [line.strip() for text in (PROGRAM, BLOCKS) for line in text.splitlines() if len(line.strip()) > 20]
    names = ["zaphodb", "acme", "warp9", "Kernel Lab", "warpdrive", "private_dataset", tmp_path.name, str(tmp_path)]
    names += [name for name in (platform.node(), getpass.getuser()) if len(name) > 4]
    before = b"".join(path.read_bytes() for path in (folder / "rec").iterdir() if path.is_file())
    sought = [one for one in (*lines, *names[:7]) if '"' not in one]
    assert [one for one in sought if one.encode() not in before] == [], "they are there to be found"
    file, opened = tmp_path / "handed on.compilescope", tmp_path / "opened"
    done = run("pack", "--redact", "source,paths", "-o", file, folder / "rec")
    assert (done.returncode, "source text" in done.stderr, "folders" in done.stderr) == (0, True, True)
    opened.mkdir()
    unpack(file, opened)
    found = b"".join(path.read_bytes() for path in opened.rglob("*") if path.is_file())
    assert [one for one in (*lines, *names) if one.encode() in found] == []
    after = json.loads(run("show", "--format", "json", file).stdout)
    assert (after["run"]["left_out"], after["run"]["damage"]) == (["source", "paths"], [])
    places = [(one["rule"], one["file"].rpartition("/")[2], one["range"]["start"]["line"]) for one in after["findings"]]
    assert ("graph-break", "blocks.py", 5) in places
    assert "left out on request: source text, paths" in run("show", file).stdout


def test_what_is_no_kind_is_refused(log, tmp_path, capsys):
    assert main(["pack", "--redact", "colours", "-o", str(tmp_path / "x.compilescope"), str(log)]) == 2
    assert "there are source, paths, names, payloads and all" in capsys.readouterr().err


def test_payloads_that_were_left_out_are_not_called_damage(tmp_path, capsys):
    file, pack = tmp_path / "dedicated_log_torch_trace_x.log", tmp_path / "x.compilescope"
    payload = "a secret\n\tof two lines"
    file.write_text(
        LOG + LOG.replace("dynamo_start", "note").replace('"attempt": 0}', '"has_payload": "00"}') + f"\t{payload}\n"
    )
    assert main(["pack", "--redact", "all", "--hide", "torch/_dynamo", "-o", str(pack), str(file)]) == 0
    assert main(["show", str(pack)]) == 0
    said = capsys.readouterr().out
    assert "payloads of events" in said
    assert "damage" not in said


@pytest.mark.parametrize("words", [("--redact", ""), ("--redact", "source,"), ("--hide", ""), ("--hide", " ")])
def test_an_unset_variable_of_the_shell_is_refused(log, tmp_path, capsys, words):
    pack = tmp_path / "x.compilescope"
    assert main(["pack", *words, "-o", str(pack), str(log)]) == 2
    assert f"{words[0]} has an empty" in capsys.readouterr().err
    assert not pack.exists()


def test_arguments_are_told_of_where_there_are_some(log, tmp_path, capsys):
    folder, pack = tmp_path / "recorded", str(tmp_path / "x.compilescope")
    folder.mkdir()
    (folder / "a.log").write_text(LOG)
    (folder / "run.json").write_text(json.dumps({"format": 1, "command": ["a.py", "--key=5e"], "status": "finished"}))
    environment = tmp_path / "dedicated_log_torch_trace_y.log"
    environment.write_bytes(artifact("compilescope_environment", {"argv": ["a.py", "--key=5e"]}))
    said = "the arguments of the program"
    for recording, all_of_it in ((log, False), (folder, True), (environment, True)):
        assert main(["pack", "-o", pack, str(recording)]) == 0
        assert (said in capsys.readouterr().err) is all_of_it
        assert main(["pack", "--redact", "all", "-o", pack, str(recording)]) == 0
        assert said not in capsys.readouterr().err
        opened = tmp_path / f"opened-{recording.name}"
        opened.mkdir()
        unpack(Path(pack), opened)
        assert [path for path in opened.rglob("*") if path.is_file() and b"5e" in path.read_bytes()] == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_written_to_and_stays_one(log, tmp_path):
    pipe, pack = tmp_path / "pipe", tmp_path / "x.compilescope"
    os.mkfifo(pipe)
    assert main(["pack", "-o", str(pack), str(log)]) == 0
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert main(["pack", "-o", str(pipe), str(log)]) == 0
    reader.join(10)
    assert read == [pack.read_bytes()]
    assert pipe.is_fifo()


@pytest.mark.skipif(os.name == "nt", reason="a link takes a right of its own")
def test_a_link_stays_one_and_what_it_leads_to_is_written(log, tmp_path, capsys):
    (tmp_path / "else").mkdir()
    for name, there in (("old.compilescope", True), ("new.compilescope", False)):
        target, link = tmp_path / "else" / name, tmp_path / name
        if there:
            target.write_text("before")
        link.symlink_to(target)
        assert main(["pack", "-o", str(link), str(log)]) == 0
        assert link.is_symlink()
        with Recording.open(target) as recording:
            assert recording.counts() == {"dynamo_start": 1}
    assert sorted(path.name for path in (tmp_path / "else").iterdir()) == ["new.compilescope", "old.compilescope"]
    around = tmp_path / "around"
    around.symlink_to(around)
    for unwritable in (around, tmp_path / "else"):
        capsys.readouterr()
        assert main(["pack", "-o", str(unwritable), str(log)]) == 2
        assert "can't be written" in capsys.readouterr().err
    assert around.is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="permissions are not told by modes")
@pytest.mark.parametrize(("mode", "expected"), [(0o600, 0o600), (0o640, 0o640), (0o444, 0o644), (0o755, 0o644)])
def test_who_can_not_read_the_logs_can_not_read_the_pack(log, tmp_path, mode, expected):
    pack, again = tmp_path / "x.compilescope", tmp_path / "again.compilescope"
    pack.write_text("what is there counts for nothing")
    pack.chmod(0o666)
    log.chmod(mode)
    before = os.umask(0o022)
    try:
        assert main(["pack", "-o", str(pack), str(log)]) == 0
        assert main(["pack", "-o", str(again), str(pack)]) == 0
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (pack, again)] == [expected, expected]


def test_a_text_to_hide_that_is_nowhere_is_told(log, tmp_path, capsys):
    words = ["pack", "--hide", "zzzzqq", "--hide", "DYNAMO_start", "-o", str(tmp_path / "x.compilescope"), str(log)]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert "left out: 1 named text; nowhere in it, so check the spelling: 'zzzzqq'." in said
