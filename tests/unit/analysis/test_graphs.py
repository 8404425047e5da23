"""Graphs and passes of a recording."""

from __future__ import annotations

import pytest
from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.passes import delta
from compilescope.analysis.snapshots import from_text
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
SOURCE = "def run(x, w):\n    é = x @ w\n    return é.relu()\n"


def node(name, op, target, inputs=(), **more):
    plain = {"name": name, "op": op, "target": target, "args": "()", "inputs": list(inputs), "module": None}
    plain |= {"dtype": None, "shape": None, "stride": None, "device": None, "frame": None, "from": []}
    return plain | more


TENSOR = {"dtype": "float32", "shape": ["8", "s0"], "stride": ["64", "1"], "device": "cpu"}
NODES = [
    node("x", "placeholder", "x", **TENSOR),
    node("w", "placeholder", "w", **TENSOR),
    node(
        "mm", "call_function", "aten.mm.default", [0, 1], args="(%x, %w)", frame=frame(MAIN, 2, "run", 9, 14), **TENSOR
    ),
    node(
        "relu",
        "call_function",
        "aten.relu.default",
        [2],
        args="(%mm)",
        frame=frame(MAIN, 3, "run", 11, 20),
        module=["L['self'].act", "ReLU"],
        **{"from": ["relu_0"]},
        **TENSOR,
    ),
    node("output", "output", "output", [3], args="((%relu,))"),
]


@pytest.fixture
def graphs(tmp_path):
    made = Made(tmp_path, SOURCE)
    made.compiled("0/0", "run", 1)
    made.event("compilescope_snapshot", {"id": "aaaa", "nodes": NODES}, "0/0")
    for stage, position, snapshot in (
        ("dynamo", "after", "aaaa"),
        ("post_grad", "before", "aaaa"),
        ("post_grad", "after", "gone"),
    ):
        data = {
            "graph": "0/0/forward",
            "stage": stage,
            "position": position,
            "snapshot": snapshot,
            "nodes": 5,
            "edges": 4,
        }
        made.event("compilescope_stage", data, "0/0")
    made.result()
    with Recording.open(tmp_path) as recording:
        yield Graphs(recording, context_of(recording))


def test_stages(graphs):
    found = graphs.stages()[:3]
    assert [(one.stage, one.position, one.snapshot, one.nodes) for one in found] == [
        ("dynamo", "after", "aaaa", 5),
        ("post_grad", "before", "aaaa", 5),
        ("post_grad", "after", None, 5),
    ]
    assert found[2].unavailable
    assert {one.compile_id for one in found} == {"0/0"}
    assert graphs.stages("0/0")[:3] == found
    assert graphs.stages("9/9") == []


def test_columns_have_one_entry_per_node_and_utf16_places(graphs):
    columns = graphs.columns("aaaa")
    assert columns.names == ["x", "w", "mm", "relu", "output"]
    assert columns.kinds == ["input", "input", "matmul", "pointwise", "output"]
    assert columns.edges == [0, 2, 1, 2, 2, 3, 3, 4]
    assert columns.shapes[0] == "[8, s0]"
    assert columns.files == [MAIN]
    assert columns.file == [-1, -1, 0, 0, -1]
    # Line 2 is `    é = x @ w`: the é takes two bytes and one unit.
    place = (columns.line[2], columns.column[2], columns.end_line[2], columns.end_column[2])
    assert place == (1, 8, 1, 13)
    assert columns.modules == [["L['self'].act", "ReLU"]]
    assert columns.module == [-1, -1, -1, 0, -1]
    assert columns.origins[3] == ["relu_0"]
    assert columns.code[2] == "    é = x @ w"
    lengths = {name: len(value) for name, value in vars(columns).items() if isinstance(value, list)}
    assert {lengths.pop(name) for name in ("edges", "files", "modules")} == {8, 1}
    assert set(lengths.values()) == {5}


def test_text_reads_like_the_graph(graphs):
    assert graphs.text("aaaa") == (
        "%x: f32[8, s0] = input\n"
        "%w: f32[8, s0] = input\n"
        "\n"
        "# main.py:2  é = x @ w\n"
        "%mm: f32[8, s0] = aten.mm.default(%x, %w)\n"
        "\n"
        "# main.py:3  return é.relu()\n"
        "%relu: f32[8, s0] = aten.relu.default(%mm)\n"
        "return ((%relu,))\n"
    )


def test_unknown_snapshots(graphs):
    assert graphs.columns("gone") is None
    assert graphs.text("text-99") is None


PRINTED = """\
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[16, 10][10, 1]cuda:0", arg1_1: "i64[]"):
         # File: /app/aot.py:29 in forward, code: x = self.fc1(x)
        permute: "f32[10, 16][1, 10]cuda:0" = torch.ops.aten.permute.default(arg0_1, [1, 0]);  arg0_1 = None
        alias = permute
        mul: "f32[10, 16]" = alias * 3.14;  alias = None

         # File: /app/aot.py:30 in forward, code: return x.sum()
        sum_1 = torch.ops.aten.sum.default(mul)
        return (sum_1, permute)
"""


def test_printed_graphs_are_read():
    nodes = from_text(PRINTED)
    assert [(one.name, one.op, one.target, one.inputs) for one in nodes] == [
        ("arg0_1", "placeholder", "arg0_1", ()),
        ("arg1_1", "placeholder", "arg1_1", ()),
        ("permute", "call_function", "aten.permute.default", (0,)),
        ("mul", "call_function", "_operator.mul", (2,)),
        ("sum_1", "call_function", "aten.sum.default", (3,)),
        ("output", "output", "output", (4, 2)),
    ]
    assert (nodes[2].dtype, nodes[2].shape, nodes[2].stride, nodes[2].device) == (
        "float32",
        ("10", "16"),
        ("1", "10"),
        "cuda:0",
    )
    assert nodes[1].shape == ()
    assert (nodes[4].frame.file, nodes[4].frame.line) == ("/app/aot.py", 30)


def test_printed_graphs_of_a_plain_trace_are_stages(tmp_path):
    made = Made(tmp_path, ours=False)
    made.compiled("0/0", "run", 1)
    made.torch_event("aot_inference_graph", {}, "0/0", payload=PRINTED)
    made.event("before_post_grad_graph", PRINTED, "0/0")
    made.result()
    with Recording.open(tmp_path) as recording:
        graphs = Graphs(recording, context_of(recording))
        found, missing = graphs.stages("0/0")[:2], graphs.stages("0/0")[2:]
        assert [(one.stage, one.position, one.nodes, one.edges) for one in found] == [
            ("aot", "after", 6, 5),
            ("post_grad", "before", 6, 5),
        ]
        assert {one.unavailable for one in missing} == {"TORCH_TRACE did not record this stage."}
        assert graphs.columns(found[0].snapshot).kinds[2] == "view"


def test_delta_is_positive_when_the_graph_shrank():
    assert delta((10, 12), (7, 8)) == 7
    assert delta((7, 8), (10, 12)) == -7
    assert delta((7, None), (10, 12)) is None


def test_passes_observed_and_timed(tmp_path):
    made = Made(tmp_path)
    data = {"graph": "0/0/forward", "phase": "post_grad", "name": "mine", "order": 3, "depth": 1, "seconds": 0.5}
    data |= {"changed": True, "before": "a", "after": "b", "nodes_before": 9, "nodes_after": 7, "edges_before": 9}
    made.event("compilescope_pass", data | {"edges_after": 6, "custom": True, "file": MAIN, "line": 2}, "0/0")
    (one,) = made.result().passes
    assert (one.compile_id, one.name, one.delta, one.custom, one.file, one.line) == ("0/0", "mine", 5, True, MAIN, 2)


def test_passes_of_a_plain_trace_are_those_that_torch_timed(tmp_path):
    made = Made(tmp_path, ours=False)
    for phase, time in (("B", 1e6), ("E", 1.5e6)):
        span = f'{{\n"name": "pass.post_grad_passes.remove_noop_ops",\n"ts": {time},\n"ph": "{phase}",\n"tid": 0\n}}'
        made.torch_event("chromium_event", {}, "0/0", payload=span)
    (one,) = made.result().passes
    assert (one.phase, one.name, one.seconds, one.delta) == ("post_grad", "remove_noop_ops", 0.5, None)
