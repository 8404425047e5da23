"""`--check-eager` as a user meets it."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.torch

# The second run is one, too: it prints the number of runs so far, and its last line raises in eager as well.
PROGRAM = """\
import pathlib
import torch

count = pathlib.Path("count")
count.write_text(count.read_text() + "." if count.exists() else ".")
print("run", len(count.read_text()))

@torch.compile(fullgraph=True, backend="eager")
def f(x):
    return x.sin() @ torch.ones(4, 4)

f(torch.ones(3))
"""


def test_a_mistake_of_the_programs_own_fails_in_eager_too(run, program, tmp_path):
    words = ("--check-eager", "--record", "found", "--format", "json", "-o", "out.json")
    done = run("trace", *words, program(PROGRAM))
    assert done.returncode == 1
    assert done.stdout == "run 1\n"
    assert (tmp_path / "count").read_text() == ".."
    (finding,) = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert (finding["rule"], finding["detail"]["eager"], finding["class"]) == ("compile-error", "fails", "other")
    assert finding["range"]["start"]["line"] == 9
    noted = json.loads((tmp_path / "found" / "run.json").read_text())["eager"]
    assert (noted["status"], noted["exit_code"], noted["exception"]["type"]) == ("finished", 1, "RuntimeError")
    assert "no compiled frames" not in noted["exception"]["message"]


def test_without_a_failure_there_is_no_second_run(run, program, tmp_path):
    sound = PROGRAM.replace("ones(4, 4)", "ones(3, 3)")
    assert run("trace", "--check-eager", "--record", "found", "--depth", "capture", program(sound)).returncode == 0
    assert (tmp_path / "count").read_text() == "."
    assert not (tmp_path / "found" / "eager").exists()
