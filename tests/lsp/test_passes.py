"""What the panels are told where a compile has no passes, or no graph."""

from __future__ import annotations

import contextlib

import pytest
from compilescope.lsp import graphs, passes
from compilescope.lsp.code_lens import first_with_graph
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.graphs import StagesParams
from compilescope.lsp.shapes.passes import PassesParams
from compilescope.report.functions import compiled_functions

from tests.unit.analysis.made import Made

INDUCTOR = {"backend_compile_time_s": 0.25, "inductor_compile_time_s": 0.125}


def captured(folder, depth="full", **metrics):
    """A recording with one graph that Dynamo captured, and nothing behind it."""
    made = Made(folder, ours=False)
    made.event("compilescope_environment", {"depth": depth})
    made.event("compilescope_snapshot", {"id": "aaaa", "nodes": []}, "0/0")
    data = {"graph": "0/0/dynamo", "stage": "dynamo", "position": "after", "snapshot": "aaaa", "nodes": 5, "edges": 4}
    made.event("compilescope_stage", data, "0/0")
    made.compiled("0/0", "run", 1, **metrics)
    return made


def answers(made):
    made.result()
    with contextlib.closing(OpenRecording(str(made.folder))) as opened:
        stages = graphs.stages(opened, StagesParams(str(made.folder), "0/0"))
        return passes.passes(opened, PassesParams(str(made.folder), "0/0")), stages


@pytest.mark.parametrize(
    ("made", "cause", "word"),
    [
        ({"depth": "capture"}, "capture", "capture"),
        ({"backend_compile_time_s": 0.25}, "backend", "not Inductor"),
        ({"fail_type": "InductorError", "has_guarded_code": False}, "failed", "failed"),
        (INDUCTOR, "nothing", "no passes"),
    ],
)
def test_a_compile_without_passes_says_why(tmp_path, made, cause, word):
    found, stages = answers(captured(tmp_path, **made))
    assert found.passes == []
    assert found.cause == cause
    assert word in found.note
    assert {one.cause for one in stages.stages if one.stage == "joint"} == {cause}
    assert stages.note is None


def test_a_function_that_runs_in_eager_has_neither(tmp_path):
    made = Made(tmp_path, "def run(x):\n    return x\n")
    failure = "torch._dynamo.exc.Unsupported"
    made.compiled("0/0", "run", 1, fail_type=failure, has_guarded_code=False, graph_node_count=0)
    found, stages = answers(made)
    assert (found.cause, stages.stages) == ("eager", [])
    assert "runs in eager" in found.note
    assert "runs in eager" in stages.note


def test_a_compile_that_failed_has_its_last_graph_and_the_words_of_torch(tmp_path):
    made = Made(tmp_path, "def run(x):\n    return x @ x\n")
    nodes = [{"name": name, "op": "call_function", "target": name, "inputs": []} for name in ("x", "matmul")]
    made.event("compilescope_snapshot", {"id": "last", "nodes": nodes}, "0/0")
    frame = {"file": str(tmp_path / "run.py"), "line": 2, "name": "run"}
    made.event(
        "compilescope_failure",
        {"stage": "capture", "class": None, "chain": [{"type": "RuntimeError", "message": "shapes"}], "frames": [frame],
         "node": {"name": "matmul", "target": "matmul", "frame": frame}, "snapshot": "last"},
        "0/0",
    )  # fmt: skip
    made.compiled("0/0", "run", 1, fail_type="RuntimeError", has_guarded_code=False, graph_node_count=0)
    _, stages = answers(made)
    assert (stages.failure.node, stages.failure.snapshot) == ("matmul", "last")
    assert "shapes" in stages.failure.reason
    assert [(one.stage, one.snapshot, one.nodes) for one in stages.stages] == [("dynamo", "last", 2)]


def test_a_lens_leads_to_the_first_compile_with_a_graph(tmp_path):
    made = Made(tmp_path, "def run(x):\n    return x\n")
    made.compiled("0/0", "run", 1, graph_node_count=0)
    made.compiled("0/1", "run", 1)
    (function,) = compiled_functions(made.result())
    assert first_with_graph(function) == "0/1"


def test_a_step_with_all_that_is_known_of_it(tmp_path):
    source = "def run(x):\n    return x.relu()\n"
    made = captured(tmp_path, **INDUCTOR)
    (tmp_path / "run.py").write_text(source)
    frame = {"file": str(tmp_path / "run.py"), "line": 2, "name": "run"}
    match = {"pattern": "relu_pattern", "target": "aten.relu.default", "nodes": ["relu"], "created": ["clamp"]}
    step = {"graph": "0/0/joint", "phase": "joint", "order": 1, "name": "joint_custom_pre_pass", "custom": True}
    own = {"slot": "joint_custom_pre_pass", "function": "m.fuse", "file": "/a/m.py", "line": 3}
    failed = {"error": "KeyError", "message": "gone"}
    made.event("compilescope_pass", {**step, **own, **failed, "matched": [{**match, "frames": [frame]}]}, "0/0")
    traced = {"graph": "0/0/joint", "phase": "aot", "name": "aot_trace", "kind": "phase", "source": "0/0/dynamo"}
    made.event("compilescope_pass", {**traced, "order": 0}, "0/0")
    found, _ = answers(made)
    first, second = found.passes
    assert (first.kind, first.source, first.slot, first.matches) == ("phase", "0/0/dynamo", None, [])
    assert (second.kind, second.slot, second.error, second.message) == ("pass", own["slot"], "KeyError", "gone")
    assert (second.function, second.file, second.line) == ("m.fuse", "/a/m.py", 3)
    (shown,) = second.matches
    assert (shown.pattern, shown.nodes, shown.created) == ("relu_pattern", ["relu"], ["clamp"])
    assert (shown.file, shown.line) == (frame["file"], 2)
    assert found.note is None


def test_phases_alone_are_no_passes(tmp_path):
    made = captured(tmp_path, backend_compile_time_s=0.25)
    made.event("compilescope_pass", {"graph": "0/0/joint", "name": "aot_trace", "kind": "phase"}, "0/0")
    found, _ = answers(made)
    assert len(found.passes) == 1
    assert (found.cause, "not Inductor" in found.note) == ("backend", True)


def test_passes_that_did_not_run_are_told_to_the_compile_and_those_of_no_compile_to_each(tmp_path):
    made = captured(tmp_path, **INDUCTOR)
    made.compiled("0/1", "run", 1)
    base = {"slot": "joint_custom_pre_pass", "file": "/a/m.py", "line": 3, "custom": True}
    made.event("compilescope_unrun_pass", {**base, "function": "m.here", "reason": "cache"}, "0/0")
    made.event("compilescope_unrun_pass", {**base, "function": "m.there", "reason": "cache"}, "0/1")
    made.event("compilescope_unrun_pass", {**base, "function": "m.never", "reason": "no-compile"})
    found, _ = answers(made)
    assert [one.function for one in found.unrun] == ["m.here", "m.never"]
    assert "cache" in found.unrun[0].reason
    assert (found.unrun[0].file, found.unrun[0].line) == ("/a/m.py", 3)
