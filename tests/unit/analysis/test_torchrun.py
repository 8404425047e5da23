"""Two ranks with a log by torch alone, started by torchrun: they part where the script makes them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

pytestmark = pytest.mark.torch

PROGRAM = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()

@torch.compile(backend="aot_eager")
def same(x):
    return x * 2

@torch.compile(backend="aot_eager")
def step(x):
    x = x.sin() if rank == 0 else x.cos()
    return x + 1

same(torch.ones(4))
step(torch.ones(4))
if rank == 1:
    step(torch.ones(5))
dist.destroy_process_group()
"""


def test_ranks_part_where_the_script_makes_them(tmp_path):
    (tmp_path / "two.py").write_text(PROGRAM)
    logs = tmp_path / "logs"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "two.py"]
    env = {**os.environ, "TORCH_TRACE": str(logs), "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, timeout=240, check=True)
    with Recording.open(logs) as recording:
        result = analyse(recording)
    found = {
        (one.kind, one.compile_id): [(group.ranks, group.value) for group in one.groups]
        for one in result.ranks.differences
    }
    assert result.ranks.ranks == [0, 1]
    assert found["compile-ids", None] == [([0], "0/0, 1/0"), ([1], "0/0, 1/0, 1/1")]
    assert found["missing", "1/1"] == [([0], "not compiled"), ([1], "compiled")]
    graph, guards = found["graph", "1/0"], found["guards", "1/0"]
    assert "sin" in graph[0][1]
    assert "cos" in graph[1][1]
    assert "== 0" in guards[0][1]
    assert "== 1" in guards[1][1]
    assert not [key for key in found if key[1] == "0/0"], "what both do the same is no difference"
    again = [one for one in result.findings if one.rule == "recompile"]
    assert [one.detail["ranks"] for one in again] == [[1]]
