"""The Triton kernels of a machine with a GPU, as far as one without it can tell.

Inductor's own autotuner compiles kernels for a GPU, with the real Triton; only the driver, which would load them, count
registers and time them, is stood in for. `tests/gpu/` has the rest, for a machine with a GPU.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from triton_wheel import triton_path

from tests.unit.tracer.conftest import Runner, Traced

pytestmark = pytest.mark.torch

KERNEL = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties

gpu = DeviceProperties(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, warp_size=32)

@triton_heuristics.{heuristics},
    filename=__file__,
    triton_meta={{"signature": {{"out": "*fp32", "xnumel": "i32", "XBLOCK": "constexpr"}}, "device": gpu,
                 "constants": {{}}, "configs": [{{(0,): [["tt.divisibility", 16]]}}]}},
    inductor_meta={{"kernel_name": "{name}", "grid_type": "Grid1D", "autotune_local_cache": False}},
)
@triton.jit
def {name}(out, xnumel, XBLOCK: tl.constexpr):
    index = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(out + index, {value}, index < xnumel)
"""

PROGRAM = """
    import sys
    import torch
    import torch._inductor.config as config
    from torch._inductor.runtime import runtime_utils, triton_helpers, triton_heuristics

    for name in ("use_static_cuda_launcher", "use_static_triton_launcher"):
        if hasattr(config, name):
            setattr(config, name, False)
    triton_helpers.set_driver_to_gpu = lambda: None

    def make_launchers(self):
        self.launchers = []
        for registers, result in enumerate(self.compile_results, 30):
            launcher = lambda: None
            launcher.config, launcher.n_regs, launcher.n_spills = result.config, registers, 2
            launcher.shared = result.kernel.metadata.shared
            launcher.cache_hash = runtime_utils.triton_hash_to_path_key(result.kernel.hash)
            self.launchers.append(launcher)

    def benchmark_all_configs(self):
        return {launcher: -launcher.n_regs for launcher in self.launchers}

    triton_heuristics.CachingAutotuner._make_launchers = make_launchers
    triton_heuristics.CachingAutotuner.benchmark_all_configs = benchmark_all_configs

    import fixed, again, tuned, unrun, trial
    fixed.triton_fixed.precompile()
    again.triton_fixed.precompile()
    tuned.triton_tuned.precompile()
    print(len(tuned.triton_tuned.launchers))
    unrun.triton_unrun.precompile()
    unrun.triton_unrun.precompile(warm_cache_only=True)
    tuned.triton_tuned.autotune_to_one_config()
    trial.triton_trial.precompile()
    torch.compile(lambda x: x + 1, backend="inductor")(torch.ones(4))
"""
FIXED = 'fixed_config({"XBLOCK": 128, "num_warps": 4, "num_stages": 1}'
SEVERAL = 'pointwise({"x": 1 << 20}'


@pytest.fixture(scope="module")
def traced(shared_runner: Runner) -> Traced:
    kernels = {
        "fixed": ("triton_fixed", FIXED, 1.0),
        "again": ("triton_fixed", FIXED, 1.0),
        "tuned": ("triton_tuned", SEVERAL, 2.0),
        "unrun": ("triton_unrun", SEVERAL, 3.0),
        "trial": ("triton_trial", FIXED, 4.0),
    }
    for file, (name, heuristics, value) in kernels.items():
        source = KERNEL.format(name=name, heuristics=heuristics, value=value)
        source = source.replace('"kernel_name": "triton_trial"', '"kernel_name": "Placeholder.DESCRIPTIVE_NAME"')
        (shared_runner.folder / f"{file}.py").write_text(source)
    shared_runner.write("program.py", PROGRAM)
    path = os.pathsep.join(filter(None, [triton_path(), os.environ.get("PYTHONPATH")]))
    cache = str(shared_runner.folder / "triton")
    return shared_runner.traced("program.py", env={"PYTHONPATH": path, "TRITON_CACHE_DIR": cache})


def bodies(traced: Traced, name: str) -> list[dict[str, Any]]:
    return [body for body in traced.bodies("triton") if body["kernel"] == name]


def test_a_kernel_without_a_choice(traced: Traced) -> None:
    assert traced.code == 0, traced.err
    body = bodies(traced, "triton_fixed")[0]
    assert (body["preview"], body["target"], body["limits"], body["error"]) == (False, "sm_90", [], None)
    assert (body["registers"], body["spills"], body["num_warps"], body["config"]) == (30, 2, 4, {"XBLOCK": 128})
    assert (body["candidates"], body["chosen"]) == (1, True)
    assert list(body["stages"]) == ["ttir", "ttgir", "llir", "ptx"]
    assert ".entry triton_fixed(" in body["stages"]["ptx"]
    assert "@triton.jit" in body["source"]


def test_texts_are_written_once(traced: Traced) -> None:
    first, second = bodies(traced, "triton_fixed")
    assert first["key"] == second["key"]
    assert (second["source"], second["stages"]) == (None, {})


def test_a_choice_is_recorded_when_it_is_made(traced: Traced) -> None:
    (body,) = bodies(traced, "triton_tuned")
    candidates = int(traced.out)
    assert candidates > 1
    assert (body["candidates"], body["chosen"]) == (candidates, True)
    assert body["registers"] == 30 + candidates - 1, "the one that was measured to be the fastest"
    assert ".entry triton_tuned(" in body["stages"]["ptx"]


def test_a_kernel_that_never_ran_shows_its_first_candidate(traced: Traced) -> None:
    (body,) = bodies(traced, "triton_unrun")
    assert (body["registers"], body["candidates"], body["chosen"]) == (30, int(traced.out), False)


def test_what_is_only_measured_has_figures_and_no_texts(traced: Traced) -> None:
    (body,) = [body for body in traced.bodies("triton") if body.get("trial")]
    assert (body["kernel"], body["source"], body["stages"]) == (None, None, {})
    assert (body["graph"], body["registers"], body["spills"]) == ("0/0/inference", 30, 2)
    assert (body["config"], body["chosen"]) == ({"XBLOCK": 128}, False)
    assert not [body for body in traced.bodies("triton") if "Placeholder" in str(body["kernel"])]


def test_nothing_is_missing(traced: Traced) -> None:
    hooks = [hook["hook"] for body in traced.bodies("unavailable") for hook in body["hooks"]]
    assert not [hook for hook in hooks if "Autotuner" in hook or "Triton" in hook]
