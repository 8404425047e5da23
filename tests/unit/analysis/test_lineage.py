"""Where the nodes after a step came from."""

from __future__ import annotations

from compilescope.analysis.lineage import Step, origins
from compilescope.analysis.snapshots import Node


def graph(*nodes):
    """Nodes of (name, operator, arguments): the arguments are names, or what else says where the node came from."""
    names = [name for name, *_ in nodes]
    made = []
    for name, target, *rest in nodes:
        inputs = rest[0].split() if rest else []
        about = rest[1] if len(rest) > 1 else {}
        op = target if target in {"placeholder", "output", "kernel"} else "call_function"
        args = f"({', '.join(f'%{each}' for each in inputs)})"
        made.append(Node(name, op, target, args, tuple(map(names.index, inputs)), **about))
    return made


BEFORE = graph(("x", "placeholder"), ("exp", "exp", "x"), ("sin", "sin", "exp"), ("output", "output", "sin"))


def test_a_pass_keeps_nodes():
    assert origins(Step("p", "a", "b"), BEFORE, BEFORE) == {node.name: (node.name,) for node in BEFORE}


def test_a_new_node_has_the_place_of_the_old_one():
    after = graph(
        ("x", "placeholder"),
        ("exp", "exp", "x"),
        ("cos", "cos", "exp"),
        ("neg", "neg", "cos"),
        ("output", "output", "neg"),
    )
    found = origins(Step("p", "a", "b"), BEFORE, after)
    assert found["neg"] == ("sin",)
    assert found["cos"] == ("sin",)  # it only leads to neg
    assert found["exp"] == ("exp",)


def test_a_new_node_of_a_match_came_from_all_that_matched():
    after = graph(("x", "placeholder"), ("fused", "fused", "x"), ("output", "output", "fused"))
    step = Step("p", "a", "b", {"fused": ("made", "sin"), "made": ("exp",)})
    assert origins(step, BEFORE, after)["fused"] == ("exp", "sin")


def test_a_traced_graph():
    after = graph(
        ("primals_1", "placeholder", "", {"input": "args[0]"}),
        ("tangents_1", "placeholder", "", {"input": "__output_tangent(output[0])"}),
        ("exp_1", "exp", "primals_1", {"origins": ("exp",), "seq": 7}),
        ("sin_1", "sin", "exp_1", {"origins": ("sin",), "seq": 8}),
        ("mul", "mul", "tangents_1", {"seq": 7}),
        ("add", "add", "mul"),
        ("output", "output", "sin_1 add"),
    )
    assert origins(Step("aot_trace", "a", "b"), BEFORE, after) == {
        "primals_1": ("x",),
        "tangents_1": ("sin",),
        "exp_1": ("exp",),
        "sin_1": ("sin",),
        "mul": ("exp",),
        "output": ("output",),
    }


def test_kernels():
    lowered = graph(("op0", "kernel", "", {"origins": ("sin", "exp", "gone")}), ("op1", "kernel", ""))
    assert origins(Step("lowering", "a", "b"), BEFORE, lowered) == {"op0": ("exp", "sin"), "op1": ()}
    fused = graph(("op0_op1", "kernel", "", {"parts": ("op0", "op1")}))
    assert origins(Step("fusion", "b", "c"), lowered, fused) == {"op0_op1": ("op0", "op1")}
