"""`compilescope diff` of a program before and after an edit."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.unit.cli.conftest import COMMAND, ENV
from tests.unit.cli.test_watch import compiled

BEFORE = """\
import torch


def limited(x):
    print("limited")
    return x.clamp(-1, 1)


@torch.compile(backend="aot_eager")
def step(x, scale):
    y = torch.relu(x) * scale
    y = limited(y)
    if y.sum() > 0:
        y = y + 1
    return y.sin()


for scale in (1.5, 2.5, 3.5):
    step(torch.ones(8), scale)
"""
AFTER = '"""A step."""\n\n' + BEFORE.replace('    print("limited")\n', "").replace("y.sin()", "y.cos()").replace(
    "    y = limited", "    z = y.sum().item()\n    y = limited"
)


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """The program traced before and after it was edited, at the same time."""
    folder = tmp_path_factory.mktemp("diff")
    started = []
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "step.py").write_text(text)
        words = [*COMMAND, "trace", "--depth", "capture", "--record", "rec", "step.py"]
        started.append(subprocess.Popen(words, cwd=folder / name, env=ENV, stdout=subprocess.DEVNULL))
    assert [one.wait(120) for one in started] == [0, 0]
    return folder / "before" / "rec", folder / "after" / "rec"


def test_an_edit_is_told_as_what_it_did(recordings, run):
    before, after = map(str, recordings)
    found = json.loads(run("diff", "--format", "json", before, after).stdout)
    lines = {
        (one["state"], one[side]["rule"], one[side]["range"]["start"]["line"] + 1)
        for one in found["findings"]
        for side in (["after"] if one["after"] else ["before"])
    }
    text = AFTER.splitlines()
    assert ("fixed", "graph-break", BEFORE.splitlines().index('    print("limited")') + 1) in lines
    assert ("new", "graph-break", text.index("    z = y.sum().item()") + 1) in lines
    kept = text.index("    if y.sum() > 0:") + 1
    assert ("graph-break", kept) in {(rule, line) for state, rule, line in lines if state in {"moved", "changed"}}
    step = next(one for one in found["functions"] if one["name"] == "step")
    operators = {(one["name"], one["before"], one["after"]) for one in step["operators"] if one["stage"] == "dynamo"}
    assert {("sin", 1, 0), ("cos", 0, 1)} <= operators
    assert {one["verdict"] for one in found["times"]} <= {"undecided", "within-noise"}
    assert step["kernels"] is None


def test_text_markdown_and_exit_codes(recordings, run):
    before, after = map(str, recordings)
    plain = run("diff", before, after)
    assert plain.returncode == 0
    assert "Fixed (1)" in plain.stdout
    assert "1 fixed" in plain.stdout.splitlines()[-1]
    assert run("diff", "--fail-on", "new", before, after).returncode == 3
    same = run("diff", "--fail-on", "new,changed,slower", before, before)
    assert (same.returncode, same.stdout.splitlines()[-1][-20:]) == (0, " no function changed")
    assert "## Fixed (1)" in run("diff", "--format", "markdown", before, after).stdout
    several = run("diff", before, before, "--with", after, after)
    assert "2 runs" in several.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{}"], "Two recordings are compared"),
        (["{}", "nowhere"], "nowhere"),
        (["--fail-on", "old", "{}", "{}"], "no old; there are new, changed, slower"),
    ],
)
def test_what_cannot_be_compared(recordings, run, words, said):
    ended = run("diff", *(word.format(recordings[0]) for word in words))
    assert ended.returncode == 2
    assert said in ended.stderr


def test_a_folder_of_several_jobs(run, tmp_path):
    for number, (name, compiles) in enumerate((("a", 1), ("b", 2), ("c", 3))):
        log = tmp_path / f"dedicated_log_torch_trace_rank_0_{name}.log"
        text = "".join(compiled(f"{frame}/0", name=f"f{frame}") for frame in range(compiles))
        log.write_text(text.replace("10:00", f"1{number}:00"))
    both = run("diff", ".")
    assert both.stdout == run("diff", ".", ".").stdout == run("diff", ".#2", ".").stdout
    assert "3 jobs; comparing 2" in both.stderr
    assert "and 3 of .:" in both.stderr
    assert both.stderr.count("holds the logs") == 1, "the jobs are listed once"
    assert "f2" in both.stdout
    assert "f1" in run("diff", ".#1", ".#2").stdout
    address = f".#job={log.name}"
    assert run("diff", ".#1", address).stdout == run("diff", ".#1", ".#3").stdout
    assert "No job 4" in run("diff", ".#4", ".").stderr
    assert "not there any more" in run("diff", ".", f"{address}x").stderr
    log.unlink()
    (tmp_path / "dedicated_log_torch_trace_rank_0_b.log").unlink()
    assert "the last two in a folder" in run("diff", ".").stderr
