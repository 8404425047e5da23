"""Generated code beside its source, of the recording from an H200 (`tests/gpu/fixture.py`) and of texts made here.

What is expected comes from the program, from the operation that a line of a kernel does, and from the compilers' debug
information as it stands in their own text.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from compilescope.analysis import analyse, code_folds, ir_lines, kernel_bands
from compilescope.analysis.analyse import context_of
from compilescope.analysis.code_model import CodeView
from compilescope.analysis.code_view import CodeViews
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.kernel_bands import Computed
from compilescope.recording.reader import Recording

FOLDER = Path(__file__).parents[2] / "fixtures" / "h200"


def views_of(folder: Path) -> CodeViews:
    recording = Recording.open(str(folder))
    context = context_of(recording)
    return CodeViews(recording, context, analyse(recording), Graphs(recording, context))


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeViews]:
    folder = tmp_path_factory.mktemp("h200")
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    return views_of(folder)


@pytest.fixture(scope="module")
def forward(views: CodeViews) -> CodeView:
    return views.view("0/0", "0/0/forward")


def expression(view: CodeView, number: int) -> str:
    return view.expressions[number].text if number >= 0 else ""


def test_each_graph_of_a_compile_can_be_chosen_and_has_the_same_letters(views, forward):
    assert forward.graphs == ["0/0/forward", "0/0/backward"]
    backward = views.view("0/0", "0/0/backward")
    assert backward.graph == "0/0/backward"
    assert backward.expressions == forward.expressions
    assert backward.texts[0].text != forward.texts[0].text


def test_a_line_of_a_kernel_belongs_to_the_expression_with_its_operation(forward):
    (text,) = forward.texts
    bands = dict(zip(text.text.split("\n"), text.bands, strict=True))
    of = {line.strip(): expression(forward, band) for line, band in bands.items()}
    gelu = next(line for line in of if "libdevice.erf" in line)
    assert of[gelu] == "functional.gelu(self.up(x))"
    norm = next(line for line in of if "libdevice.rsqrt" in line)
    assert of[norm] == "self.norm(x)"
    # tmp3 = bias + product, tmp4 = residual + that: two additions of two expressions in one kernel.
    last = next(one for one in text.kernels if one.name == "triton_poi_fused_add_addmm_view_3")
    sums = [
        (line.strip(), band)
        for line, band in zip(
            text.text.split("\n")[last.start : last.end], text.bands[last.start : last.end], strict=True
        )
        if re.match(r"\s+tmp\d+ = tmp\d+ \+ tmp\d+$", line)
    ]
    assert [expression(forward, band) for _, band in sums] == [
        "self.down(functional.gelu(self.up(x)))",
        "x + self.down(functional.gelu(self.up(x)))",
    ]


def test_calls_stand_where_the_code_calls_them(forward):
    (text,) = forward.texts
    lines = text.text.split("\n")
    assert text.kernels
    for kernel in text.kernels:
        assert kernel.call is not None
        assert kernel.name.removeprefix("torch.ops.") in lines[kernel.call - 1]
        if kernel.start is not None:
            assert f"def {kernel.name}(" in "\n".join(lines[kernel.start - 1 : kernel.end])


def test_stages_of_a_kernel_go_with_the_line_that_their_debug_information_names(views, forward):
    stages = {one.stage: one for one in views.stages(forward, "triton_poi_fused_gelu_view_2", preview=False)}
    assert list(stages) == ["ttir", "ttgir", "llir", "ptx"]
    (text,) = forward.texts
    kernel = next(one for one in text.kernels if one.name == "triton_poi_fused_gelu_view_2")
    source = text.text.split("\n")[kernel.start - 1 : kernel.end]
    erf = next(number for number, line in enumerate(source) if "libdevice.erf" in line)
    band = text.bands[kernel.start - 1 + erf]
    for stage, operation in (("ttir", "erf"), ("ttgir", "erf"), ("llir", "fma.rn"), ("ptx", "fma.rn")):
        found = [
            band
            for line, band in zip(stages[stage].text.split("\n"), stages[stage].bands, strict=True)
            if operation in line and not line.startswith("declare")
        ]
        assert found, stage
        assert set(found) == {band}, stage
    ptx = stages["ptx"].text.split("\n")
    assert all(at < band for at, band in stages["ptx"].data)
    assert any(line.strip().startswith(".section") for line in ptx[stages["ptx"].data[0][0] - 1 :])


def test_why_loops_are_one_kernel_is_said_where_the_schedule_shows_it(forward):
    norm = forward.texts[0].kernels[0]
    assert norm.fused == "all 4 loops go through the same 128 rows of 64 elements."
    assert next(one for one in forward.texts[0].kernels if one.kind == "extern").fused is None


def test_inlined_code_counts_for_the_line_that_calls_it():
    ttir = """#loc = loc("/k.py":18:0)
#loc1 = loc("/triton/standard.py":263:15)
#loc2 = loc("/k.py":41:24)
#loc3 = loc("tmp7"(#loc2))
%0 = arith.addf %1, %2 : f32 loc(#loc4)
%1 = arith.mulf %1, %2 : f32 loc(#loc1)
#loc4 = loc(callsite(#loc1 at #loc3))"""
    assert ir_lines.lines("ttir", ttir).lines == [0, 0, 0, 0, 41, 0, 0]
    llir = """%1 = fadd float %0, !dbg !2
!2 = !DILocation(line: 293, scope: !1, inlinedAt: !3)
!3 = !DILocation(line: 41, scope: !1)"""
    assert ir_lines.lines("llir", llir).lines == [41, 0, 0]
    ptx = """
    .loc 1 34 5
    add.f32 %r1, %r2;
    .loc 2 263 15 // standard.py:263:15 @[ k.py:41:24 ]
    add.f32 %r1, %r2;"""
    assert ir_lines.lines("ptx", ptx).lines == [0, 34, 34, 41, 41]


def test_cycles_in_debug_information_end():
    assert ir_lines.lines("ttir", "#loc = loc(#loc1)\n#loc1 = loc(#loc)\nx loc(#loc)").lines[2] == 0
    assert ir_lines.lines("llir", "x, !dbg !1\n!1 = !DILocation(line: 3, column: 1, inlinedAt: !1)").lines[0] == 3
    assert ir_lines.lines("ptx", ".section x\n" * 3).data == []


def test_a_line_that_fits_several_expressions_has_none():
    nodes = [Computed("mul", "mul", ("a",), 0), Computed("mul_1", "mul", ("b",), 1)]
    lines = ["    tmp0 = tl.load(in_ptr0 + x0)", "    tmp1 = tmp0 * tmp0", "    tmp2 = libdevice.exp(tmp1)"]
    assert kernel_bands.expressions(lines, nodes) == [-1, -1, -1]
    # The exponential takes the second product, so the line before it is that one.
    known = [*nodes, Computed("exp", "exp", ("mul_1",), 2)]
    assert kernel_bands.expressions(lines, known) == [1, 1, 2]


@pytest.mark.parametrize("lines", [[], ["tmp0 = tmp0 + tmp0"] * 50, ["'" * 5000], ["tl.store(", "tmp = ", "a[" * 900]])
def test_text_that_is_no_kernel_is_harmless(lines):
    nodes = [Computed("add", "add", ("add",), 0), Computed("mul", "mul", ("gone",), 1)]
    assert len(kernel_bands.expressions(lines, nodes, [["add"], ["nobody"]])) == len(lines)
    folds = code_folds.folds(lines, [code_folds.Placed("k", "Triton", 1, 9)], [1, 99])
    assert all(one.start >= 1 for one in folds)


def test_everything_but_kernels_and_their_calls_can_be_folded(forward):
    (text,) = forward.texts
    hidden = {line for one in text.folds for line in range(one.start, one.end + 1)}
    called = {kernel.call for kernel in text.kernels}
    assert hidden.isdisjoint(called)
    shown = [
        line for number, line in enumerate(text.text.split("\n"), 1) if number not in hidden and number not in called
    ]
    assert all(re.match(r"\s*(?:def call|return |with |torch\.cuda|stream0|del |buf\d+ = |$)", line) for line in shown)


def test_a_compile_that_is_not_there_has_no_code(views):
    view = views.view("7/7")
    assert (view.graph, view.texts, view.nodes) == (None, [], [])
    assert views.stages(view, "nothing", preview=False) == []
    assert views.stages(views.view("0/0"), "nothing", preview=True) == []
