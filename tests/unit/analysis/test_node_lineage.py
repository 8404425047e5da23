"""One node through the stages."""

from __future__ import annotations

import pytest
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.node_lineage import names_of, through_stages
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made


def node(name, op, inputs=(), **more):
    args = more.pop("args", "()")
    return {"name": name, "op": op, "target": name, "args": args, "inputs": list(inputs), "from": [], **more}


STEPS = [
    ("dynamo", "dynamo", "d", [node("x", "placeholder"), node("softmax", "call_function", [0], args="(%x)")]),
    (
        "aot_trace",
        "joint",
        "j",
        [
            node("primals_1", "placeholder", input="args[0]"),
            node("exp", "call_function", [0], **{"from": ["softmax"], "args": "(%primals_1)"}),
            node("sum", "call_function", [1], **{"from": ["softmax"], "args": "(%exp)"}),
        ],
    ),
    (
        "partition",
        "forward",
        "f",
        [
            node("primals_1", "placeholder"),
            node("exp", "call_function", [0], args="(%primals_1)"),
            node("sum", "call_function", [1], args="(%exp)"),
        ],
    ),
    (
        "lowering",
        "forward",
        "s",
        [node("op0", "kernel", **{"from": ["exp"]}), node("op1", "kernel", [0], **{"from": ["exp", "sum"]})],
    ),
    ("fusion", "forward", "k", [node("op0_op1", "kernel", parts=["op0", "op1"])]),
]
STAGES = {
    "d": ("dynamo", "after", "dynamo"),
    "j": ("aot", "after", "joint"),
    "f": ("post_grad", "after", "forward"),
    "s": ("scheduler", "before", "forward"),
    "k": ("scheduler", "after", "forward"),
}


@pytest.fixture
def graphs(tmp_path):
    made = Made(tmp_path, "x = 1\n")
    made.compiled("0/0", "run", 1)
    before = None
    for order, (name, direction, snapshot, nodes) in enumerate(STEPS):
        made.event("compilescope_snapshot", {"id": snapshot, "nodes": nodes}, "0/0")
        graph = f"0/0/{direction}"
        if before is not None:
            step = {"graph": graph, "phase": "aot", "name": name, "kind": "phase", "order": order}
            made.event("compilescope_pass", {**step, "before": before, "after": snapshot}, "0/0")
        stage, position, side = STAGES[snapshot]
        data = {"graph": f"0/0/{side}", "stage": stage, "position": position, "snapshot": snapshot}
        made.event("compilescope_stage", {**data, "nodes": len(nodes), "edges": 0}, "0/0")
        before = snapshot
    made.result()
    with Recording.open(tmp_path) as recording:
        yield Graphs(recording, context_of(recording))


def steps(graphs, snapshot, name):
    found = through_stages(graphs, snapshot, names_of(graphs, snapshot, name))
    return [(one.entry.stage, one.nodes, one.here) for one in found]


def test_a_node_in_the_middle_is_followed_both_ways(graphs):
    assert steps(graphs, "j", "exp") == [
        ("dynamo", ["softmax"], False),
        ("aot", ["exp"], True),
        ("post_grad", ["exp"], False),
        ("scheduler", ["op0_op1"], False),
    ]


def test_what_dynamo_captured_is_followed_to_the_end(graphs):
    assert steps(graphs, "d", "softmax") == [
        ("dynamo", ["softmax"], True),
        ("aot", ["exp", "sum"], False),
        ("post_grad", ["exp", "sum"], False),
        ("scheduler", ["op0_op1"], False),
    ]


def test_a_kernel_call_stands_for_the_scheduler_nodes_in_it(graphs):
    assert names_of(graphs, "s", "op0_op1") == ["op0", "op1"]
    assert names_of(graphs, "s", "op1") == ["op1"]
    assert names_of(graphs, "s", "nothing") == []
    assert steps(graphs, "k", "op0_op1")[0] == ("dynamo", ["softmax"], False)


def test_a_node_that_is_not_there_was_nothing(graphs):
    assert all(nodes == [] for _, nodes, here in steps(graphs, "f", "gone") if not here)
    assert through_stages(graphs, "gone", ["exp"]) == []
