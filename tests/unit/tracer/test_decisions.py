"""What Inductor decided about generated code, against what torch itself prints and counts."""

import re

import pytest

pytestmark = pytest.mark.torch

FUSABLE = """
    import torch

    @torch.compile
    def step(x, w):
        scaled = (x * 2).relu()
        total = scaled.sum(0)
        other = w.exp() + 1
        return torch.linalg.inv(scaled + torch.eye(8)), total + other, scaled @ w

    step(torch.ones(8, 8), torch.ones(8, 8))
"""
LOGGED = re.compile(r"\[__fusion\] (.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def printed(shared_runner):
    """What torch prints of a plain run; where it logs from is in each line."""
    shared_runner.write("fusable.py", FUSABLE)
    plain = shared_runner.traced("fusable.py", env={"TORCH_LOGS": "fusion,perf_hints"}, depth="full")
    assert plain.code == 0, plain.err
    return plain


@pytest.fixture(scope="module")
def fused(shared_runner):
    shared_runner.write("fusable.py", FUSABLE)
    traced = shared_runner.traced("fusable.py", more={"fusion": True})
    assert traced.code == 0, traced.err
    assert traced.bodies("unavailable") == []
    return traced


def test_fusion_decisions_are_those_that_torch_logs(fused, printed):
    lines = LOGGED.findall(printed.err)
    against = {tuple(re.fullmatch(r"cannot fuse (\w+) with (\w+): (.*)", line).groups())
               for line in lines if line.startswith("cannot fuse op")}  # fmt: skip
    done = set(re.findall(r"\[__fusion\] fusing (\w+) with (\w+)$", printed.err, re.MULTILINE))
    assert against
    assert done
    (body,) = fused.bodies("fusion")
    decisions = [("_".join(one["first"]), "_".join(one["second"]), one) for one in body["decisions"]]
    assert {(a, b, one["reason"]) for a, b, one in decisions if not one["fused"]} == against
    assert {(a, b) for a, b, one in decisions if one["fused"]} == done


def test_fusion_decisions_have_lines(fused, shared_runner):
    (body,) = fused.bodies("fusion")
    lines = (shared_runner.folder / "fusable.py").read_text().splitlines()
    sources = {name: lines[one["frame"]["line"] - 1].strip() for name, one in body["nodes"].items()}
    assert "total = scaled.sum(0)" in sources.values()
    assert all(name in body["nodes"] for one in body["decisions"] for name in (*one["first"], *one["second"]))


def test_hints_are_those_that_torch_logs(fused, printed):
    hints = set(re.findall(r"\[__perf_hints\] (.*)$", printed.err, re.MULTILINE))
    assert "Using FallbackKernel: torch.ops.aten.linalg_inv_ex.default" in hints
    assert {body["text"] for body in fused.bodies("hint")} == hints
    (fallback,) = [body for body in fused.bodies("hint") if "linalg_inv_ex" in body["text"]]
    assert (fallback["node"], fallback["frame"]["line"]) == ("linalg_inv_ex", 8)


def test_nothing_is_collected_or_printed_unasked(shared_runner, fused):
    traced = shared_runner.traced("fusable.py")
    assert traced.bodies("fusion") == []
    assert traced.bodies("hint")
    plain = shared_runner.plain("fusable.py")
    assert unstamped(traced.err) == unstamped(fused.err) == unstamped(plain.err)


def unstamped(text):
    """What was logged without when and by which process."""
    return re.sub(r"^([VDIWE])\d{4} \S+ \d+ ", r"\1 ", text, flags=re.MULTILINE)


def test_log_lines_say_where_torch_logged(printed):
    places = {line.split("] ")[0].rsplit(" ", 1)[-1] for line in printed.err.splitlines() if "[__" in line}
    assert places
    assert all("torch/_inductor/" in place for place in places)


MEASURED = """
    import torch
    import torch._inductor.config as config

    config.freezing = True
    config.autotune_local_cache = False
    config.max_autotune_gemm_backends = "CPP,ATEN"
    linear = torch.nn.Linear(32, 32)

    with torch.no_grad():
        torch.compile(lambda x: linear(x).relu(), mode="max-autotune")(torch.ones(32, 32))
    print(torch._dynamo.utils.counters["inductor"]["cudagraph_skips"])
"""


@pytest.fixture(scope="module")
def measured(shared_runner):
    shared_runner.write("measured.py", MEASURED)
    traced = shared_runner.traced("measured.py")
    assert traced.code == 0, traced.err
    assert traced.bodies("unavailable") == []
    return traced


def test_choices_are_those_that_torch_prints(measured):
    name = re.search(r"^AUTOTUNE (\w+)\(", measured.err, re.MULTILINE)[1]
    printed = dict(re.findall(r"^  (\S+) ([\d.]+) ms", measured.err, re.MULTILINE))
    (body,) = measured.bodies("autotune")
    assert body["name"] == name
    assert {one["name"]: f"{one['ms']:.4f}" for one in body["choices"]} == printed
    assert body["winner"] == min(printed, key=lambda choice: float(printed[choice]))
    assert {one["kind"] for one in body["choices"]} == {"cpp", "extern"}
    kernels = [kernel for one in measured.bodies("kernels") for kernel in one["kernels"]]
    assert any(body["node"] in kernel["nodes"] for kernel in kernels)


def test_a_skipped_cuda_graph_has_a_reason(measured):
    skips = [body for body in measured.bodies("cudagraph") if body["what"] == "skip"]
    assert len(skips) == int(measured.out)
    assert all(body["reason"] for body in skips)


def test_no_cuda_graphs_no_word_of_them(fused):
    assert fused.bodies("cudagraph") == []


ON_A_GPU = """
    import types
    import torch
    from torch._inductor import cudagraph_trees, cudagraph_utils
    from torch._inductor.runtime import triton_heuristics

    class Manager(cudagraph_trees.CUDAGraphTreeManager):
        def __init__(self):
            self.compile_id, self.mode = "0/0", cudagraph_trees.CompilationMode.BACKWARD

    manager = Manager()
    for _ in range(2):
        try:
            manager.record_function([], cudagraph_trees.FunctionID(7))
        except Exception:
            pass

    for known, size in (({}, 4), ({4: None}, 8)):
        cudagraph_utils.maybe_warning_due_to_dynamic_shape(known, size)
        try:
            cudagraph_trees.cudagraphify(
                None, [size], device_index=0, is_backward=False, is_inference=True, compile_id="1/0"
            )
        except Exception:
            pass
    cudagraph_utils.log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to mutated inputs (1 instances)")

    class Launcher(types.SimpleNamespace):
        __hash__ = object.__hash__

    class Tuner(triton_heuristics.CachingAutotuner):
        def __init__(self):
            self.inductor_meta = {"kernel_name": "triton_poi_fused_add_0"}
            self.compile_id, self.is_backward = "0/0", False
            self.coordesc_tuner = types.SimpleNamespace(cache_benchmark_result=lambda *_: None)
            self.launchers = [Launcher(config=types.SimpleNamespace(
                kwargs={"XBLOCK": size}, num_warps=4, num_stages=1)) for size in (128, 256)]

        def bench(self, launcher, *args, **kwargs):
            return 1000 / launcher.config.kwargs["XBLOCK"]

        def reset_to_zero_args(self, *args, **kwargs):
            pass

        def _close_static_launcher(self, launcher):
            pass

    Tuner().benchmark_all_configs()
"""


def test_events_of_a_gpu(shared_runner):
    """Torch's own classes without a GPU behind them: what they are asked for is recorded before it fails."""
    shared_runner.write("gpu.py", ON_A_GPU)
    traced = shared_runner.traced("gpu.py")
    assert traced.code == 0, traced.err
    graphs = traced.bodies("cudagraph")
    assert [(body["what"], body["graph"]) for body in graphs] == [
        ("record", "0/0/backward"),
        ("re-record", "0/0/backward"),
        ("new-size", "1/0/inference"),
        ("skip", None),
    ]
    assert graphs[1]["recordings"] == 2
    assert (graphs[2]["sizes"], graphs[2]["graphs"]) == (["8"], 2)
    assert graphs[3]["reason"] == "mutated inputs (1 instances)"
    (body,) = traced.bodies("autotune")
    assert (body["kernel"], body["graph"]) == ("triton_poi_fused_add_0", "0/0/forward")
    assert body["winner"] == "XBLOCK=256, num_warps=4, num_stages=1"
    assert [one["ms"] for one in body["choices"]] == [7.8125, 3.90625]
