"""Ranks whose differences are known, because the test wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.to_json import to_json
from compilescope.lsp.runs import RunStore
from compilescope.recording.reader import Recording
from compilescope.report.style import Style
from compilescope.report.text import render

from tests.unit.analysis.ranks_made import SCHEDULE, Rank
from tests.unit.analysis.schema import problems

REDUCE = "torch.ops._c10d_functional.all_reduce_.default"
GATHER = "torch.ops._c10d_functional.all_gather_into_tensor.default"


@pytest.fixture
def several(tmp_path):
    return [Rank(number) for number in range(4)], tmp_path


def analysed(several):
    ranks, folder = several
    for one in ranks:
        one.write(folder)
    with Recording.open(folder) as recording:
        return analyse(recording)


def told(result) -> dict[tuple[str, str | None], list[tuple[list[int], str]]]:
    return {
        (one.kind, one.compile_id): [(group.ranks, group.value) for group in one.groups]
        for one in result.ranks.differences
    }


def groups(result) -> dict[tuple[str, str | None], list[list[int]]]:
    return {key: [ranks for ranks, _ in found] for key, found in told(result).items()}


def test_ranks_that_do_the_same_have_no_difference(several):
    for one in several[0]:
        one.compiled(0)
        one.guards(
            f"check_tensor(L['x'], device={one.rank}) ___check_type_id(x, {94000000 + one.rank}) at 0x7f{one.rank}"
        )
        one.artifact(SCHEDULE, [REDUCE], 0)
        one.ran("0/0")
        one.made([4])
    result = analysed(several)
    assert (result.ranks.ranks, result.ranks.differences, result.ranks.slowest) == ([0, 1, 2, 3], [], [])


def test_compiles_that_some_ranks_have_alone(several):
    for one in several[0]:
        one.compiled(0)
        if one.rank in (1, 3):
            one.compiled(1)
    found = told(analysed(several))
    assert found["compile-ids", None] == [([0, 2], "0/0"), ([1, 3], "0/0, 0/1")]
    assert found["missing", "0/1"] == [([0, 2], "not compiled"), ([1, 3], "compiled")]
    assert len(found) == 2


def test_status_graph_and_guards_of_a_compile(several):
    for one in several[0]:
        failed: dict[str, Any] = (
            {"has_guarded_code": False, "fail_type": "X", "fail_reason": "y"} if one.rank == 2 else {}
        )
        one.compiled(0, graph="sin" if one.rank == 3 else "relu", **failed)
        one.guards("L['x'].size == 8" if one.rank == 1 else "L['x'].size == 4")
    found = told(analysed(several))
    assert found["status", "0/0"] == [([0, 1, 3], "ok"), ([2], "failed")]
    assert found["graph", "0/0"] == [([0, 1, 2], "y = relu"), ([3], "y = sin")]
    assert found["guards", "0/0"] == [([0, 2, 3], "L['x'].size == 4"), ([1], "L['x'].size == 8")]
    assert len(found) == 3


def test_cuda_devices_of_the_ranks_are_no_difference(several):
    for one in several[0]:
        one.compiled(0, graph=f"zeros(device='cuda:{one.rank}')")
    assert told(analysed(several)) == {}


@pytest.mark.parametrize(
    "line",
    [  # of H200s: FSDP, tensor parallel, a compiled optimizer
        "full = aten.full.default([], 0.0, device = device(type='cuda', index={rank}), pin_memory = False)",
        "check_tensor(L['x'], Tensor, torch.float32, device={rank}, requires_grad=False)",
        "LAMBDA_GUARD: __dtensor_spec_13992030852505{rank}",
        "source=G['__optimizer_14018748305580{rank}_14018444348564{rank}_c5']()",
    ],
)
def test_devices_and_addresses_are_no_difference(several, line):
    for one in several[0]:
        one.compiled(0, graph=line.format(rank=one.rank))
        one.guards(line.format(rank=one.rank))
    assert told(analysed(several)) == {}


def test_where_a_long_line_differs_is_shown(several):
    for one in several[0]:
        one.compiled(0, graph=f"relu(x)  # {'a comment of some length ' * 8}: line {16 + one.rank // 3}")
    first, second = (value for _, value in told(analysed(several))["graph", "0/0"])
    assert (first.endswith(": line 16"), second.endswith(": line 17")) == (True, True)


def test_cache_answers(several):
    for one in several[0]:
        one.compiled(0)
        one.artifact("fx_graph_cache_miss" if one.rank == 0 else "fx_graph_cache_hit", {"key": "k"}, 0)
    found = groups(analysed(several))
    assert found == {("cache", None): [[1, 2, 3], [0]], ("cache", "0/0"): [[1, 2, 3], [0]]}


def test_cache_answers_that_all_ranks_had_are_left_out(several):
    for one in several[0]:
        one.compiled(0)
        one.compiled(1)
        for compile_ in (0, 0, 0):
            one.artifact("fx_graph_cache_miss", {"key": "k"}, compile_)
        for _ in range(2 if one.rank == 3 else 0):
            one.artifact("fx_graph_cache_hit", {"key": "k"}, 1)
    result = told(analysed(several))
    assert result["cache", None] == [([0, 1, 2], "no other"), ([3], "0/1 fx_graph hit (2 times)")]


def test_collectives_out_of_order(several):
    for one in several[0]:
        one.compiled(0)
        one.artifact(SCHEDULE, [GATHER, REDUCE] if one.rank == 2 else [REDUCE, GATHER], 0)
    found = told(analysed(several))
    assert found == {
        ("collectives", None): [
            ([0, 1, 3], "1. all_reduce_ in 0/0"),
            ([2], "1. all_gather_into_tensor in 0/0"),
        ]
    }


def test_waits_and_compiles_of_collectives_may_be_others(several):
    wait = "torch.ops._c10d_functional.wait_tensor.default"
    for one in several[0]:
        one.compiled(0)
        one.artifact(SCHEDULE, [REDUCE, GATHER, wait, wait] if one.rank else [REDUCE, wait, GATHER, wait], 0)
        one.artifact(SCHEDULE, [REDUCE], 2 if one.rank == 1 else 1)
    assert ("collectives", None) not in told(analysed(several))


def test_a_rank_that_issues_one_collective_less(several):
    for one in several[0]:
        one.compiled(0)
        one.artifact(SCHEDULE, [REDUCE] if one.rank == 1 else [REDUCE, GATHER], 0)
    found = told(analysed(several))
    assert found["collectives", None] == [([0, 2, 3], "2. all_gather_into_tensor in 0/0"), ([1], "2. nothing more")]


def test_collectives_are_taken_from_graphs_where_there_is_no_schedule(several):
    for one in several[0]:
        names = ["all_reduce", "broadcast"] if one.rank else ["broadcast", "all_reduce"]
        calls = "\n".join(f"torch.ops._c10d_functional.{name}.default(x)" for name in names)
        one.compiled(0, graph=f"{calls}\ntorch.ops._c10d_functional.wait_tensor.default(y)")
    found = told(analysed(several))
    assert found["collectives", None] == [([1, 2, 3], "1. all_reduce in 0/0"), ([0], "1. broadcast in 0/0")]


def test_order_of_execution_and_tensors(several):
    for one in several[0]:
        one.compiled(0)
        one.compiled(1)
        one.ran(*(("0/1", "0/0") if one.rank == 3 else ("0/0", "0/1")))
        one.made([4 if one.rank < 2 else 8])
    found = told(analysed(several))
    assert found["execution-order", None] == [([0, 1, 2], "1. 0/0"), ([3], "1. 0/1")]
    assert [ranks for ranks, _ in found["tensor-metadata", None]] == [[0, 1], [2, 3]]
    assert len(found) == 2


def test_the_slowest_rank_of_each_compile(several):
    for one in several[0]:
        one.compiled(0, seconds=(0.5, 4.0, 0.25, 1.0)[one.rank])
        one.compiled(1, seconds=1.0 + one.rank)
        one.made([4], nanoseconds=(1 + one.rank) * 1e6)
    slowest = analysed(several).ranks.slowest
    said = [(one.what, one.compile_id, one.rank, one.seconds, one.fastest, one.fastest_s) for one in slowest]
    assert said == [
        ("compile", "0/0", 1, 4.0, 2, 0.25),
        ("compile", "0/1", 3, 4.0, 0, 1.0),
        ("estimate", "0/0", 3, 0.004, 0, 0.001),
    ]


def test_a_finding_names_its_ranks_and_is_one(several):
    broke = "Graph break in user code at /app/train.py:4\nReason: Data-dependent jump\nUser code traceback:\n"
    broke += '  File "/app/train.py", line 4, in step\n    if x.sum() > 0:\n'
    for one in several[0]:
        one.compiled(0)
        if one.rank != 1:
            one.artifact("dynamo_graph_break_reason", broke, 0)
    result = analysed(several)
    assert [one.detail["ranks"] for one in result.findings if one.rule == "graph-break"] == [[0, 2, 3]]
    said = render(result, {}, style=Style(Path("/app")), notes=[])
    assert "= ranks: 0, 2-3" in said or "= ranks: 0, 2, 3" in said


@pytest.mark.parametrize(
    ("more", "title", "severity"),
    [
        (0, "`step` was recompiled once on each of 4 ranks", "information"),
        (1, "`step` was recompiled up to 2 times on 4 ranks", "warning"),
    ],
)
def test_recompiles_are_counted_for_each_rank(several, more, title, severity):
    for one in several[0]:
        for number in range(2 + (more if one.rank == 3 else 0)):
            if number:
                one.artifact("recompile_reasons", f"0/0: L['mode'] == '{number}'", number)
            one.compiled(number)
    (finding,) = analysed(several).findings
    assert (finding.title, finding.severity, finding.count) == (title, severity, 4 + more)


def test_one_process_has_no_ranks(tmp_path):
    one = Rank(0)
    one.compiled(0)
    result = analysed(([one], tmp_path))
    assert result.ranks is None
    assert to_json(result)["ranks"] is None
    assert not any("ranks" in finding.detail for finding in result.findings)


def test_reports_and_the_runs_view_show_them(several):
    for one in several[0]:
        one.compiled(0)
        if one.rank == 1:
            one.compiled(1)
    result = analysed(several)
    assert problems(to_json(result)) == []
    said = render(result, {}, style=Style(Path("/app")), notes=[])
    assert "ranks: 4, with 2 differences" in said
    assert "    ranks 0, 2, 3: not compiled" in said or "    ranks 0, 2-3: not compiled" in said
    store = RunStore(list)
    try:
        notes = store.detail(str(several[1])).ranks
    finally:
        store.close()
    assert (notes[0].title, notes[0].groups) == ("4, with 2 differences", [])
    assert any(one.title == "0/1: not compiled by all ranks" and len(one.groups) == 2 for one in notes)


@pytest.mark.parametrize("payload", ["{", "null", "3", '{"graph_execution_order": 3}', '{"ops": [null, 4]}', "[null]"])
def test_payloads_that_are_wrong_do_no_harm(several, payload):
    for one in several[0]:
        one.compiled(0)
        for name in (SCHEDULE, "graph_execution", "inductor_runtime_and_tensor_meta"):
            one.artifact(name, payload, 0)
    assert analysed(several).ranks.ranks == [0, 1, 2, 3]
