"""Fallbacks of a log that torch wrote alone: calls in the generated code, on the lines of the graph before it."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made

SOURCE = """import torch


@torch.compile
def f(x, w):
    y = torch.linalg.svdvals(x)
    return torch.fft.fft(y), x @ w
"""
GRAPH = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[4, 4][4, 1]cpu", arg1_1: "f32[4, 4][4, 1]cpu"):
        # File: {file}:6 in f, code: y = torch.linalg.svdvals(x)
        _linalg_svd = torch.ops.aten._linalg_svd.default(arg0_1)
        getitem_1: "f32[4][1]cpu" = _linalg_svd[1];  _linalg_svd = None
        # File: {file}:7 in f, code: return torch.fft.fft(y), x @ w
        _fft: "c64[4][1]cpu" = torch.ops.aten._fft_r2c.default(getitem_1, [0], 0, False)
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(getitem_1);  getitem_1 = None
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(arg0_1, arg1_1)
        return (_fft, mm)"""
CODE = """# AOT ID: ['0_inference']
alloc_from_pool = torch.ops.inductor._alloc_from_pool
def call(args):
    buf0 = torch.ops.aten._linalg_svd.default(arg0_1)
    assert_size_stride(buf1, (4, ), (1, ), 'torch.ops.aten.sum.default')
    buf2 = torch.ops.aten._fft_r2c.default(buf1, [0], 0, False)
    buf3 = torch.ops.aten.mm.default(arg0_1, arg1_1)
"""


def made(tmp_path, *, graph: str | None, code: str = CODE) -> Made:
    file = tmp_path / "main.py"
    file.write_text(SOURCE)
    recording = Made(tmp_path, file=str(file), ours=False)
    recording.compiled("0/0", "f", 4)
    if graph is not None:
        recording.event(graph, GRAPH.format(file=file), "0/0")
    recording.event("inductor_output_code", code, "0/0")
    return recording


# Torch 2.9 writes the graph under another name than later ones.
@pytest.mark.parametrize("graph", ["inductor_post_grad_graph", "after_post_grad_graph"])
def test_calls_of_operators_are_on_the_lines_of_their_nodes(tmp_path, graph):
    found = [one for one in made(tmp_path, graph=graph).result().findings if one.rule == "fallback-op"]
    assert sorted((one.range.start.line + 1, one.detail["operators"]) for one in found) == [
        (6, ["aten._linalg_svd.default"]),
        (7, ["aten._fft_r2c.default"]),
    ]
    assert {tuple(one.compile_ids) for one in found} == {("0/0",)}
    assert "Fourier" in next(one.title for one in found if one.range.start.line == 6)


@pytest.mark.parametrize(("graph", "code"), [(None, CODE), ("inductor_post_grad_graph", "def call(args):\n    return")])
def test_without_the_graph_or_without_calls_there_is_none(tmp_path, graph, code):
    assert made(tmp_path, graph=graph, code=code).result().findings == []
