"""Snapshots of FX graphs: what counts as a change, and that looking asks nothing of symbolic values."""

import json
import operator

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from compilescope.tracer.snapshots import Renderer, Snapshot  # noqa: E402
from torch._dynamo.source import ConstantSource  # noqa: E402
from torch.fx.experimental.symbolic_shapes import ShapeEnv  # noqa: E402


class NoStacks:
    """Nodes of these tests have no stack."""

    def user_frame_json(self, _text):
        return "null"


@pytest.fixture
def graph():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    first = graph.call_function(operator.add, (x, 1))
    second = graph.call_function(operator.mul, (first, first), {"out": x})
    graph.output((second,))
    return graph


def rendered(graph):
    written = []
    renderer = Renderer(lambda name, body: written.append((name, json.loads(body))), NoStacks())
    snapshot = renderer.render(Snapshot(graph))
    return snapshot, written


def test_content(graph):
    snapshot, [(name, body)] = rendered(graph)
    assert name == "snapshot"
    assert body["id"] == snapshot.id
    assert [(node["name"], node["op"], node["target"], node["args"], node["inputs"]) for node in body["nodes"]] == [
        ("x", "placeholder", "x", "()", []),
        ("add", "call_function", "_operator.add", "(%x, 1)", [0]),
        ("mul", "call_function", "_operator.mul", "(%add, %add, out=%x)", [1, 0]),
        ("output", "output", "output", "((%mul,))", [2]),
    ]
    assert (snapshot.nodes, snapshot.edges) == (4, 4)


def test_content_is_written_once(graph):
    written = []
    renderer = Renderer(lambda _name, body: written.append(body), NoStacks())
    assert renderer.render(Snapshot(graph)).id == renderer.render(Snapshot(graph)).id
    assert len(written) == 1


def test_equal_arguments_are_no_change(graph):
    before = Snapshot(graph)
    add = next(node for node in graph.nodes if node.name == "add")
    add.args = (add.args[0], 1)
    assert Snapshot(graph).equals(before)


@pytest.mark.parametrize("change", ["argument", "target", "order", "new", "erased"])
def test_changes(graph, change):
    independent = graph.call_function(operator.neg, (next(iter(graph.nodes)),))
    before = Snapshot(graph)
    add = next(node for node in graph.nodes if node.name == "add")
    if change == "argument":
        add.args = (add.args[0], 2)
    elif change == "target":
        add.target = operator.sub
    elif change == "order":
        add.prepend(independent)
    elif change == "new":
        graph.call_function(operator.neg, (add,))
    else:
        graph.erase_node(independent)
    assert not Snapshot(graph).equals(before)


def test_symbolic_sizes_are_not_asked(graph):
    shapes = ShapeEnv()
    sizes = [
        shapes.create_symintnode(shapes.create_symbol(value, ConstantSource(f"s{value}")), hint=value)
        for value in (5, 6)
    ]
    add = next(node for node in graph.nodes if node.name == "add")
    add.args = (add.args[0], sizes[0])
    before = Snapshot(graph)
    add.args = (add.args[0], sizes[1])
    assert not Snapshot(graph).equals(before)
    rendered(graph)
    assert shapes.guards == []


def test_tensors(graph):
    add = next(node for node in graph.nodes if node.name == "add")
    add.meta["val"] = torch.empty(2, 3, dtype=torch.int64)
    _, [(_, body)] = rendered(graph)
    node = body["nodes"][1]
    assert (node["dtype"], node["shape"], node["stride"], node["device"]) == ("int64", ["2", "3"], ["3", "1"], "cpu")
    add.meta["val"] = torch.empty(2, 3).to_sparse()
    _, [(_, body)] = rendered(graph)
    assert (body["nodes"][1]["shape"], body["nodes"][1]["stride"]) == (["2", "3"], None)
