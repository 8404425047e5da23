"""What the panels are told where a compile has no passes, or no graph."""

from __future__ import annotations

import contextlib

import pytest
from compilescope.lsp import graphs, passes
from compilescope.lsp.code_lens import first_with_graph
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.protocol import PassesParams, StagesParams
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


def test_a_lens_leads_to_the_first_compile_with_a_graph(tmp_path):
    made = Made(tmp_path, "def run(x):\n    return x\n")
    made.compiled("0/0", "run", 1, graph_node_count=0)
    made.compiled("0/1", "run", 1)
    (function,) = compiled_functions(made.result())
    assert first_with_graph(function) == "0/1"
