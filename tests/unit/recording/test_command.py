"""What `run.json` says was run, taken apart."""

import pytest
from compilescope.recording.command import Command, read


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ([], Command(None, None, ())),
        (["train.py"], Command("train.py", None, ())),
        (["train.py", "--fast", "-m", "x"], Command("train.py", None, ("--fast", "-m", "x"))),
        (["-m", "pkg.train", "a"], Command(None, "pkg.train", ("a",))),
        (["-m"], Command("-m", None, ())),
        (
            ["--target", "Net", "--inputs", "1", "--inputs", "--x", "net.py", "--y"],
            Command("net.py", None, ("--y",), (("--target", "Net"), ("--inputs", "1"), ("--inputs", "--x"))),
        ),
        (["--nproc-per-node", "2", "-m", "pkg"], Command(None, "pkg", (), (("--nproc-per-node", "2"),))),
        (["--alone"], Command("--alone", None, ())),
    ],
)
def test_parts(words, command):
    assert read(words) == command


def test_a_target_and_its_inputs():
    command = read(["--target", "Net", "--inputs", "1", "--inputs", "2", "net.py"])
    assert (command.target, command.inputs) == ("Net", ["1", "2"])
    assert (read(["net.py"]).target, read(["net.py"]).inputs) == (None, [])
