"""Kernels of logs that torch wrote alone, with the lines that they compute."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made

SHARED = Path(__file__).parents[4] / "shared/traces/inductor_provenance_jit_cuda_log.txt"
LAST = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[8]"):
         # File: /app/main.py:2 in f, code: y = x.relu()
        relu: "f32[8][1]cpu" = torch.ops.aten.relu.default(arg0_1)

        # No stacktrace found for following nodes
        mm_default: "f32[8][1]cpu" = torch.ops.aten.mm.default(relu, relu)
        return (mm_default,)
"""
FIRST = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[8]"):
         # File: /app/main.py:3 in f, code: return y @ y
        matmul: "f32[8][1]cpu" = y @ y
"""
CODE = '''# AOT ID: ['0_inference']
cpp_fused_relu_0 = async_compile.cpp_pybinding(['float*'], r"""
extern "C" void kernel(float* out) {}
""")
'''


def made_with(tmp_path: Path, mapping: object) -> Made:
    made = Made(tmp_path, "def f(x):\n    y = x.relu()\n    return y @ y\n")
    made.compiled("0/0", "f", 1)
    made.event("before_pre_grad_graph", FIRST, "0/0")
    made.event("after_post_grad_graph", LAST, "0/0")
    made.torch_event("inductor_output_code", {"filename": "/tmp/cache/abc.py"}, "0/0", payload=CODE)
    made.event("inductor_provenance_tracking_node_mappings", mapping, "0/0")
    return made


def test_kernels_with_nodes_and_lines(tmp_path):
    mapping = {
        "cppCodeToPost": {"cpp_fused_relu_0:1": ["relu"], "extern_kernels.mm:2": ["mm_default"]},
        "postToPre": {"mm_default": ["matmul"], "relu": ["y"]},
        "version": 2.0,
    }
    first, second = made_with(tmp_path, mapping).result().kernels
    assert (first.name, first.kind, first.language, first.nodes) == ("cpp_fused_relu_0", "cpp", "C++", ["relu"])
    assert (first.compile_id, first.graph) == ("0/0", "0/0/inference")
    assert [place.range.start.line + 1 for place in first.places] == [2]
    assert first.source is not None
    assert first.source.start_line == 3
    # The last graph has no line for it: that of the node that it was made of counts.
    assert (second.kind, second.lines) == ("extern", [{"file": "/app/main.py", "line": 3}])


def test_without_version_and_without_what_it_was_made_of(tmp_path):
    (one,) = made_with(tmp_path, {"cppCodeToPost": {"triton_poi_fused_0": ["mm_default", "unknown"]}}).result().kernels
    assert (one.name, one.language, one.lines) == ("triton_poi_fused_0", "Triton", [])


@pytest.mark.parametrize(
    "mapping", [[], {"cppCodeToPost": []}, {"cppCodeToPost": {"a": 3, "b": [None, {}]}, "postToPre": 4}, "text"]
)
def test_mappings_that_are_none(tmp_path, mapping):
    assert all(one.nodes == [] for one in made_with(tmp_path, mapping).result().kernels)


def test_our_own_kernels_count(tmp_path):
    made = made_with(tmp_path, {"cppCodeToPost": {"cpp_fused_relu_0": ["relu"]}})
    own = {"graph": "0/0/inference", "code": "abc.py", "kernels": [{"name": "own", "kind": "cpp", "nodes": ["relu"]}]}
    made.event("compilescope_kernels", own, "0/0")
    assert [one.name for one in made.result().kernels] == ["own"]


@pytest.mark.skipif(not SHARED.is_file(), reason="the log is not here")
def test_a_log_of_another_machine():
    with Recording.open(SHARED) as recording:
        result = analyse(recording)
        (event,) = recording.events("inductor_provenance_tracking_node_mappings")
        told = json.loads(recording.payload(event))
    assert {one.name: one.nodes for one in result.kernels} == told["cppCodeToPost"]
    relu = next(one for one in result.kernels if one.name == "triton_poi_fused_addmm_relu_sigmoid_0")
    assert {line["line"] for line in relu.lines} == {29, 30, 31}
