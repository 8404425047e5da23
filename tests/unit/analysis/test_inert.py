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
