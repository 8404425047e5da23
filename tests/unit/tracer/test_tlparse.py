"""Other readers of TORCH_TRACE open what the tracer writes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

pytestmark = pytest.mark.torch

PROGRAM = """
    import torch

    @torch.compile
    def f(x, n):
        y = x * n
        if y.sum() > 0:
            y = y + 1
        return y.sin()

    f(torch.ones(4), 2)
    f(torch.ones(4), 3)
"""


BREAK, RECOMPILED = 6, 5
"""Lines of the program: the `if` that breaks, and the expression that is compiled again for another `n`."""


def findings(log):
    """Rule, file and line of each finding in a log."""
    with Recording.open(log) as recording:
        return {(one.rule, one.file, one.range.start.line + 1) for one in analyse(recording).findings}


def without_ours(log, file):
    """The log as torch alone would have written it."""
    is_ours, kept = False, []
    for line in log.read_bytes().splitlines(keepends=True):
        is_ours = is_ours if line.startswith(b"\t") else b'"name": "compilescope_' in line
        kept += [] if is_ours else [line]
    file.write_bytes(b"".join(kept))
    return file


def test_tlparse_opens_our_log(runner, tmp_path):
    tlparse = shutil.which("tlparse", path=str(Path(sys.executable).parent))
    assert tlparse is not None, "tlparse is in the dev extra"
    runner.write("program.py", PROGRAM)
    traced = runner.traced("program.py")
    assert traced.code == 0, traced.err
    log = runner.folder / "recording" / traced.events[0].log
    command = [tlparse, str(log), "-o", str(tmp_path / "report"), "--no-browser"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    stats = next(line for line in ended.stderr.splitlines() if line.startswith("Stats"))
    assert "fail" not in stats  # records that it could not read; it lists no other kind by that word
    index = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for compile_id in ("[0/0]", "[0/1]", "[1/0]"):
        assert compile_id in index
    assert (tmp_path / "report" / "failures_and_restarts.html").exists()
    spans = json.loads((tmp_path / "report" / "chromium_events.json").read_text(encoding="utf-8"))
    begun, ended = ([span["name"] for span in spans if span["ph"] == phase] for phase in "BE")
    assert sorted(begun) == sorted(ended)
    assert {"bytecode_tracing", "backend_compile", "GraphLowering.run", "code_gen"} <= set(begun)
    foreign = findings(without_ours(log, tmp_path / "foreign.log"))
    assert foreign == findings(log)
    assert {(rule, line) for rule, _, line in foreign} >= {("graph-break", BREAK), ("recompile", RECOMPILED)}
