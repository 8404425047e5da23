"""`slow-compile` for models with many blocks of one kind and for parts of compiling, from recordings made by hand."""

from __future__ import annotations

import json
import re
import sys

import pytest
from compilescope.analysis.data import load

from tests.unit.analysis.made import Made

SOURCE = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        for block in self.layers:
            x = block(x)
        return self.head(x)
"""


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def traced(made, count, each, *, kind="Block"):
    nodes = [
        {"name": f"n{block}_{number}", "op": "call_function", "target": "t", "inputs": [],
         "module": [f"L['self'].layers.{block}.part{number % 3}", kind if block else "First"]}
        for block in range(count)
        for number in range(each)
    ]  # fmt: skip
    made.event("compilescope_snapshot", {"id": "first", "nodes": nodes}, "0/0")
    stage = {"graph": "0/0/dynamo", "stage": "dynamo", "position": "after", "snapshot": "first"}
    made.event("compilescope_stage", stage | {"nodes": len(nodes), "edges": 0}, "0/0")
    made.compiled("0/0", "forward", 4, 30.0, graph_node_count=len(nodes))


def slow(made):
    return [one for one in made.findings() if one.rule == "slow-compile"]


def test_blocks_of_one_kind_are_told_where_the_model_loops_over_them(made):
    traced(made, 24, 20)
    (finding,) = slow(made)
    assert (finding.severity, finding.range.start.line, finding.range.start.character) == ("information", 4, 8)
    assert finding.title.startswith("23 blocks of one kind in `layers` went into one graph: 480 operations")
    assert "`for block in model.layers: block.compile()`" in finding.hints[0]


@pytest.mark.parametrize(("count", "each"), [(6, 100), (24, 5)])
def test_few_blocks_and_small_graphs_are_none(made, count, each):
    traced(made, count, each)
    assert slow(made) == []


PASS = {"phase": "post_grad", "name": "post_grad_custom_post_pass", "order": 1, "depth": 0, "changed": True,
        "custom": True, "function": "app.slow", "file": "/app/main.py", "line": 4, "nodes_before": 40}  # fmt: skip


def part(made, kind):
    return next((one for one in slow(made) if one.detail.get("kind") == kind), None)


@pytest.mark.parametrize(("seconds", "told"), [(3.0, True), (1.5, False), (0.5, False)])
def test_a_custom_pass_that_takes_a_large_share_is_told_where_it_is_defined(made, seconds, told):
    made.compiled("0/0", "forward", 4, 9.0)
    for _ in range(2):
        made.event("compilescope_pass", PASS | {"graph": "0/0/forward", "seconds": seconds / 2}, "0/0")
    found = part(made, "own-pass")
    assert (found is not None) is told
    if found is not None:
        assert found.title == f"the custom pass `slow` took {seconds:.2f} s of 9.00 s of compiling"
        assert (found.severity, found.file, found.range.start.line) == ("information", "/app/main.py", 3)
        assert found.detail["label"] == "3.00 s in 2 runs, over graphs of up to 40 nodes"


def test_a_pass_of_torch_s_is_told_with_the_setting_that_turns_it_off(made):
    made.compiled("0/0", "forward", 4, 9.0)
    own = PASS | {"name": "reorder_for_locality", "custom": False, "function": None, "file": None, "line": None}
    made.event("compilescope_pass", own | {"graph": "0/0/forward", "seconds": 4.0}, "0/0")
    found = part(made, "pass")
    assert found.title.startswith("the pass `reorder_for_locality` took 4.00 s")
    assert (found.range.start.line, found.range.start.character) == (3, 8)
    assert found.hints[0].startswith("`torch._inductor.config.reorder_for_locality = False`")


def span(made, name, start, seconds, compile_id="0/0"):
    for ph, time in (("B", start), ("E", start + seconds)):
        event = {"name": name, "ts": time * 1e6, "ph": ph, "tid": 1}
        made.torch_event("chromium_event", {}, compile_id, payload=json.dumps(event))


def test_generated_kernels_that_took_most(made):
    span(made, "PyCodeCache.load_by_key_path", 0, 20)
    made.compiled("0/0", "forward", 4, 30.0)
    kernel = {"name": "cpp_fused_add_0", "kind": "cpp", "nodes": [], "frames": []}
    made.event("compilescope_kernels", {"graph": "0/0/forward", "kernels": [kernel]}, "0/0")
    found = part(made, "kernels")
    assert found.title == "compiling C++ kernels took 20.00 s of 30.00 s of compiling"
    assert "TORCHINDUCTOR_CACHE_DIR" in found.hints[0]


def test_autotuning_that_took_a_large_share(made):
    span(made, "mm_template_autotuning", 0, 5)
    span(made, "mm_template_precompiling", 6, 3)
    made.compiled("0/0", "forward", 4, 20.0)
    assert part(made, "autotune").title == "measuring kernels (autotuning) took 8.00 s of 20.00 s of compiling"


def test_measuring_outside_of_a_compile_and_in_one_that_did_not_end(made):
    span(made, "mm_template_autotuning", 0, 5)
    made.compiled("0/0", "forward", 4, 10.0)
    span(made, "CachingAutotuner.coordinate_descent_tuning", 20, 6, compile_id=None)
    made.torch_event("dynamo_start", {"stack": [{"line": 4, "name": "forward", "filename": 0}]}, "1/0")
    span(made, "mm_template_autotuning", 30, 50, compile_id="1/0")
    found = part(made, "autotune")
    assert found.title == "measuring kernels (autotuning) took 61.00 s of 66.00 s of compiling"
    assert found.compile_ids == ["0/0", "1/0"]
    assert found.explanation.endswith("The dearest: 1/0 50.00 s, outside of compiles 6.00 s, 0/0 5.00 s.")


@pytest.mark.parametrize(("guards", "told"), [(4000, True), (40, False)])
def test_guards_that_took_a_large_share(made, guards, told):
    span(made, "PyCodeCache.load_by_key_path", 0, 1)
    span(made, "build_guards", 2, 6)
    made.compiled("0/0", "forward", 4, 20.0, guard_count=guards)
    found = part(made, "guards")
    assert (found is not None) is told
    assert found is None or found.detail["label"] == "4000 guards, 6.00 s"


@pytest.mark.parametrize(("count", "nodes", "told"), [(10, 4, True), (5, 4, False), (10, 60, False)])
def test_many_small_graphs_of_one_function(made, count, nodes, told):
    span(made, "PyCodeCache.load_by_key_path", 0, 1)
    for number in range(count):
        name = f"torch_dynamo_resume_in_forward_at_{5 + number}" if number else "forward"
        made.compiled(f"{number}/0", name, 4 + number, 1.0, graph_node_count=nodes)
    found = part(made, "small-graphs")
    assert (found is not None) is told
    assert found is None or found.title.startswith(
        "`Net.forward` became 10 graphs of 4 nodes on average: 10.00 s of 10"
    )


def test_many_functions_of_one_name_are_not_one(made):
    span(made, "PyCodeCache.load_by_key_path", 0, 1)
    for number in range(12):
        made.compiled(f"{number}/0", "<lambda>", 4 + number, 1.0, graph_node_count=4)
    assert part(made, "small-graphs") is None


def test_settings_that_are_named_are_torch_s():
    config = pytest.importorskip("torch._inductor.config")
    for name in load("slow")["switches"].values():
        assert hasattr(config, name.removeprefix("torch._inductor.config.")), name
    texts = json.dumps(load("slow"))
    for name in re.findall(r"torch\._inductor\.config\.(\w+)", texts):
        assert hasattr(config, name), name
    for name in re.findall(r"torch\.compiler\.(\w+)", texts):
        assert hasattr(sys.modules["torch"].compiler, name), name
