"""What goes wrong on the command line is said in one sentence, with what to do; nothing half-made is left."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.unit.cli.conftest import COMMAND, ENV
from tests.unit.recording.made import artifact, in_compile, record

LOG = "dedicated_log_torch_trace_rank_0_ab12.log"


@pytest.fixture
def log(tmp_path):
    (tmp_path / LOG).write_bytes(record("dynamo_start", {"stack": []}, **in_compile()) + artifact("notes", "add"))
    return tmp_path / LOG


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "--events", "--stacks", LOG], "--events and --stacks are shown one at a time. Ask for one of them."),
        (["show", "--guards", "0/0", "--compile", "0/0", LOG], "--events and --guards are shown one at a time."),
        (["show", "--perfetto", "--logs", LOG], "--logs and --perfetto are shown one at a time."),
        (["show", "--format", "xml", LOG], "--format: invalid choice: 'xml'"),
        (["show", "--job", "x", LOG], "--job: invalid int value: 'x'. See: compilescope show --help"),
        (["search"], "The following arguments are required: TEXT. See: compilescope search --help"),
        (["look", LOG], "See: compilescope --help"),
        (["show", "-o", "nowhere/x.html", LOG], "Can't write nowhere/x.html: the folder nowhere does not exist."),
        (["pack", "-o", "nowhere/x", LOG], "nowhere/x can't be written: the folder nowhere does not exist."),
        (["show", "--extract", LOG, LOG], f"Can't write to {LOG}: a file is in the place of a folder."),
        (["diff", LOG], "Two recordings are compared"),
    ],
)
def test_one_sentence_says_what_is_wrong(run, words, said):
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("compilescope: ")
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="another user is needed")
def test_a_folder_that_may_not_be_entered_is_said(tmp_path, log):
    tmp_path.chmod(0o700)

    def as_nobody() -> None:
        os.setuid(65534)

    command = [*COMMAND, "show", str(log)]
    done = subprocess.run(command, cwd="/", env=ENV, capture_output=True, text=True, check=False, preexec_fn=as_nobody)
    if "compilescope: " not in done.stderr:
        pytest.skip("nobody can't run this Python")
    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize("words", [["show", "-o", "x.html"], ["diff", "-o", "x.html"]])
def test_no_empty_report_is_left_where_nothing_comes_of_it(run, tmp_path, words):
    ended = run(*words, "nowhere.log", "nothing.log")
    assert ended.returncode == 2
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "x.html").write_text("what was there")
    assert run(*words, "nowhere.log", "nothing.log").returncode == 2
    assert (tmp_path / "x.html").read_text() == "what was there"


def test_a_recording_that_is_named_twice_is_compared_with_itself(run, log):
    ended = run("diff", log.name, log.name)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_file_that_is_no_log_is_waited_for_and_that_is_said(run, tmp_path):
    (tmp_path / "notes.txt").write_text("no log")
    ended = run("watch", "--for", "1.5", "notes.txt")
    assert "notes.txt is no TORCH_TRACE log so far. Waiting for it to become one." in ended.stdout
