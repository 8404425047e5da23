"""`compilescope trace --triton-preview` as a user meets it."""

from __future__ import annotations

import json
import os

import pytest
from triton_wheel import triton_path

PROGRAM = """
import torch

print(torch.compile(torch.sin)(torch.ones(3)).sum().item() > 2)
"""


@pytest.mark.parametrize("gpu", ["90", "sm_9", "sm_90a", "cuda", "sm_999", "H100", "sm_60"])
def test_what_is_no_gpu(run, program, gpu):
    done = run("trace", "--triton-preview", gpu, program("print('ran')"))
    assert done.returncode == 2
    assert "ran" not in done.stderr
    assert f"no GPU '{gpu}'; write sm_ and the compute capability" in done.stderr
    assert "sm_90 (H100, H200)" in done.stderr


def test_capture_depth_generates_no_code(run, program):
    done = run("trace", "--depth", "capture", "--triton-preview", "sm_90", program("print('ran')"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs --depth full" in done.stderr


@pytest.mark.torch
def test_the_report_says_that_it_is_a_preview(run, program):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [triton_path(), os.environ.get("PYTHONPATH")]))}
    done = run("trace", "--triton-preview", "sm_80", "--record", "made", program(PROGRAM), env=env)
    assert (done.returncode, done.stderr) == (0, "True\n")
    table = done.stdout[done.stdout.index("Triton preview for sm_80, generated from the CPU graphs") :].splitlines()
    assert table[1].split() == ["graph", "kernel", "registers", "spills", "shared", "warps"]
    graph, kernel, *figures = table[2].split()
    assert (graph, kernel) == ("0/0/inference", "triton_poi_fused_sin_0")
    assert all(figure.isdigit() for figure in figures)
    words = " ".join(done.stdout.split())
    assert "not autotuned" in words
    assert "never run" in words

    shown = run("show", "--format", "json", "made")
    (entry,) = json.loads(shown.stdout)["triton"]
    assert (entry["preview"], entry["target"], entry["kernel"]) == (True, "sm_80", kernel)
    assert [str(entry[key]) for key in ("registers", "spills", "shared", "num_warps")] == figures
    assert "tt.func" not in shown.stdout


@pytest.mark.torch
def test_without_triton_the_report_says_what_to_install(run, program):
    if not triton_path():
        pytest.skip("Triton is a part of this environment")
    done = run("trace", "--triton-preview", "sm_90", program(PROGRAM))
    assert done.returncode == 0
    version = triton_path().rpartition("/")[2].rpartition(".")[0]
    words = " ".join(done.stdout.split())
    assert f"no preview: Triton is not installed in the program's environment: pip install triton~={version}.0" in words
    assert "limits:" not in words
