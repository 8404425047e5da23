"""The job that a recording is of."""

from __future__ import annotations

import pytest
from compilescope.analysis.model import Run
from compilescope.runner.job import Job
from compilescope.runner.problem import Problem
from compilescope.verify import job_of


def run(*command: str, cwd: str | None = "/app", depth: str | None = "full") -> Run:
    return Run(list(command), cwd, "python", "2.13.0", 0, 1.0, "/r", depth, [], [])


@pytest.mark.parametrize(
    "job",
    [
        Job("train.py", None, ("--fast", "-v"), "/app"),
        Job(None, "pkg.train", ("2",), "/app", "capture"),
        Job("net.py", None, (), "/app", target="Net", inputs=("torch.ones(2)", "-x, scale=1")),
        Job("ddp.py", None, (), "/app", ranks=("--nproc-per-node", "2", "--master-port", "1234")),
    ],
)
def test_it_is_the_one_that_was_run(job):
    assert job_of(run(*job.command, depth=job.depth)) == job


@pytest.mark.parametrize("unknown", [run(), run("a.py", cwd=None)])
def test_a_recording_that_does_not_say_what_was_run(unknown):
    with pytest.raises(Problem, match="does not say what was run"):
        job_of(unknown)
