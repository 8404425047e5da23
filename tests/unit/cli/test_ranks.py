"""Several ranks, started by PyTorch's own launcher. What is right is what `python -m torch.distributed.run` does."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys

import pytest
from processes import gone

from .conftest import COMMAND, ENV

pytestmark = pytest.mark.torch

TRAIN = """
import os, sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = DistributedDataParallel(nn.Linear(8, 1))

@torch.compile(backend="eager")
def loss(output, target):
    difference = output - target
    if rank == 1:
        print("odd", flush=True)
    return difference.pow(2).mean()

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss(model(torch.ones(4, 8)), torch.ones(4, 1)).backward()
    optimizer.step()
said = [rank, dist.get_world_size(), sys.argv[1:], round(float(model.module.weight.sum()), 4)]
os.write(1, f"{said}\\n".encode())  # at once: the ranks write at the same time
dist.destroy_process_group()
if "fail" in sys.argv and rank == 1:
    sys.exit(7)
"""
WAITS = """
import os, time
print(os.getpid(), flush=True)
while True:
    time.sleep(0.1)
"""
RANKS = ["--nproc-per-node", "2"]


def launched(folder, *words):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", *RANKS, *words]
    return subprocess.run(command, cwd=folder, env=ENV, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("end", [[], ["fail"]])
def test_ranks_train_as_they_do_untraced_and_findings_say_whose_they_are(run, program, tmp_path, end):
    name = program(TRAIN)
    words = ["--depth", "capture", "--format", "json", "-o", "out.json", *RANKS, name, "--epochs", "1", *end]
    done, plain = run("trace", *words), launched(tmp_path, name, "--epochs", "1", *end)
    assert done.returncode == plain.returncode == len(end)
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    assert ("exitcode" in done.stderr) == ("exitcode" in plain.stderr) == bool(end)
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["run"]["command"] == [*RANKS, name, "--epochs", "1", *end]
    assert result["run"]["ranks"] == [0, 1]
    odd = [one for one in result["findings"] if one["code"] == "GB0059"]
    assert [one.partition(":")[0] for one in odd[0]["compile_ids"]] == ["rank1"] * len(odd[0]["compile_ids"])
    assert TRAIN.splitlines()[odd[0]["range"]["start"]["line"]].strip() == 'print("odd", flush=True)'
    assert len(odd) == 1
    logs = {log.name.split("_torch_trace_")[1].rpartition("_")[0].rstrip("0123456789") for log in recording(tmp_path)}
    assert logs == {"", "rank_0_", "rank_1_"}, "the launcher and each rank have a log"


def recording(folder):
    return list((folder / ".compilescope").glob("*/*.log"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_who_ends_the_run_ends_all_ranks(program, tmp_path, number, code):
    command = [*COMMAND, "trace", "-o", "out.txt", *RANKS, program(WAITS)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as traced:
        ranks = [int(traced.stdout.readline()) for _ in range(2)]
        traced.send_signal(number)
        assert gone(*ranks, within_s=20)
        assert traced.wait(timeout=30) == code


def test_a_module_and_options_of_several_machines(run, tmp_path):
    """One machine of one, by the options with which there would be more."""
    (tmp_path / "pkg.py").write_text(
        "import os, sys\nos.write(1, f\"{os.environ['RANK']} {os.environ['WORLD_SIZE']} {sys.argv[1:]}\\n\".encode())\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = ["--nnodes", "1", "--node-rank", "0", "--master-addr", "127.0.0.1", "--master-port", port]
    done = run("trace", "--depth", "capture", "-o", "out.txt", *options, "-m", "pkg", "--fast")
    assert (done.returncode, done.stdout) == (0, "0 1 ['--fast']\n")


def test_a_script_that_is_not_there(run):
    done = run("trace", *RANKS, "missing.py")
    assert (done.returncode, done.stderr) == (2, "compilescope: Can't run missing.py: no such file.\n")
