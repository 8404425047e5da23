"""Totals of each function and file, and kinds of fallbacks, from recordings made by hand."""

from __future__ import annotations

import pytest
from compilescope.analysis.fallbacks import kind_of

from tests.unit.analysis.made import Made, frame
from tests.unit.analysis.test_metrics import lowered

MAIN = "/app/main.py"
SOURCE = """\
import torch

class Net:
    def forward(self, x):
        y = x.sin()
        print("now")
        return y + 1

@torch.compile
def other(x):
    return x @ x
"""
CODE = {"file": MAIN, "line": 4, "function": "forward"}


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def shares(made):
    return {one.function: one for one in made.result().metrics_by_function}


def test_pieces_and_recompiles_are_of_their_function(made):
    made.compiled("0/0", "forward", 4, 1.0)
    made.graph_break("0/0", [frame(MAIN, 6, "forward")], code=CODE)
    made.compiled("1/0", "torch_dynamo_resume_in_forward_at_6", 6, 0.5)
    made.recompile("0/1", CODE, "L['x'].size()[0] == 2")
    made.compiled("0/1", "forward", 4, 0.25)
    made.compiled("2/0", "other", 9, 2.0)
    result = made.result()
    net, other = result.metrics_by_function
    assert (net.function, net.line, net.compile_ids) == ("Net.forward", 4, ["0/0", "1/0", "0/1"])
    assert net.metrics["capture_s"] == 1.75
    assert [net.metrics[key] for key in ("compiles", "graphs", "graph_breaks", "recompiles")] == [3, 3, 1, 1]
    assert (other.function, other.metrics["capture_s"], other.metrics["graph_breaks"]) == ("other", 2.0, 0)
    (file,) = result.metrics_by_file
    assert (file.file, file.metrics["compiles"], file.metrics["capture_s"]) == (MAIN, 4, 3.75)
    for key in ("compiles", "graphs", "graph_breaks", "recompiles", "capture_s"):
        assert file.metrics[key] == net.metrics[key] + other.metrics[key]
    for key in ("compiles", "graph_breaks", "recompiles", "limit_hits", "capture_s"):
        assert file.metrics[key] == result.metrics[key]


def test_operations_are_those_of_the_functions_own_compiles(made):
    made.compiled("0/0", "forward", 4)
    lowered(made, "0/0", "forward", 6, ["cpp", "fallback", "fallback"])
    made.compiled("1/0", "other", 9)
    lowered(made, "1/0", "inference", 4, ["cpp"])
    made.compiled("2/0", "third", 20)
    found = shares(made)
    assert [found["Net.forward"].metrics[key] for key in ("total_ops", "fallback_ops")] == [6, 2]
    assert found["other"].metrics["op_coverage"] == 1.0
    assert found["third"].metrics["op_coverage"] is None


def test_a_refused_compile_counts_where_it_was_refused(made):
    made.compiled("0/0", "forward", 4)
    made.recompile("0/8", CODE, "L['x'].size()[0] == 2", refused=True)
    made.graph_break("0/8", [], kind="recompile-limit", code=CODE)
    net = shares(made)["Net.forward"]
    assert (net.metrics["limit_hits"], net.metrics["recompiles"], net.metrics["graphs"]) == (1, 1, 1)


def test_shares_of_a_profile_add_up(made):
    made.compiled("0/0", "forward", 4)
    made.compiled("1/0", "other", 9)
    graphs = [
        {"graph": "0/0/forward", "calls": 1, "seconds": 3.0},
        {"graph": "1/0/inference", "calls": 1, "seconds": 1.0},
    ]
    eager = [{"operator": "aten.sin", "calls": 1, "seconds": 4.0}]
    made.event(
        "compilescope_profile",
        {"seconds": 9.0, "ended": None, "events": 3, "eager": eager, "inside": [], "graphs": graphs, "lookups": {}},
    )
    result = made.result()
    assert [one.metrics["graph_share"] for one in result.metrics_by_function] == [0.375, 0.125]
    assert result.metrics["graph_share"] == 0.5


@pytest.mark.parametrize(
    "operator",
    [
        "aten.mm.default", "aten.addmm.out", "aten.bmm.default", "aten.baddbmm.default", "aten.convolution.default",
        "aten.convolution_backward.default", "mkldnn._convolution_pointwise.default", "aten.sort.stable",
        "aten._scaled_dot_product_flash_attention_for_cpu.default", "aten.topk.default", "aten._cudnn_rnn.default",
        "mkldnn._linear_pointwise.default", "_c10d_functional.all_reduce.default",
    ],
)  # fmt: skip
def test_what_inductor_leaves_to_a_library_is_no_finding(operator):
    assert kind_of(operator, is_complex=False).get("silent")


def test_other_operators_have_words_for_their_kind():
    kinds = {
        name: kind_of(name, is_complex=False)["title"]
        for name in ("aten.cumsum.default", "aten.nonzero.default", "mine.twice.default", "aten._linalg_svd.default")
    }
    assert all("{operator}" in title for title in kinds.values())
    assert "custom operator" in kinds["mine.twice.default"]
    assert "depends on the data" in kinds["aten.nonzero.default"]
    assert "custom" not in kinds["aten.cumsum.default"]
    assert "complex" in kind_of("aten.mul.Tensor", is_complex=True)["title"]
    assert "complex" not in kind_of("aten.mul.Tensor", is_complex=False)["title"]


def test_a_fallback_that_takes_complex_numbers(made):
    made.compiled("0/0", "other", 9)
    nodes = [
        {"name": "view_as_complex", "op": "call_function", "target": "a", "inputs": [], "dtype": "complex64"},
        {"name": "view_as_real", "op": "call_function", "target": "b", "inputs": [0], "dtype": "float32"},
        {"name": "cumsum", "op": "call_function", "target": "c", "inputs": [1], "dtype": "float32"},
    ]
    made.event("compilescope_snapshot", {"id": "last", "nodes": nodes}, "0/0")
    stage = {"graph": "0/0/inference", "stage": "post_grad", "position": "after", "snapshot": "last"}
    made.event("compilescope_stage", stage, "0/0")
    place = [frame(MAIN, 11, "other", 11, 16)]
    kernels = [
        {"name": f"k{one}", "kind": "fallback", "operator": f"aten.{one}.default", "nodes": [one], "frames": place}
        for one in ("view_as_real", "cumsum")
    ]
    made.event("compilescope_kernels", {"graph": "0/0/inference", "kernels": kernels}, "0/0")
    titles = {one.detail["operator"]: one.title for one in made.findings()}
    assert "complex" in titles["aten.view_as_real.default"]
    assert "complex" not in titles["aten.cumsum.default"]


def test_operators_on_complex_numbers_are_one_finding_for_each_line(made):
    made.compiled("0/0", "other", 9)
    for graph in ("0/0/forward", "0/0/backward"):
        nodes = [
            {"name": one, "op": "call_function", "target": one, "inputs": [], "dtype": "complex64"}
            for one in ("mul", "add")
        ]
        made.event("compilescope_snapshot", {"id": graph, "nodes": nodes}, "0/0")
        stage = {"graph": graph, "stage": "post_grad", "position": "after", "snapshot": graph}
        made.event("compilescope_stage", stage, "0/0")

    def kernel(name, line):
        place = [frame(MAIN, line, "other", 11, 16)]
        return {"name": name, "kind": "fallback", "operator": f"aten.{name}.Tensor", "nodes": [name], "frames": place}

    backward = [kernel("add", 11), kernel("mul", 12)]
    made.event("compilescope_kernels", {"graph": "0/0/backward", "kernels": backward}, "0/0")
    made.event("compilescope_kernels", {"graph": "0/0/forward", "kernels": [kernel("mul", 11)]}, "0/0")
    result = made.result()
    both, alone = sorted(result.findings, key=lambda one: one.range.start.line)
    assert both.title.startswith("2 operators on complex numbers")
    assert both.detail["operators"] == ["aten.mul.Tensor", "aten.add.Tensor"]
    assert both.detail["operator"] == "aten.mul.Tensor"
    assert (both.count, both.detail["kernel"]) == (2, "mul")
    assert "1 of 2 kernels in the backward" in both.detail["label"]
    assert alone.title.startswith("`aten.mul.Tensor` works on complex numbers")
    assert alone.detail["label"].endswith("in the backward graph")
    assert result.metrics["fallback_ops"] == 3


@pytest.mark.parametrize(
    ("operators", "about", "rotates"),
    [(["_fft_r2c.default"], "is a Fourier transform", False),
     (["view_as_real.default", "_fft_c2c.default"], "a Fourier transform and what goes with it", False),
     (["mul.Tensor", "_fft_c2c.default"], "a Fourier transform and what goes with it", True)],
)  # fmt: skip
def test_a_line_with_a_fourier_transform_gets_advice_about_that(made, operators, about, rotates):
    made.compiled("0/0", "other", 9)
    names = [one.partition(".")[0] for one in operators]
    nodes = [{"name": one, "op": "call_function", "target": one, "inputs": [], "dtype": "complex64"} for one in names]
    made.event("compilescope_snapshot", {"id": "last", "nodes": nodes}, "0/0")
    stage = {"graph": "0/0/forward", "stage": "post_grad", "position": "after", "snapshot": "last"}
    made.event("compilescope_stage", stage, "0/0")
    place = [frame(MAIN, 11, "other", 11, 16)]
    kernels = [
        {"name": name, "kind": "fallback", "operator": f"aten.{one}", "nodes": [name], "frames": place}
        for name, one in zip(names, operators, strict=True)
    ]
    made.event("compilescope_kernels", {"graph": "0/0/forward", "kernels": kernels}, "0/0")
    (finding,) = made.findings("fallback-op")
    assert about in finding.title
    assert "rfft" in finding.hints[0]
    assert any("cosine" in hint for hint in finding.hints) is rotates
