"""Results made by hand, as the analysis would make them."""

from __future__ import annotations

from itertools import pairwise

from compilescope.analysis.model import Compile, Finding, Position, Range, Result, Run, StackFrame

FILE = "/w/demo.py"
SOURCE = '''"""Five steps of a small image sampler."""
import math

import torch
from torch import nn

torch.manual_seed(1)
width = 64
up = nn.Linear(width, 4 * width)
down = nn.Linear(4 * width, width)


@torch.compile
def denoise(x, mask, sigma):
    freq = math.log(sigma + 1.0)
    h = x * mask + freq
    h = nn.functional.gelu(up(h))
    h = x + down(h)
    if h.abs().max() > 6.0:
        h = h.clamp(-6.0, 6.0)
    print("limited", h.shape)
    out = torch.tanh(h) * mask
    return out - x.mean(-1, keepdim=True)
'''


def span(line: int, start: int, end: int, end_line: int | None = None) -> Range:
    """A range on `line`, which counts from 1; characters count from 0."""
    return Range(Position(line - 1, start), Position((end_line or line) - 1, end))


def finding(**changes: object) -> Finding:
    values: dict[str, object] = {
        "rule": "graph-break",
        "severity": "warning",
        "file": FILE,
        "range": span(19, 7, 26),
        "title": "this `if` depends on tensor data",
        "explanation": "operations are recorded without their values, so the answer isn't known",
        "reason": "Data-dependent branching\n  Explanation: Detected data-dependent branching",
        "class_": "control-flow",
        "stage": "capture",
        "code": "GB0170",
        "href": "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html",
        "compile_ids": ["0/0", "0/1", "0/2", "0/3", "0/4"],
        "count": 5,
        "cost_s": 0.09,
        "frames": [
            StackFrame(FILE, 30, "<module>", in_user_code=True, range=span(30, 12, 30)),
            StackFrame(FILE, 19, "denoise", in_user_code=True, range=span(19, 7, 26)),
        ],
        "detail": {
            "label": "the graph ends here; the `if` runs in Python",
            "gb_type": "Data-dependent branching",
            "resumed": ["1/0"],
            "write": "h = h.clamp(-6.0, 6.0)",
        },
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def recompile(values: list[float]) -> Finding:
    """`sigma` compiled in, once for each of `values`."""
    return finding(
        rule="recompile",
        range=span(15, 11, 32),
        title=f"`denoise` was recompiled {len(values) - 1} times, 2.23 s in all",
        explanation="`math.log` needs the exact number, so each new value is compiled again",
        reason="sigma == 1.0",
        class_="guard",
        stage="guard",
        code="recompile",
        href=None,
        compile_ids=[f"0/{number}" for number in range(1, len(values))],
        count=len(values) - 1,
        cost_s=2.23,
        detail={
            "label": "compiles the value of `sigma` into the code",
            "function": "denoise",
            "versions": len(values),
            "limit": 8,
            "recompiles": [
                {
                    "compile_id": f"0/{number + 1}",
                    "guard": f"sigma == {old}",
                    "expression": "sigma",
                    "old": repr(old),
                    "new": repr(new),
                    "caller": {"file": FILE, "line": 30, "function": "<module>"},
                    "seconds": 0.4 + number / 100,
                }
                for number, (old, new) in enumerate(pairwise(values))
            ],
        },
    )


def compiled(id_: str, seconds: float = 0.5, **changes: object) -> Compile:
    values: dict[str, object] = {
        "id": id_,
        "function": "denoise",
        "file": FILE,
        "line": 13,
        "status": "ok",
        "attempts": 1,
        "seconds": {"total": seconds},
        "graph": {"nodes": 9, "edges": 9},
        "guards": 12,
        "cache": "off",
    }
    return Compile(**{**values, **changes})  # type: ignore[arg-type]


def result(findings: list[Finding], compiles: list[Compile] | None = None, **run: object) -> Result:
    values: dict[str, object] = {
        "command": ["demo.py"],
        "cwd": "/w",
        "python": "/usr/bin/python3",
        "torch": "2.13.0",
        "exit_code": 0,
        "wall_s": 9.5,
        "recording": "/w/.compilescope/20261129-131729",
        "depth": "full",
        "ranks": [],
        "unavailable": [],
    }
    return Result(
        run=Run(**{**values, **run}),  # type: ignore[arg-type]
        findings=findings,
        compiles=compiles if compiles is not None else [compiled(f"0/{number}") for number in range(5)],
        passes=[],
        kernels=[],
        metrics={"graphs": 6 if compiles is None else len(compiles), "recompiles": 4},
    )
