"""The run's totals, and the seconds of each compile."""

from __future__ import annotations

import json

import pytest

from tests.unit.analysis.made import Made
from tests.unit.analysis.test_graphs import node
from tests.unit.recording.made import artifact


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def span(made, compile_id, name, start, end):
    """A span of torch's own timing, in seconds."""
    for phase, time in (("B", start), ("E", end)):
        text = json.dumps({"name": name, "ts": time * 1e6, "ph": phase, "tid": 0}, indent=0)
        made.torch_event("chromium_event", {}, compile_id, payload=text)


def ended(made, script, overhead=None):
    seconds = {"script": script} | ({} if overhead is None else {"overhead": overhead})
    made.event("compilescope_exit", {"exit_code": 0, "exception": None, "seconds": seconds})


def lowered(made, compile_id, direction, operations, kinds):
    """A graph of so many operations with kernels of these kinds."""
    graph = snapshot = f"{compile_id}/{direction}"
    nodes = [node("x", "placeholder", "x", args='"op": "call_function"')]
    nodes += [node(f"n{index}", "call_function", "aten.sin.default", [0]) for index in range(operations)]
    nodes += [node("item", "call_function", "_operator.getitem", [1]), node("output", "output", "output", [1])]
    made.event("compilescope_snapshot", {"id": snapshot, "nodes": nodes}, compile_id)
    stage = {"graph": graph, "stage": "post_grad", "position": "after", "snapshot": snapshot, "nodes": 9, "edges": 9}
    made.event("compilescope_stage", stage, compile_id)
    made.event("compilescope_stage", stage | {"position": "before", "snapshot": "other"}, compile_id)
    kernels = [{"name": f"k{index}", "kind": kind, "nodes": [], "frames": []} for index, kind in enumerate(kinds)]
    made.event("compilescope_kernels", {"graph": graph, "kernels": kernels}, compile_id)


def test_the_parts_of_a_compile_add_up_to_the_whole(made):
    made.compiled("0/0", "run", 1, 2.0, backend_compile_time_s=1.25)
    span(made, "0/0", "build_guards", 1.5, 1.75)
    made.torch_event(
        "bwd_compilation_metrics",
        {"backward_cumulative_compile_time_us": 500_000, "inductor_compile_time_s": 0.375},
        "0/0",
    )
    ended(made, 10.0, 2.0)
    result = made.result()
    (compiled,) = result.compiles
    assert compiled.seconds["total"] == 2.5
    assert compiled.seconds["capture"] == 0.5
    assert compiled.seconds["guards"] == 0.25
    assert compiled.seconds["backward"] == 0.5
    assert compiled.seconds["backward_inductor"] == 0.375
    metrics = result.metrics
    assert (metrics["capture_s"], metrics["guard_s"], metrics["compile_s"]) == (0.5, 0.25, 1.75)
    assert metrics["execute_s"] == 7.5
    assert metrics["tracing_overhead"] == 0.25


def test_seconds_that_nobody_wrote_down_are_null(made):
    made.torch_event("dynamo_start", {"stack": []}, "0/0")
    metrics = made.result().metrics
    assert [metrics[f"{name}_s"] for name in ("capture", "compile", "guard", "execute")] == [None] * 4
    assert metrics["tracing_overhead"] is None


def test_a_program_that_was_killed_has_no_time_of_its_own(made):
    made.compiled("0/0", "run", 1, 2.0)
    metrics = made.result().metrics
    assert metrics["capture_s"] == 2.0
    assert metrics["execute_s"] is None


def test_operations_with_and_without_code_of_their_own(made):
    lowered(made, "0/0", "forward", 6, ["cpp", "fallback", "extern"])
    lowered(made, "0/0", "backward", 4, ["cpp"])
    metrics = made.result().metrics
    assert (metrics["total_ops"], metrics["fallback_ops"], metrics["compiled_ops"]) == (10, 1, 9)
    assert metrics["op_coverage"] == 0.9
    assert metrics["graph_share"] is None


def test_a_graph_that_was_made_anew_counts_once(made):
    lowered(made, "0/1", "inference", 5, ["fallback"])
    lowered(made, "0/1_1", "inference", 3, ["cpp"])
    metrics = made.result().metrics
    assert (metrics["total_ops"], metrics["fallback_ops"], metrics["op_coverage"]) == (3, 0, 1.0)


def test_operations_are_unknown_where_a_graph_is(made):
    lowered(made, "0/0", "forward", 6, ["cpp"])
    made.event("compilescope_kernels", {"graph": "0/1/forward", "kernels": [{"name": "k", "kind": "fallback"}]}, "0/1")
    metrics = made.result().metrics
    assert metrics["fallback_ops"] == 1
    assert [metrics[name] for name in ("total_ops", "compiled_ops", "op_coverage")] == [None] * 3


def test_a_worker_that_compiled_nothing_has_no_part_in_the_time(made):
    made.compiled("0/0", "run", 1, 2.0)
    ended(made, 10.0)
    seconds = {"exit_code": 0, "exception": None, "seconds": {"script": 9.0}}
    made.add_log("dedicated_log_torch_trace_4712_cd34.log", artifact("compilescope_exit", seconds))
    assert made.result().metrics["execute_s"] == 8.0
