"""The commands of PyTorch's launcher, with the tracer in front."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from compilescope.tracer.ranks import with_tracer

SESSION = SimpleNamespace(inherited=lambda: {"recording": "/recording", "depth": "capture", "fusion": True})


@pytest.mark.parametrize(
    ("command", "kept", "script", "module", "arguments"),
    [
        (("/usr/bin/python3.11", "-u", "a.py", "--fast"), ("/usr/bin/python3.11", "-u"), "a.py", None, ["--fast"]),
        (("python", "-u", "-m", "pkg.train", "-m"), ("python", "-u"), None, "pkg.train", ["-m"]),
        (("python", "-X", "dev", "a.py"), ("python", "-X", "dev"), "a.py", None, []),
    ],
)
def test_python_programs(command, kept, script, module, arguments):
    traced = with_tracer(SESSION, command)
    assert traced[: len(kept)] == kept
    assert traced[-2].endswith("boot.py")
    job = json.loads(traced[-1])
    assert job["script"] == (None if script is None else str(Path.cwd() / script))
    assert (job["module"], job["args"]) == (module, arguments)
    assert job.items() >= SESSION.inherited().items()


@pytest.mark.parametrize(
    "command", [("bash", "a.sh"), ("python", "-c", "print(1)"), ("python", "-u"), ("numactl", "python", "a.py")]
)
def test_other_programs(command):
    assert with_tracer(SESSION, command) is None


@pytest.mark.torch
def test_launcher(runner):
    runner.write(
        "ranks.py",
        """
        import torch
        import torch.distributed as dist

        dist.init_process_group("gloo")

        @torch.compile(backend="eager")
        def f(x):
            print("in", end="")
            return x + 1

        f(torch.ones(2))
        dist.destroy_process_group()
        """,
    )
    traced = runner.traced(None, "--nproc-per-node", "2", "ranks.py", module="torch.distributed.run")
    assert (traced.code, traced.out.splitlines()[-1]) == (0, "inin")  # torch 2.9 prints lines before
    broken = [event for event in traced.events if event.name == "compilescope_graph_break"]
    assert sorted(event.envelope["rank"] for event in broken) == [0, 1]
    assert sorted(event.log.split("_rank_")[1][0] for event in broken) == ["0", "1"]
