"""Which choice a kernel without a name was compiled for. On a GPU: tests/unit/analysis/test_gpu_recording.py."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from compilescope.tracer.session import Session
from compilescope.tracer.triton.candidates import Candidates

MODULE = """\
import triton

@triton.jit
def triton_mm(a, out):
    BLOCK = {block}
        
    out += a * BLOCK
"""  # noqa: W293 - as Inductor's templates leave it; Triton keeps the function without the spaces


class Written:
    def __init__(self) -> None:
        self.bodies: list[Any] = []

    def later(self, event: str, body: Any) -> None:
        self.bodies.append((event, body()))


def tuner(block: int, num_warps: int) -> Any:
    source = textwrap.dedent(MODULE.format(block=block))
    config = SimpleNamespace(kwargs={}, num_warps=num_warps, num_stages=3)
    launcher = SimpleNamespace(config=config, n_regs=10 * block + num_warps, n_spills=0, shared=512)
    return SimpleNamespace(launchers=[launcher], fn=SimpleNamespace(src=source[source.index("def ") :]))


def choice(folder: Path, block: int, num_warps: int) -> Any:
    path = folder / f"{block}_{num_warps}.py"
    path.write_text(MODULE.format(block=block))
    return SimpleNamespace(bmreq=SimpleNamespace(module_path=str(path), num_warps=num_warps, num_stages=3))


def test_each_choice_has_the_figures_of_its_kernel(tmp_path: Path) -> None:
    written = Written()
    candidates = Candidates(Session(), written)  # type: ignore[arg-type]
    for block, num_warps in ((1, 4), (1, 8), (2, 4), (3, 4)):
        candidates.add(tuner(block, num_warps))
    choices = [choice(tmp_path, block, num_warps) for block, num_warps in ((2, 4), (1, 8), (1, 4))]
    assert [candidates.figures(one)["registers"] for one in choices] == [24, 18, 14]
    assert candidates.figures(choice(tmp_path, 4, 4)) == {}
    assert candidates.figures(SimpleNamespace(bmreq=None)) == {}
    candidates.write_trials("0/0/forward")
    ((event, body),) = written.bodies
    assert (event, body["graph"], body["registers"], body["trial"]) == ("triton", "0/0/forward", 34, True)
    assert candidates.figures(choices[0])["registers"] == 24, "the same choice in another graph is not compiled again"
