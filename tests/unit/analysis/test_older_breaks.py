"""Breaks in the words of torch 2.6: the kind that newer versions have a name for (texts of real logs)."""

from __future__ import annotations

import re

import pytest
from compilescope.analysis import registry, torch_text
from compilescope.analysis.data import load

LOGGED = """\
Graph break in user code at /job/run.py:19
Reason: Unsupported: {}
User code traceback:
  File "/job/run.py", line 19, in item
    v = x.sum().item()
"""
SKIPPED = "'skip function {} in file {}'"
TORCH = "/env/lib/python3.11/site-packages/torch"
C_BUILTIN = (
    "Graph break due to unsupported builtin {}. This function is either a Python builtin (e.g. _warnings.warn) or a "
    "third-party C/C++ Python extension (perhaps created with pybind)."
)


@pytest.mark.parametrize(
    ("words", "number", "context"),
    [
        ("Tensor.item", "GB0124", ""),
        ("Tensor.backward", "GB0123", ""),
        ("Input tensor for tolist must be an integer tensor", "GB0109", ""),
        (
            (
                "data dependent operator: aten._local_scalar_dense.default; to enable, set "
                "torch._dynamo.config.capture_scalar_outputs = True"
            ),
            "GB0033",
            "aten._local_scalar_dense.default",
        ),
        (
            (
                "dynamic shape operator: aten.nonzero.default; to enable, set "
                "torch._dynamo.config.capture_dynamic_output_shape_ops = True"
            ),
            "GB0036",
            "aten.nonzero.default",
        ),
        (
            (
                "dynamic shape operator: my.op.default; Operator does not have a meta kernel that supports dynamic "
                "output shapes, please report an issue to PyTorch"
            ),
            "GB0037",
            "my.op.default",
        ),
        (
            "builtin: print [<class 'torch._dynamo.variables.constant.ConstantVariable'>] False",
            "GB0059",
            "builtin print [<class 'torch._dynamo.variables.constant.ConstantVariable'>] False",
        ),
        ("Logger not supported for non-export cases. To avoid graph breaks caused by", "GB0291", ""),
        (SKIPPED.format("graph_break", f"{TORCH}/_dynamo/decorators.py"), "GB0025", ""),
        (
            SKIPPED.format("save", f"{TORCH}/serialization.py"),
            "GB0007",
            f"module: torch, qualname: save, filename: {TORCH}/serialization.py",
        ),
        (
            SKIPPED.format("Thread.start", "/usr/lib/python3.11/threading.py"),
            "GB0007",
            "module: threading, qualname: Thread.start, filename: /usr/lib/python3.11/threading.py",
        ),
        (
            C_BUILTIN.format("time.time"),
            "GB0007",
            "module: time, qualname: time, skip reason: C extension or builtin",
        ),
        (
            "Graph break due to unsupported Python builtin _warnings.warn. Please file an issue on GitHub",
            "GB0007",
            "module: _warnings, qualname: warn, skip reason: C extension or builtin",
        ),
        (
            "call_method UserDefinedObjectVariable(generator) __iter__ () {}",
            "GB0156",
            "call_method UserDefinedObjectVariable(generator) __iter__ () {}",
        ),
        (
            "BEFORE_WITH UserDefinedObjectVariable(TextIOWrapper)",
            "GB0142",
            "Attempted BEFORE_WITH on UserDefinedObjectVariable(TextIOWrapper)",
        ),
        (
            "call torch._dynamo.disable() wrapped function <function off at 0x7f1410053ce0>",
            "GB0098",
            "<function off at 0x7f1410053ce0>",
        ),
    ],
)
def test_a_free_text_is_of_a_kind_that_has_a_name_since(words, number, context):
    said = torch_text.break_text(LOGGED.format(words))
    assert (registry.number(said.gb_type), said.context) == (number, context)
    assert said.reason == f"Unsupported: {words}"


def test_a_jump_on_data_has_no_prefix():
    said = torch_text.break_text("Graph break in user code at /job/run.py:2\nReason: Data-dependent jump\n")
    assert registry.number(said.gb_type) == "GB0170"


def test_words_that_are_of_no_known_kind_stay():
    assert torch_text.break_text(LOGGED.format("some words")).gb_type == "some words"


def test_a_name_with_an_explanation_has_the_prefix_in_torch_2_7():
    message = "Unsupported: Data-dependent branching\n  Explanation: Detected.\n  Hint: Use `torch.cond`.\n\n"
    said = torch_text.break_text(message + "  Developer debug context: attempted to jump with TensorVariable()\n")
    assert said.gb_type == "Data-dependent branching"


def test_the_kinds_are_in_torch_s_registry():
    kinds = load("older_breaks")["kinds"]
    assert [one["type"] for one in kinds if registry.number(one["type"]) is None] == []
    assert all(re.compile(one["text"]) for one in kinds)
