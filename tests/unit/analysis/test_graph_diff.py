"""Two states of a graph laid over each other."""

from __future__ import annotations

import pytest
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graph_diff import overlay
from compilescope.analysis.graphs import Graphs, NotComparable
from compilescope.analysis.snapshots import Node
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made


def graph(*nodes):
    """Nodes of (name, target, names of inputs)."""
    names = [name for name, *_ in nodes]
    made = []
    for name, target, inputs in nodes:
        used = inputs.split()
        op = target if target in {"placeholder", "output"} else "call_function"
        args = f"({', '.join(f'%{one}' for one in used)})"
        made.append(Node(name, op, target, args, tuple(map(names.index, used))))
    return made


BEFORE = graph(
    ("x", "placeholder", ""),
    ("div", "aten.div", "x"),
    ("amax", "aten.amax", "div"),
    ("sub", "aten.sub", "div amax"),
    ("exp", "aten.exp", "sub"),
    ("output", "output", "exp"),
)
AFTER = graph(
    ("x", "placeholder", ""),
    ("mul", "aten.mul", "x"),
    ("exp", "aten.exp", "mul"),
    ("output", "output", "exp"),
)


def by_name(found):
    return {node.name: state for node, state in zip(found.nodes, found.states, strict=True)}


def edges(found):
    names = [node.name for node in found.nodes]
    pairs = zip(found.edges[::2], found.edges[1::2], strict=True)
    return {(names[a], names[b]): state for (a, b), state in zip(pairs, found.edge_states, strict=True)}


def test_nodes_are_the_same_by_name_and_changed_by_their_call():
    found = overlay(BEFORE, AFTER)
    assert by_name(found) == {
        "x": "same",
        "div": "removed",
        "amax": "removed",
        "sub": "removed",
        "mul": "added",
        "exp": "changed",
        "output": "same",
    }
    was = dict(zip((node.name for node in found.nodes), found.was, strict=True))
    assert was["exp"] == "aten.exp(%sub)"
    assert was["mul"] == was["x"] == ""


def test_edges_are_on_the_side_that_has_them():
    assert edges(overlay(BEFORE, AFTER)) == {
        ("x", "div"): "removed",
        ("div", "amax"): "removed",
        ("div", "sub"): "removed",
        ("amax", "sub"): "removed",
        ("sub", "exp"): "removed",
        ("x", "mul"): "added",
        ("mul", "exp"): "added",
        ("exp", "output"): "same",
    }


def test_removed_nodes_come_before_what_followed_them():
    names = [node.name for node in overlay(BEFORE, AFTER).nodes]
    assert [one for one in names if one != "mul"] == ["x", "div", "amax", "sub", "exp", "output"]
    assert names.index("x") < names.index("mul") < names.index("exp")


def test_an_added_node_says_what_it_stands_for():
    found = overlay(BEFORE, AFTER, {"mul": ("div", "amax", "exp"), "exp": ("exp",)})
    replaces = dict(zip((node.name for node in found.nodes), found.replaces, strict=True))
    assert replaces["mul"] == ["div", "amax"]
    assert replaces["exp"] == []


def test_equal_states_differ_in_nothing():
    found = overlay(BEFORE, BEFORE)
    assert set(found.states) == set(found.edge_states) == {"same"}
    assert [node.name for node in found.nodes] == [node.name for node in BEFORE]


def test_another_order_loses_no_node():
    turned = [BEFORE[0], *BEFORE[1:-1][::-1], BEFORE[-1]]
    plain = [Node(node.name, node.op, node.target, node.args, ()) for node in turned]
    assert sorted(node.name for node in overlay(BEFORE, plain).nodes) == sorted(node.name for node in BEFORE)


def test_damaged_states_do_no_harm():
    loop = [Node("a", "call_function", "f", "(%a)", (0, 0)), Node("a", "call_function", "g", "()", (1,))]
    found = overlay(loop, AFTER)
    assert len(found.nodes) == len(found.states) == 5
    assert len(found.edges) == 2 * len(found.edge_states)
    assert overlay([], []).nodes == []


def snapshot_of(nodes):
    keys = ("name", "op", "target", "args")
    return [{**{key: getattr(node, key) for key in keys}, "inputs": list(node.inputs)} for node in nodes]


@pytest.fixture
def graphs(tmp_path):
    made = Made(tmp_path, "x = 1\n")
    made.compiled("0/0", "run", 1)
    kernels = [{"name": "op0", "op": "kernel", "target": "fused", "args": "", "inputs": [], "from": ["exp"]}]
    for name, nodes in (("one", snapshot_of(BEFORE)), ("two", snapshot_of(AFTER)), ("kernels", kernels)):
        made.event("compilescope_snapshot", {"id": name, "nodes": nodes}, "0/0")
    made.result()
    with Recording.open(tmp_path) as recording:
        yield Graphs(recording, context_of(recording))


def test_the_sizes_and_delta_are_those_of_the_two_states(graphs):
    columns, laid, counts = graphs.difference("one", "two")
    assert (counts.nodes_before, counts.nodes_after, counts.edges_before, counts.edges_after) == (6, 4, 6, 3)
    assert counts.delta == (6 - 4) + (6 - 3)
    assert len(columns.names) == len(laid.states) == len(columns.kernel)
    assert columns.edges == laid.edges


def test_two_kinds_of_graphs_are_not_compared(graphs):
    with pytest.raises(NotComparable):
        graphs.difference("one", "kernels")
    assert graphs.difference("one", "gone") is None
