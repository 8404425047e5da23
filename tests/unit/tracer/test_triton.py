"""The preview of Triton code on a machine without a GPU, and the kernels of one with a GPU."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from compilescope.runner.job import Job
from triton_wheel import triton_path

from tests.unit.tracer.conftest import BOOT, Runner, Traced, read

pytestmark = pytest.mark.torch

PROGRAM = """
    import os, signal
    import torch
    import torch._inductor.config as config

    def picky(graph):
        "A pass that can't stand the preview: it raises for one graph, and ends the process for another one."
        names = {str(node.target) for node in graph.nodes}
        if config.cpu_backend == "triton" and "aten.cumprod.default" in names:
            raise ValueError("no previews of this")
        if config.cpu_backend == "triton" and "aten.cumsum.default" in names:
            os.kill(os.getpid(), signal.SIGKILL)

    config.post_grad_custom_post_pass = picky
    torch.manual_seed(0)
    large = torch.randn(700, 700)
    print((large @ large).shape)  # OpenMP has its threads now, which a forked process has not

    @torch.library.custom_op("preview::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x):
        return torch.empty_like(x)

    weight = torch.randn(64, requires_grad=True)

    @torch.compile
    def train(x):
        return torch.nn.functional.layer_norm(x, (64,), weight).square().mean()

    train(torch.randn(32, 64)).backward()
    print(round(weight.grad.sum().item(), 3))

    @torch.compile
    def raises(x):
        return x.sin().cumprod(0)

    @torch.compile
    def ends(x):
        return x.sin().cumsum(0)

    @torch.compile(dynamic=True)
    def last(x):
        return twice(x.exp()).sum(-1)

    for function in (raises, ends, last):
        print(function(torch.ones(8, 8)).sum().item())
    raise SystemExit(5)
"""


@pytest.fixture(scope="module")
def runner(shared_runner: Runner) -> Runner:
    shared_runner.write("program.py", PROGRAM)
    return shared_runner


@pytest.fixture(scope="module")
def with_triton() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, [triton_path(), os.environ.get("PYTHONPATH")]))}


@pytest.fixture(scope="module")
def traced(runner: Runner, with_triton: dict[str, str]) -> Traced:
    return runner.traced("program.py", env=with_triton, more={"triton_preview": "sm_90"})


def without_torchs(text: str) -> str:
    """`text` without what a torch that is built for CUDA says, with time and process, where there is no GPU."""
    return re.sub(r"^W.*No CUDA runtime is found.*\n", "", text, flags=re.MULTILINE)


def test_the_program_is_as_without_it(runner: Runner, traced: Traced) -> None:
    plain = runner.plain("program.py")
    assert (traced.code, traced.out, without_torchs(traced.err)) == (5, plain.out, without_torchs(plain.err))


def test_every_generated_graph_of_the_program_has_its_preview(traced: Traced) -> None:
    compiled = {body["graph"] for body in traced.bodies("kernels")}
    previewed = [body["graph"] for body in traced.bodies("triton_preview")]
    assert compiled <= set(previewed)
    assert {"0/0/forward", "0/0/backward"} <= compiled
    assert len(previewed) == len(set(previewed)) == 5
    assert all(body["preview"] and body["target"] == "sm_90" and body["limits"] for body in traced.bodies("triton"))


def test_one_graph_that_fails_leaves_the_others_alone(traced: Traced) -> None:
    errors = {body["graph"]: body["error"] for body in traced.bodies("triton_preview")}
    assert list(errors) == ["0/0/forward", "0/0/backward", "1/0/inference", "2/0/inference", "3/0/inference"]
    assert "no previews of this" in errors["1/0/inference"]
    assert "crashed" in errors["2/0/inference"]
    assert errors["0/0/forward"] is errors["0/0/backward"] is errors["3/0/inference"] is None
    assert {body["graph"] for body in traced.bodies("triton")} == {"0/0/forward", "0/0/backward", "3/0/inference"}


def test_the_stages_are_those_of_one_kernel(traced: Traced) -> None:
    for body in traced.bodies("triton"):
        assert body["error"] is None
        name, stages = body["kernel"], body["stages"]
        assert "@triton.jit" in body["source"]
        assert f"def {name}(" in body["source"]
        assert f"tt.func public @{name}" in stages["ttir"]
        assert 'ttg.target = "cuda:90"' in stages["ttgir"]
        assert f'"ttg.num-warps" = {body["num_warps"]} : i32' in stages["ttgir"]
        assert f"@{name}(" in stages["llir"]
        assert re.search(r"^\.target sm_90a?$", stages["ptx"], re.MULTILINE)
        assert f".entry {name}(" in stages["ptx"]


def test_kernels_say_which_nodes_went_into_them(traced: Traced) -> None:
    nodes = {name for body in traced.bodies("triton") if body["graph"] == "0/0/forward" for name in body["nodes"]}
    assert {"var_mean", "rsqrt"} <= nodes


def test_figures_are_those_of_the_assembler(traced: Traced, with_triton: dict[str, str], tmp_path: Path) -> None:
    """Compared with what another tool of NVIDIA's says of the binary."""
    paths = [Path(path) / "triton" for path in with_triton["PYTHONPATH"].split(os.pathsep)]
    installed = importlib.util.find_spec("triton")
    paths += [] if installed is None else [Path(installed.origin).parent]
    tools = next(path for path in paths if path.is_dir()) / "backends/nvidia/bin"
    body = max(traced.bodies("triton"), key=lambda body: body["registers"])
    ptx, binary = tmp_path / "kernel.ptx", tmp_path / "kernel.cubin"
    ptx.write_text(body["stages"]["ptx"])
    architecture = re.search(r"\.target (\w+)", body["stages"]["ptx"])[1]
    subprocess.run([tools / "ptxas", f"--gpu-name={architecture}", ptx, "-o", binary], check=True)
    said = subprocess.run(
        [tools / "cuobjdump", "-res-usage", binary], capture_output=True, text=True, check=True
    ).stdout
    assert int(re.search(r"REG:(\d+)", said)[1]) == body["registers"]
    assert int(re.search(r"STACK:(\d+)", said)[1]) == 4 * body["spills"]


def test_the_preview_is_no_part_of_the_program(traced: Traced) -> None:
    """The last record is the end of the program, whose time it says; the preview says its own."""
    assert [event.name for event in traced.events][-1] == "compilescope_exit"
    assert len({event.log for event in traced.events}) == 1
    assert all(body["seconds"] >= 0 for body in traced.bodies("triton_preview"))
    kernels = {body["graph"]: body for body in traced.bodies("kernels")}
    assert "triton" not in {kernel["kind"] for body in kernels.values() for kernel in body["kernels"]}


def test_a_program_that_was_interrupted_has_no_preview(runner: Runner, with_triton: dict[str, str]) -> None:
    source = "import torch\ntorch.compile(torch.sin)(torch.ones(3))\nraise KeyboardInterrupt\n"
    runner.write("interrupted.py", source)
    ended = runner.traced("interrupted.py", env=with_triton, more={"triton_preview": "sm_90"})
    assert ended.code == -signal.SIGINT
    (body,) = ended.bodies("triton_preview")
    assert body["error"] == "the program was interrupted"


def forked(process: int) -> bool:
    """Whether a child of the process goes on with its program, rather than with one of its own."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    commands = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children if Path(f"/proc/{child}").exists()]
    return Path(f"/proc/{process}/cmdline").read_bytes() in commands


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for the child in /proc")
def test_an_interrupt_ends_the_preview_and_not_the_program(runner: Runner, with_triton: dict[str, str]) -> None:
    source = """
        import time
        import torch
        import torch._inductor.config as config

        def endless(graph):
            if config.cpu_backend == "triton":
                time.sleep(200)

        config.post_grad_custom_post_pass = endless
        torch.compile(torch.sin)(torch.ones(3))
        torch.compile(torch.cos)(torch.ones(3))
        print("done", flush=True)
        raise SystemExit(4)
    """
    recording = runner.folder / "interrupted"
    recording.mkdir()
    script = runner.write("endless.py", source)
    job = Job(str(script), None, (), str(runner.folder), triton_preview="sm_90").message(recording)
    env = {**os.environ, **with_triton}
    with subprocess.Popen(
        [sys.executable, BOOT, job], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"done\n"
        while not forked(process.pid):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    events = read(recording)
    assert (process.returncode, without_torchs(said.decode())) == (4, "")
    assert events[-1].name == "compilescope_exit"
    errors = [event.body["error"] for event in events if event.name == "compilescope_triton_preview"]
    assert errors == ["interrupted", "interrupted"]


def test_without_triton_it_says_what_to_install(runner: Runner) -> None:
    if not triton_path():
        pytest.skip("Triton is a part of this environment")
    runner.write("small.py", "import torch\ntorch.compile(torch.sin)(torch.ones(3))\n")
    ended = runner.traced("small.py", more={"triton_preview": "sm_80"})
    assert ended.code == 0
    (body,) = ended.bodies("triton_preview")
    assert "pip install triton" in body["error"]
    assert body["graph"] is None


def test_without_a_target_nothing_is_kept(runner: Runner, with_triton: dict[str, str]) -> None:
    runner.write("small.py", "import torch\ntorch.compile(torch.sin)(torch.ones(3))\n")
    ended = runner.traced("small.py", env=with_triton)
    assert [event.name for event in ended.events if "triton" in event.name] == []
