"""`--fix-preview` and `--fix-verify` as a user meets them."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.unit.analysis.schema import problems

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 16)

    def forward(self, x):
        h = self.up(x)
        print("half way")
        return h.relu()
"""


@pytest.mark.torch
def test_fixes_are_verified_and_shown_and_the_file_stays(run, program, tmp_path):
    words = ["--depth", "capture", "--target", "Net", "--inputs", "torch.ones(4, 8)", "--record", "rec"]
    done = run("trace", *words, "--fix-verify", "--format", "json", "-o", "out.json", program(NET))
    assert (done.returncode, done.stdout) == (0, "half way\n")  # what is verified prints nothing
    assert done.stderr.splitlines() == [
        "compilescope: verifying fix 1 of 1: running the program in eager",
        "compilescope: verifying fix 1 of 1: tracing it with the change",
        "compilescope: verifying fix 1 of 1: comparing outputs",
    ]
    assert (tmp_path / "program.py").read_text() == NET
    result = json.loads((tmp_path / "out.json").read_text())
    assert problems(result) == []
    (found,) = [one for one in result["findings"] if one["rule"] == "graph-break"]
    verified = [fix["verified"] for fix in found["fixes"] if "verified" in fix]
    assert [fix["preferred"] for fix in found["fixes"] if "verified" in fix] == [True]
    assert verified[0]["status"] == "proven", verified
    assert (verified[0]["gone"], verified[0]["of"], verified[0]["calls"], verified[0]["delta_max"]) == (1, 1, 1, 0.0)
    assert verified[0]["graphs"] == {"before": result["metrics"]["graphs"], "after": 1}
    assert verified[0]["text"].startswith(
        "Break gone, outputs equal (largest difference δ_max 0, 1 call). 2 graphs → 1, compiling "
    )
    shown = run("show", "--fix-preview", "rec")
    assert shown.returncode == 0
    preview = shown.stdout[shown.stdout.index("\nfixes for graph-break/GB0059 at program.py:12\n") :]
    removed = [line.strip() for line in preview.splitlines() if line.startswith("    -") and "---" not in line]
    assert '-        print("half way")' in removed
    assert "compilescope: ignore" not in preview


def test_nothing_to_show_is_said(run, tmp_path):
    record = tmp_path / "rec"
    record.mkdir()
    made = {"format": 1, "command": ["a.py"], "cwd": "/", "python": "python", "depth": "full", "status": "finished"}
    (record / "run.json").write_text(json.dumps(made))
    done: subprocess.CompletedProcess[str] = run("show", "--fix-preview", "rec")
    assert done.stdout.endswith("\nNo fixes are known for these findings.\n")
