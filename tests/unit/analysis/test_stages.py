"""Stages that the compiler has and a recording has not: each says why."""

from __future__ import annotations

import importlib
import pkgutil

import compilescope.tracer
import pytest
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.stages import LOST
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made

ALL = ["dynamo", "pre_grad", "aot", "joint", "post_grad", "scheduler"]
INDUCTOR = {"backend_compile_time_s": 0.25, "inductor_compile_time_s": 0.125}


def stage(made, graph, name, position="after"):
    data = {"graph": graph, "stage": name, "position": position, "snapshot": "aaaa", "nodes": 5, "edges": 4}
    made.event("compilescope_stage", data, graph.rpartition("/")[0])


def missing(made, folder, compile_id="0/0"):
    """The reasons of the stages that are not there, by stage and graph."""
    made.result()
    with Recording.open(folder) as recording:
        found = Graphs(recording, context_of(recording)).stages(compile_id)
    assert all(one.snapshot is None for one in found if one.unavailable)
    return {(one.stage, one.graph): one.unavailable for one in found if one.unavailable}


@pytest.fixture
def made(tmp_path):
    made = Made(tmp_path)
    made.event("compilescope_snapshot", {"id": "aaaa", "nodes": []}, "0/0")
    return made


def test_a_run_that_stops_at_capture(tmp_path):
    made = Made(tmp_path, ours=False)
    made.event("compilescope_environment", {"depth": "capture"})
    made.event("compilescope_snapshot", {"id": "aaaa", "nodes": []}, "0/0")
    made.compiled("0/0", "run", 1)
    stage(made, "0/0/dynamo", "dynamo")
    reasons = missing(made, tmp_path)
    assert [name for name, _ in reasons] == ALL[1:]
    assert set(reasons.values()) == {"This run stopped at capture."}


def test_a_graph_out_of_the_cache(made, tmp_path):
    made.compiled("0/0", "run", 1, **INDUCTOR)
    for name in ALL[:4]:
        stage(made, "0/0/dynamo", name)
    for outcome, cache in (("hit", "fx_graph"), ("miss", "aotautograd")):
        made.event("compilescope_cache", {"graph": "0/0/forward", "cache": cache, "outcome": outcome}, "0/0")
    reasons = missing(made, tmp_path)
    assert [name for name, _ in reasons] == ["post_grad", "scheduler"]
    assert all("cache" in reason for reason in reasons.values())


def test_another_backend(made, tmp_path):
    made.compiled("0/0", "run", 1, backend_compile_time_s=0.25)
    stage(made, "0/0/dynamo", "dynamo")
    reasons = missing(made, tmp_path)
    assert [name for name, _ in reasons] == ALL[1:]
    assert all("not Inductor" in reason or "AOTAutograd" in reason for reason in reasons.values())


def test_a_hook_that_this_torch_has_not(made, tmp_path):
    hook = {"hook": "compile_fx.passes", "reason": "not in this torch", "loses": "passes of the pre_grad stage"}
    made.event("compilescope_unavailable", {"hooks": [hook]})
    made.compiled("0/0", "run", 1, **INDUCTOR)
    for name in ("dynamo", "aot", "joint", "post_grad", "scheduler"):
        stage(made, "0/0/forward", name)
    assert missing(made, tmp_path) == {
        ("pre_grad", "0/0/dynamo"): "Not recorded: compile_fx.passes: not in this torch."
    }


def test_each_direction_has_its_own(made, tmp_path):
    made.compiled("0/0", "run", 1, **INDUCTOR)
    for name in ALL[:4]:
        stage(made, "0/0/dynamo", name)
    for graph in ("0/0/forward", "0/0/backward"):
        stage(made, graph, "post_grad")
    stage(made, "0/0/forward", "scheduler")
    assert list(missing(made, tmp_path)) == [("scheduler", "0/0/backward")]


def test_a_compile_that_failed_on_the_way(made, tmp_path):
    made.compiled("0/0", "run", 1, fail_type="InductorError", has_guarded_code=False)
    stage(made, "0/0/dynamo", "dynamo")
    stage(made, "0/0/joint", "joint")
    reasons = missing(made, tmp_path)
    assert reasons["post_grad", "0/0/forward"] == "The compile did not get this far."
    assert reasons["pre_grad", "0/0/dynamo"] != "The compile did not get this far."


@pytest.mark.parametrize("status", ["running", "killed"])
def test_a_compile_without_an_end(made, tmp_path, status):
    made.run_json(status=status)
    made.torch_event("dynamo_start", {"stack": []}, "0/0")
    stage(made, "0/0/dynamo", "dynamo")
    assert set(missing(made, tmp_path).values()) == (set() if status == "running" else {LOST_WAY})


LOST_WAY = "The compile did not get this far."


def test_a_frame_without_a_graph_has_no_stages(made, tmp_path):
    made.compiled("0/0", "run", 1, graph_node_count=1)
    assert missing(made, tmp_path) == {}


def test_the_words_for_what_is_lost_are_the_tracers():
    modules = [one.name for one in pkgutil.iter_modules(compilescope.tracer.__path__)]
    said = {getattr(importlib.import_module(f"compilescope.tracer.{name}"), "LOSES", None) for name in modules}
    passes = {f"passes of the {name} stage" for name in ALL}
    for texts in LOST.values():
        assert set(texts) <= said | passes
