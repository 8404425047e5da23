"""Which kernels compute which nodes."""

from __future__ import annotations

from compilescope.analysis.kernel_model import Kernel
from compilescope.analysis.node_kernels import by_group, by_node, merged, seconds
from compilescope.analysis.profile_model import Profile, ProfiledOperator
from compilescope.analysis.snapshots import Node


def kernel(name, kind, nodes, **more):
    return Kernel("0/0", "0/0/forward", name, kind, "C++", nodes.split(), [], **more)


def group(name, target, origins, *inputs):
    return Node(name, "kernel", target, "", tuple(inputs), origins=tuple(origins.split()))


KERNELS = [
    kernel("cpp_fused_add_mul_0", "cpp", "add mul view clone"),
    kernel("extern_kernels.mm", "extern", "mm add", operator="aten.mm.default"),
    kernel("extern_kernels.mm", "extern", "mm_1 mm", operator="aten.mm.default"),
    kernel("cpp_fused_add_mul_0", "cpp", "add_1"),
]


def test_of_a_library_call_its_own_node_alone_is_computed():
    assert by_node(["add", "mm", "mm_1", "gone"], KERNELS) == [[0], [1], [2], []]


def test_scheduler_nodes_find_the_kernel_that_computes_them():
    groups = [
        group("op0", "fused", "add mul"),
        group("op1", "single", "view clone"),
        group("op2", "extern", "add mul mm", 0),
        group("op3", "extern", "mm mm_1", 2),
        group("op4", "single", "add_1"),
        group("op5", "single", "elsewhere"),
    ]
    assert by_group(groups, KERNELS) == [[0], [0], [1], [2], [3], []]


def test_one_node_a_call_in_the_order_of_the_calls():
    groups = [
        group("op2", "extern", "mm", 1),
        group("op0", "fused", "add mul"),
        group("op1", "single", "view", 0, 1),
    ]
    nodes, own = merged(groups, [[1], [0], [0]])
    assert [node.name for node in nodes] == ["op0_op1", "op2"]
    assert own == [[0], [1]]
    assert nodes[0].origins == ("add", "mul", "view")
    assert nodes[0].inputs == (1,)
    assert nodes[1].inputs == (0,)


def test_time_is_that_of_the_choice_that_won_or_of_the_profile():
    choices = [{"name": "mm", "ms": 4.0}, {"name": "triton_mm_1", "ms": 2.5}]
    tuned = kernel("triton_mm_1", "template", "mm", autotune={"winner": "triton_mm_1", "choices": choices})
    assert seconds(tuned, None) == 0.0025
    profile = Profile(inside=[ProfiledOperator("aten.mm", 4, 0.02)])
    assert seconds(KERNELS[1], profile) == 0.005
    assert seconds(KERNELS[0], profile) is None
    assert seconds(kernel("x", "extern", "mm", autotune={"winner": 3, "choices": "no"}), None) is None
