"""`pass-inert` from recordings made by hand."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made

MAIN = "/app/main.py"
SOURCE = """\
import torch

@registered
def look(graph):
    return graph

class Fuse:
    def __call__(self, graph):
        pass

@torch.compile
def run(x):
    return x.sin() @ x
"""


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def step(made, compile_id="0/0", function="__main__.look", line=3, *, changed=False, **more):
    own = {"graph": f"{compile_id}/forward", "phase": "post_grad", "name": "own", "kind": "pass", "order": 4,
           "custom": True, "slot": "post_grad_custom_pre_pass", "function": function, "file": MAIN, "line": line,
           "changed": changed, "before": "graph"}  # fmt: skip
    made.event("compilescope_pass", own | more, compile_id)


def unrun(made, reason, compile_id="0/0", function="__main__.look", line=3, **more):
    own = {"slot": "post_grad_custom_pre_pass", "custom": True, "function": function, "file": MAIN, "line": line}
    made.event("compilescope_unrun_pass", own | {"reason": reason} | more, compile_id)


def inert(made):
    return [one for one in made.findings() if one.rule == "pass-inert"]


def test_a_pass_that_changes_nothing_is_one_finding_on_its_name(made):
    node = {"name": "sin", "op": "call_function", "target": "aten.sin.default", "inputs": []}
    made.event("compilescope_snapshot", {"id": "graph", "nodes": [node]})
    for compile_id in ("0/0", "0/1", "0/1"):
        step(made, compile_id)
    (finding,) = inert(made)
    assert (finding.severity, finding.file) == ("information", MAIN)
    assert (finding.range.start.line, finding.range.start.character, finding.range.end.character) == (3, 4, 8)
    assert (finding.compile_ids, finding.count) == (["0/0", "0/1"], 2)
    assert (finding.detail["ran"], finding.detail["order"]) == (3, 4)
    assert "aten.sin.default" in finding.explanation


def test_a_pass_that_changed_one_graph_or_failed_is_none(made):
    step(made)
    step(made, "0/1", changed=True)
    step(made, function="__main__.Fuse", line=8, error="ValueError")
    assert inert(made) == []


def test_a_pass_that_never_ran_says_why_for_each_compile(made):
    unrun(made, "backend", "0/0", "__main__.Fuse", 8)
    unrun(made, "cache", "1/0", "__main__.Fuse", 8)
    (finding,) = inert(made)
    assert (finding.range.start.line, finding.range.start.character) == (7, 8)
    assert [(one["compile_id"], one["cause"]) for one in finding.detail["unrun"]] == [
        ("0/0", "backend"),
        ("1/0", "cache"),
    ]
    assert finding.detail["ran"] == 0
    assert len(finding.hints) == 2


@pytest.mark.parametrize("cause", ["capture", "failed"])
def test_a_run_that_did_not_get_so_far_says_nothing_of_a_pass(made, cause):
    unrun(made, cause)
    assert inert(made) == []


def test_a_pass_that_did_not_run_everywhere_is_none(made):
    step(made, changed=True)
    unrun(made, "backend", "1/0")
    assert inert(made) == []


def test_passes_of_packages_are_none(made):
    unrun(made, "backend", file="/opt/venv/lib/python3.11/site-packages/lib/a.py")
    assert inert(made) == []


LOOKING = """\
import operator
import torch
import torch.nn.functional as F
from torch.fx.passes import graph_drawer

aten = torch.ops.aten
WANTED = {aten.relu.default, aten.mul.Tensor}

def look(graph):
    for node in graph.nodes:
        if node.target in WANTED or is_norm(node):
            node.graph.call_function(aten.gelu.default, node.args)
    return graph.find_nodes(op="call_function", target=operator.add)

def is_norm(node):
    return node.target is F.layer_norm and node.meta["val"].dtype == torch.float32
"""


@pytest.fixture
def looking(tmp_path):
    return Made(tmp_path, LOOKING)


def snapshot(made, id_, *targets):
    nodes = [{"name": f"n{i}", "op": "call_function", "target": one, "inputs": []} for i, one in enumerate(targets)]
    made.event("compilescope_snapshot", {"id": id_, "nodes": nodes})


def other(made, order, name, states, phase="joint"):
    made.event(
        "compilescope_pass",
        {"graph": "0/0/forward", "phase": phase, "name": name, "kind": "pass", "order": order, "changed": True,
         "before": states[0], "after": states[1]},
        "0/0",
    )  # fmt: skip


def sought(made):
    (finding,) = inert(made)
    return {one["operator"]: one for one in finding.detail["sought"]}, finding.explanation


def test_what_a_pass_looks_for_is_read_from_its_comparisons_and_questions(looking):
    snapshot(looking, "graph", "aten.sin.default")
    step(looking, line=9)
    found, _ = sought(looking)
    assert set(found) == {"aten.relu.default", "aten.mul.Tensor", "torch.nn.functional.layer_norm", "_operator.add"}


def test_what_became_of_the_operators_that_a_pass_looks_for(looking):
    snapshot(looking, "first", "aten.relu.default", "torch.nn.functional.layer_norm")
    snapshot(looking, "graph", "aten.mul.Tensor", "aten.mul.Tensor")
    snapshot(looking, "last", "_operator.add")
    other(looking, 2, "eats_relu", ("first", "graph"))
    step(looking, line=9)
    other(looking, 7, "brings_add", ("graph", "last"), phase="post_grad")
    found, said = sought(looking)
    assert found["aten.mul.Tensor"]["here"] == 2
    assert found["aten.relu.default"]["until"] == {"order": 2, "name": "eats_relu"}
    assert found["_operator.add"]["since"] == {"order": 7, "name": "brings_add"}
    assert "2 nodes of its graph are one" in said
    assert "taken away before, by `eats_relu` (joint, step 2)" in said
    assert "comes later, with `brings_add` (post-grad, step 7)" in said


def test_an_operator_that_no_graph_has_is_named_with_the_one_of_its_name(tmp_path):
    looking = Made(tmp_path, LOOKING.replace("operator.add)", "aten.native_layer_norm.default)"))
    snapshot(looking, "first", "torch.layer_norm")
    snapshot(looking, "graph", "aten.var_mean.correction")
    other(looking, 1, "trace", ("first", "graph"), phase="pre_grad")
    step(looking, line=9)
    found, said = sought(looking)
    assert found["aten.native_layer_norm.default"]["instead"] == "torch.layer_norm"
    assert "which no graph of this compile has; the pre-grad graph has `torch.layer_norm`" in said
