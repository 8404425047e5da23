"""Where the seconds went: phases of a compile, lines, first and later calls."""

from __future__ import annotations

import json

import pytest

from tests.unit.analysis.made import Made, frame
from tests.unit.analysis.test_graphs import node


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def spans(made, compile_id, *events, tid=0):
    """Begins and ends of torch's own timing, each as (`B` or `E`, name, seconds)."""
    for phase, name, time in events:
        text = json.dumps({"name": name, "ts": time * 1e6, "ph": phase, "tid": tid})
        made.torch_event("chromium_event", {}, compile_id, payload=text)


def captured(made, compile_id, lines):
    """A graph as Dynamo captured it: one operation for each of `lines`."""
    nodes = [node("x", "placeholder", "x", frame=frame(made.file, 1, "run"))]
    nodes += [
        node(f"n{n}", "call_function", "torch.sin", [0], frame=frame(made.file, line, "run"))
        for n, line in enumerate(lines)
    ]
    made.event("compilescope_snapshot", {"id": compile_id, "nodes": nodes}, compile_id)
    stage = {"graph": f"{compile_id}/dynamo", "stage": "dynamo", "position": "after", "snapshot": compile_id}
    made.event("compilescope_stage", stage | {"nodes": len(nodes), "edges": 1}, compile_id)


def called(made, graph, number, seconds, lookups=(0, 0)):
    counts = dict(zip(("hit", "miss"), lookups, strict=True))
    made.event("compilescope_call", {"graph": graph, "call": number, "seconds": seconds, "lookups": counts})


def test_phases_are_what_their_spans_took_without_those_inside(made):
    made.compiled("0/0", "run", 1, 10.0, backend_compile_time_s=8.0)
    spans(
        made, "0/0",
        ("B", "create_aot_dispatcher_function", 0), ("B", "_recursive_joint_graph_passes", 1),
        ("E", "_recursive_joint_graph_passes", 1.5), ("B", "inductor_compile", 2), ("B", "GraphLowering.run", 2),
        ("E", "GraphLowering.run", 3), ("B", "GraphLowering.codegen", 3), ("B", "Scheduler.__init__", 3),
        ("E", "Scheduler.__init__", 3.25), ("E", "GraphLowering.codegen", 4),
        ("B", "PyCodeCache.load_by_key_path", 4), ("E", "PyCodeCache.load_by_key_path", 6),
        ("E", "inductor_compile", 6), ("E", "create_aot_dispatcher_function", 7),
        ("B", "entire_backward_compile", 20), ("B", "inductor_compile", 20), ("B", "GraphLowering.run", 20),
        ("E", "GraphLowering.run", 20.5), ("E", "inductor_compile", 21), ("E", "entire_backward_compile", 21),
    )  # fmt: skip
    seconds = made.result().compiles[0].seconds
    assert seconds["aot"] == pytest.approx(7 - 0.5 - 4)
    assert (seconds["lowering"], seconds["scheduling"], seconds["kernel_code"]) == (1.0, 0.25, 0.75)
    assert seconds["kernel_compile"] == 2.0
    assert seconds["backward_lowering"] == 0.5
    assert "backward_aot" not in seconds


def test_the_compilers_processes_add_up_whatever_their_threads(made):
    made.compiled("0/0", "run", 1)
    spans(made, "0/0", ("B", "PyCodeCache.load_by_key_path", 0))
    for tid in (7, 8):
        spans(made, None, ("B", "compile_file", 0), tid=tid)
    for tid in (7, 8):
        spans(made, None, ("E", "compile_file", 3), tid=tid)
    spans(made, "0/0", ("E", "PyCodeCache.load_by_key_path", 3))
    seconds = made.result().compiles[0].seconds
    assert (seconds["kernel_compile"], seconds["kernel_compiler"]) == (3.0, 6.0)


def test_lines_share_a_compile_by_their_operations(made):
    made.compiled("0/0", "run", 1, 4.0, backend_compile_time_s=3.0)
    captured(made, "0/0", [5, 5, 5, 6])
    lines = made.result().lines
    assert [(one.line, one.operations) for one in lines] == [(5, 3), (6, 1)]
    assert [one.seconds["total"] for one in lines] == [3.0, 1.0]
    assert lines[0].seconds["capture"] == 0.75
    assert lines[1].compile_ids == ["0/0"]


def test_the_compiler_of_kernels_counts_for_the_lines_they_compute(made):
    made.compiled("0/0", "run", 1, 4.0, backend_compile_time_s=4.0)
    captured(made, "0/0", [5, 5, 5, 6])
    spans(made, "0/0", ("B", "PyCodeCache.load_by_key_path", 0), ("E", "PyCodeCache.load_by_key_path", 2))
    kernels = [
        {
            "name": "cpp_a",
            "kind": "cpp",
            "nodes": [],
            "frames": [frame(made.file, 5, "run"), frame(made.file, 6, "run")],
        },
        {"name": "cpp_b", "kind": "cpp", "nodes": [], "frames": [frame(made.file, 6, "run")]},
        {"name": "mm", "kind": "extern", "nodes": [], "frames": [frame(made.file, 5, "run")]},
    ]
    made.event("compilescope_kernels", {"graph": "0/0/inference", "kernels": kernels}, "0/0")
    totals = {one.line: one.seconds["total"] for one in made.result().lines}
    assert totals == {5: 2 * 3 / 4 + 2 * 1 / 4, 6: 2 * 1 / 4 + 2 * 3 / 4}


def test_a_compile_without_operations_counts_on_the_def(made):
    made.compiled("0/0", "run", 7, 2.0)
    made.compiled("0/1", "run", 7, 1.0)
    (line,) = made.result().lines
    assert (line.line, line.seconds["total"], line.compile_ids) == (7, 3.0, ["0/0", "0/1"])


def test_torchs_own_graph_says_the_lines_where_ours_is_missing(tmp_path):
    made = Made(tmp_path, ours=False)
    made.compiled("0/0", "run", 1, 2.0)
    text = "def forward(self, x):\n         # File: /app/main.py:3 in run, code: y = x.sin()\n        y = x.sin()\n"
    made.torch_event("dynamo_output_graph", {}, "0/0", payload=text)
    assert [(one.file, one.line) for one in made.result().lines] == [("/app/main.py", 3)]


def test_the_first_call_and_the_middle_of_the_later_ones(made):
    made.compiled("0/0", "run", 1)
    for number, seconds in ((1, 0.5), (2, 0.25), (3, 0.0625), (4, 0.125)):
        called(made, "0/0/forward", number, seconds)
    called(made, "0/0/backward", 1, 0.75)
    (compiled,) = made.result().compiles
    assert (compiled.seconds["first_call"], compiled.seconds["steady_call"]) == (0.5, 0.125)
    assert compiled.seconds["backward_first_call"] == 0.75
    assert "backward_steady_call" not in compiled.seconds
    assert compiled.calls == {"forward": 4, "backward": 1}


def test_the_last_record_has_the_counts(made):
    made.compiled("0/0", "run", 1)
    called(made, "0/0/forward", 9, 0.5, (8, 1))
    made.event("compilescope_exit", {"calls": {"0/0/forward": 12}, "guard_lookups": {"hit": 11, "miss": 2}})
    result = made.result()
    assert result.compiles[0].calls == {"forward": 12}
    assert [result.metrics[name] for name in ("calls", "guard_hits", "guard_misses")] == [12, 11, 2]


def test_a_killed_process_leaves_the_counts_of_its_last_timed_call(made):
    made.compiled("0/0", "run", 1)
    called(made, "0/0/forward", 6, 0.5, (5, 0))
    called(made, "0/0/forward", 9, 0.5, (8, 1))
    result = made.result()
    assert result.compiles[0].calls == {"forward": 9}
    assert [result.metrics[name] for name in ("calls", "guard_hits", "guard_misses")] == [9, 8, 1]


def profile(**data):
    own = {"seconds": 3.0, "ended": None, "events": 9, "inside": [], "lookups": {"calls": 4, "seconds": 0.125}}
    own["eager"] = [{"operator": "aten.mul", "calls": 3, "seconds": 0.25}]
    own["graphs"] = [{"graph": "0/0/inference", "calls": 5, "seconds": 0.75}]
    return own | data


def test_a_profile_counts_operations_by_the_calls_of_their_graph(made):
    nodes = [node("x", "placeholder", "x"), *(node(f"n{n}", "call_function", "aten.sin", [0]) for n in range(4))]
    made.event("compilescope_snapshot", {"id": "aa", "nodes": nodes}, "0/0")
    stage = {
        "graph": "0/0/inference",
        "stage": "post_grad",
        "position": "after",
        "snapshot": "aa",
        "nodes": 5,
        "edges": 4,
    }
    made.event("compilescope_stage", stage, "0/0")
    made.event("compilescope_profile", profile(eager=[]))
    made.event("compilescope_profile", profile())
    result = made.result()
    assert result.profile is not None
    assert (result.profile.eager_operations, result.profile.compiled_operations) == (3, 20)
    assert (result.profile.lookups, result.profile.guard_s) == (4, 0.125)
    assert result.metrics["graph_share"] == 0.75


def test_operations_of_a_graph_that_is_not_recorded_are_unknown(made):
    made.event("compilescope_profile", profile())
    result = made.result()
    assert result.profile is not None
    assert result.profile.compiled_operations is None


def test_without_a_profile_the_share_of_graphs_is_unknown(made):
    made.compiled("0/0", "run", 1)
    result = made.result()
    assert (result.profile, result.metrics["graph_share"]) == (None, None)
