"""Findings made by hand, in one file of a program that nobody ran."""

from __future__ import annotations

from compilescope.analysis.guards import Guard, Guarded, GuardTree
from compilescope.analysis.model import Compile, Finding, Range, Result, Run

FILE = "/app/main.py"


def finding(range_: Range, rule: str = "graph-break", said: tuple[str | None, str | None] = (None, None)) -> Finding:
    """A finding; `said` is torch's name of the kind and its notes."""
    detail = {"gb_type": said[0], "context": said[1], "function": "forward"}
    return Finding(
        rule, "warning", FILE, range_, "", "", said[0] or "", "other", "capture", "GB0001", None, ["0/0"], detail=detail
    )


def result(found: Finding, torch: str = "2.13.0") -> Result:
    """What was found in a run: one finding, and a tensor `x`, float32 of 4 elements."""
    run = Run([FILE], "/app", None, torch, 0, 1.0, "/rec", "full", [], [])
    tensor = "check_tensor(x, Tensor, K, torch.float32, device=None, requires_grad=False, size=[4], stride=[1])"
    root = Guarded(
        "", "", children=[Guarded("L['x']", "x", type="torch.Tensor", guards=[Guard("TENSOR_MATCH", tensor)])]
    )
    compiled = Compile("0/0", "forward", FILE, 10, "ok", 1, {}, {}, 1, None)
    return Result(run, [found], [compiled], [], [], {}, guards=[GuardTree("0/0", root)])
