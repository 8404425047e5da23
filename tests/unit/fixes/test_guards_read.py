"""However many guards a run has, those of the function that a finding is in are known."""

from __future__ import annotations

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.model import Position, Range
from compilescope.fixes import attach
from compilescope.recording.reader import Recording

from tests.unit.analysis.made import Made
from tests.unit.fixes.made import finding

FILE = "/app/main.py"
TEXT = """\
import torch

LAYERS = ()


@torch.compile
def large(x):
    return x


@torch.compile
def forward(x):
    if x.sum() > 0:
        x = x * 2
    return x
"""
VALUE = "| +- GuardManager: source=L['x'], accessed_by=FrameLocals, type=<class 'torch.Tensor'>, tag_safe=(True, False)"
CHECK = (
    "| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.{dtype}, device=None, "
    "requires_grad=False, size=[4], stride=[1])"
)
IF = Range(Position(12, 7), Position(12, 18))


def tree(more: int, dtype: str = "float32") -> str:
    return "\n".join(["+- RootGuardManager", VALUE, CHECK.format(dtype=dtype), *[VALUE.replace("'x'", "'y'")] * more])


@pytest.mark.parametrize(
    ("before", "versions", "offered"),
    [
        (0, ["float32"], True),
        (5000, ["float32"], True),  # a model compiled first
        (0, ["float32", "int64"], False),  # x * 2 and x are of one dtype in each, but which is not known
    ],
)
def test_guards_of_this_function(tmp_path, before, versions, offered):
    made = Made(tmp_path, TEXT)
    made.compiled("0/0", "large", 6)
    made.torch_event("dynamo_cpp_guards_str", {}, "0/0", tree(before))
    for number, dtype in enumerate(versions):
        made.compiled(f"1/{number}", "forward", 11)
        made.torch_event("dynamo_cpp_guards_str", {}, f"1/{number}", tree(0, dtype))
    made.result()
    with Recording.open(tmp_path) as opened:
        result = analyse(opened)
        found = finding(IF, said=("Data-dependent branching", ""))
        result.findings = [found]
        attach(result, {FILE: TEXT})
    assert ("where" in [one.kind for one in found.fixes]) is offered, found.fixes
