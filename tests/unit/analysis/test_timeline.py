"""The timeline: what lies in what, in which thread, what it is about, and that all costs add up."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from compilescope.analysis import analyse, perfetto
from compilescope.analysis.timeline import timeline
from compilescope.analysis.timeline_model import Line
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made, frame

H200 = Path(__file__).parents[2] / "fixtures" / "h200"
START = 1_796_000_000


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, "def run(x):\n    y = x.sin()\n    return y.cos()\n")


def spans(made, compile_id, *events, tid=0):
    """Begins and ends of torch's own spans, each as (`B` or `E`, name, seconds, arguments)."""
    for phase, name, time, *args in events:
        event = {"name": name, "ts": (START + time) * 1e6, "ph": phase, "tid": tid, "args": args[0] if args else {}}
        made.torch_event("chromium_event", {}, compile_id, payload=json.dumps(event))


def seen(made):
    made.result()
    with Recording.open(made.folder) as recording:
        return timeline(recording, analyse(recording))


def find(found, label):
    (span,) = [one for one in found.spans if one.label == label]
    return span


def thread_time(found):
    return sum(one.seconds for one in found.spans if one.parent is None and found.lanes[one.lane].kind == "thread")


def compiling(made, compile_id="0/0", start=0.0):
    """A compile of six seconds that waits for two kernels of three."""
    spans(
        made, compile_id,
        ("B", "dynamo", start), ("B", "entire_frame_compile", start), ("B", "compile_attempt_0", start),
        ("B", "bytecode_tracing", start), ("E", "bytecode_tracing", start + 1), ("B", "backend_compile", start + 1),
        ("B", "_recursive_post_grad_passes", start + 1), ("B", "pass.post_grad_passes.mine", start + 1.25),
        ("E", "pass.post_grad_passes.mine", start + 1.5), ("E", "_recursive_post_grad_passes", start + 2),
        ("B", "Scheduler.codegen", start + 2), ("E", "Scheduler.codegen", start + 3),
        ("B", "async_compile.wait", start + 3, {"kernels": {"aaa": "cpp_fused_sin_0", "bbb": "cpp_fused_cos_sin_1"}}),
    )  # fmt: skip
    spans(made, None, ("B", "compile_file", start + 2.5, {"source": "aaa.main.cpp"}), tid=7)
    spans(made, None, ("B", "compile_file", start + 3, {"source": "bbb.main.cpp"}), tid=8)
    spans(made, None, ("E", "compile_file", start + 4), tid=7)
    spans(made, None, ("E", "compile_file", start + 5), tid=8)
    spans(
        made, compile_id,
        ("E", "async_compile.wait", start + 5), ("E", "backend_compile", start + 5),
        ("E", "compile_attempt_0", start + 5), ("E", "entire_frame_compile", start + 6), ("E", "dynamo", start + 6),
    )  # fmt: skip


def kernels(made):
    sin, cos = frame(made.file, 2, "run"), frame(made.file, 3, "run")
    own = {"kind": "cpp", "nodes": [], "operator": None, "parts": [], "handle": None}
    listed = [
        own | {"name": "cpp_fused_sin_0", "frames": [sin]},
        own | {"name": "cpp_fused_cos_sin_1", "frames": [sin, cos]},
    ]
    body = {"graph": "0/0/inference", "code": "code.py", "kernels": listed, "eliminated": []}
    made.event("compilescope_kernels", body, "0/0")


def test_spans_lie_in_each_other_and_only_the_innermost_counts(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    found = seen(made)
    root, passes, one = (
        find(found, name) for name in ("compile 0/0 · run (main.py:1)", "_recursive_post_grad_passes", "mine")
    )
    assert found.spans[0] is root
    assert found.spans[one.parent] is passes
    assert (passes.seconds, passes.own, one.own) == (1.0, 0.75, 0.25)
    assert (root.row, passes.row, one.row, one.stage) == (0, 2, 3, "pass")
    assert sum(span.own for span in found.spans if found.lanes[span.lane].kind == "thread") == pytest.approx(6)
    assert (found.started, found.seconds) == (START, 6)


def test_what_says_no_more_than_what_is_around_it_is_left_out(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    names = {one.name for one in seen(made).spans}
    assert not names & {"entire_frame_compile", "compile_attempt_0"}
    spans(made, "0/0", ("B", "compile_attempt_1", 4.5), ("E", "compile_attempt_1", 4.75))
    assert {"compile_attempt_0", "compile_attempt_1"} <= {one.name for one in seen(made).spans}


def test_threads_that_only_compile_kernels_are_workers_that_know_which(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    kernels(made)
    found = seen(made)
    assert [(lane.name, lane.kind) for lane in found.lanes] == [
        ("Main thread", "thread"), ("Worker 1", "worker"), ("Worker 2", "worker"),
    ]  # fmt: skip
    one, several = find(found, "C++ cpp_fused_sin_0"), find(found, "C++ cpp_fused_cos_sin_1")
    assert (one.compile_id, one.kernel, one.line) == ("0/0", "cpp_fused_sin_0", Line(made.file, 2))
    assert several.line is None


def test_waiting_counts_for_what_was_compiled_meanwhile(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    kernels(made)
    found = seen(made)
    by_line = {(one.line.line if one.line else None, one.stage): one.seconds for one in found.costs}
    assert by_line[2, "compiler"] == pytest.approx(0.5)  # a second of two at once
    assert by_line[None, "compiler"] == pytest.approx(1.5)
    assert (None, "wait") not in by_line
    assert sum(one.seconds for one in found.costs) == pytest.approx(thread_time(found))


def test_what_is_recorded_of_passes_takes_the_place_of_torchs_spans(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    own = {"graph": "0/0/inference", "phase": "post_grad", "kind": "pass", "depth": 0, "changed": True}
    own |= {"nodes_before": 5, "nodes_after": 3, "after": "abc", "custom": True, "file": made.file, "line": 3}
    made.event("compilescope_pass", own | {"name": "mine", "order": 4, "start": START + 1.25, "seconds": 0.5}, "0/0")
    made.event("compilescope_pass", own | {"name": "inner", "order": 5, "start": START + 1.3, "seconds": 0.1}, "0/0")
    found = seen(made)
    mine, inner = find(found, "mine"), find(found, "inner")
    assert found.spans[inner.parent] is mine
    assert found.spans[mine.parent].name == "_recursive_post_grad_passes"
    assert (mine.step.order, mine.step.nodes_before, mine.step.nodes_after, mine.step.snapshot) == (4, 5, 3, "abc")
    assert mine.line == Line(made.file, 3)
    assert mine.seconds == pytest.approx(0.5)


def test_lowering_and_code_generation_are_of_their_lines(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    body = {"graph": "0/0/inference", "since": START + 2.0, "frames": [frame(made.file, 3, "run")]}
    body |= {"lowering": [["sin", None, 0, 100_000], "odd", [1]], "codegen": [["cpp_fused_sin_0", 0, 200_000, 300_000]]}
    made.event("compilescope_times", body, "0/0")
    found = seen(made)
    node, code = find(found, "sin"), find(found, "cpp_fused_sin_0")
    assert (node.stage, node.line, code.stage, code.line) == ("lower", None, "codegen", Line(made.file, 3))
    assert code.start == pytest.approx(2.2)
    assert found.spans[code.parent].name == "Scheduler.codegen"
    assert [one.seconds for one in found.costs if one.line == Line(made.file, 3)] == [pytest.approx(0.3)]


def test_a_recompile_is_a_mark_that_says_what_failed(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    code = {"file": made.file, "line": 1, "function": "run"}
    value = {"expression": "sigma", "old": "1.0", "new": "0.5"}
    made.recompile("0/1", code, "L['sigma'] == 1.0", values=[value], above=[frame(made.file, 9, "<module>")])
    made.compiled("0/1", "run", 1, 6.0)
    compiling(made, "0/1", 10.0)
    first, again = seen(made).marks
    assert (first.kind, first.text, first.time) == ("first", "0/0 first compile", 0)
    assert (again.kind, again.time, again.compile_id, again.line) == ("recompile", 10, "0/1", Line(made.file, 9))
    assert again.text.startswith("0/1 recompile")
    assert "sigma" in again.text
    assert "1.0 → 0.5" in again.text


def test_calls_of_graphs_are_where_their_log_says_they_ended(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    made.event("compilescope_call", {"graph": "0/0/inference", "call": 1, "seconds": 0.25})
    found = seen(made)
    call = find(found, "0/0/inference, call 1")
    assert found.lanes[call.lane].name == "Graph calls"
    assert call.seconds == pytest.approx(0.25)
    assert all(one.stage != "execute" for one in found.costs)


def test_compilers_whose_threads_torch_alone_does_not_tell_are_one_lane(made):
    made.compiled("0/0", "run", 1, 6.0)
    spans(made, "0/0", ("B", "dynamo", 0), ("B", "async_compile.wait", 1))
    spans(
        made,
        None,
        ("B", "compile_file", 1),
        ("B", "compile_file", 1.5),
        ("E", "compile_file", 2),
        ("E", "compile_file", 3),
    )
    spans(made, "0/0", ("E", "async_compile.wait", 3), ("E", "dynamo", 4))
    found = seen(made)
    assert [lane.name for lane in found.lanes] == ["Main thread", "Compilers"]
    both = find(found, "compile_file, 2 at once")
    assert (both.start, both.end, both.compile_id) == (1, 3, "0/0")
    assert sum(one.seconds for one in found.costs) == pytest.approx(4)


def test_a_process_that_was_killed_leaves_open_spans_and_a_mark(made):
    made.compiled("0/0", "run", 1, 6.0)
    made.run_json(status="killed", command=["main.py"])
    spans(made, "0/0", ("B", "dynamo", 0), ("B", "backend_compile", 1), ("B", "aot_trace_joint_graph", 2))
    found = seen(made)
    assert [one.open for one in found.spans] == [True, True, True]
    assert {one.end for one in found.spans} == {2}
    assert (found.marks[-1].kind, found.marks[-1].time, found.running) == ("end", 2, False)


def test_a_clock_that_is_not_the_others_is_left_out(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    spans(made, "0/0", ("B", "gc", -START), ("E", "gc", 1 - START))
    made.event("compilescope_call", {"graph": "0/0/inference", "call": 1, "seconds": 1e300})
    assert seen(made).seconds == 6


def test_nothing_compiled_is_an_empty_timeline(made):
    found = seen(made)
    assert (found.lanes, found.spans, found.marks, found.costs, found.started) == ([], [], [], [], None)
    assert json.loads(perfetto.render(found))["traceEvents"] == []


def test_a_trace_for_perfetto_has_every_span_once(made):
    made.compiled("0/0", "run", 1, 6.0)
    compiling(made)
    found = seen(made)
    events = json.loads(perfetto.render(found))["traceEvents"]
    complete = [one for one in events if one["ph"] == "X"]
    assert len(complete) == len(found.spans)
    root = next(one for one in complete if one["name"].startswith("compile 0/0"))
    assert (root["ts"], root["dur"], root["cat"]) == (0, 6e6, "Capture")
    assert {one["args"]["name"] for one in events if one["name"] == "thread_name"} == {
        lane.name for lane in found.lanes
    }
    assert [one["name"] for one in events if one["ph"] == "i"] == ["0/0 first compile"]


def test_a_run_on_a_gpu_adds_up_to_what_torch_measured(tmp_path):
    folder = tmp_path / "recording"
    shutil.copytree(H200, folder)  # the index is written beside the log
    with Recording.open(folder) as recording:
        found = timeline(recording, analyse(recording))
        took = {
            event.compile_id: event.fields["entire_frame_compile_time_s"]
            for event in recording.events("compilation_metrics")
            if event.fields.get("is_forward") is not False
        }
        tuned = [
            recording.json(event)["args"]["kernel_name"]
            for event in recording.events("chromium_event", label="CachingAutotuner.benchmark_all_configs")
            if recording.json(event)["ph"] == "B"
        ]
    roots = {one.compile_id: one.seconds for one in found.spans if one.name == "dynamo"}
    assert roots == {compile_id: pytest.approx(seconds, rel=0.05, abs=0.02) for compile_id, seconds in took.items()}
    assert sum(one.seconds for one in found.costs) == pytest.approx(thread_time(found), abs=1e-6)
    assert sorted(one.kernel for one in found.spans if one.label.startswith("autotune ")) == sorted(tuned)
    assert all(one.compile_id in took for one in found.spans if one.kernel)
    assert "Thread 2" in {lane.name for lane in found.lanes}  # autograd's, which compiles the backward graph
