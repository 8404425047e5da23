"""A log as torch alone writes it on some machine: breaks of functions, with tracebacks that have the lines."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

MODEL = """\
import torch


def forward(x):
    y = x * 2
    print("norm", y.shape)
    return torch.relu(y)
"""
TRAIN = """\
import torch
from pkg.model import forward


def main():
    net = torch.compile(forward)
    net(torch.randn(4))


main()
"""
BREAK = 6
"""The line of the model that breaks."""
FILES = {"train.py": TRAIN, "pkg/model.py": MODEL}
_REASON = """\
Graph break in user code at {file}:{line}
Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):

Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print` with argument types ['str'] (has_kwargs False)
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print [<class 'ConstantVariable'>] False

 For more details about this graph break, please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html

User code traceback:
  File "{train}", line 10, in <module>
    main()
  File "{train}", line 7, in main
    net(torch.randn(4))
  File "{file}", line {line}, in forward
    print("norm", y.shape)

Traceback (most recent call last):
  File "/opt/py/lib/python3.11/site-packages/torch/_dynamo/symbolic_convert.py", line 1076, in wrapper
    return inner_fn(self, inst)
"""
_GRAPH = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4][1]cpu"):
        l_x_ = L_x_
        # File: {file}:5 in forward, code: y = x * 2
        y: "f32[4][1]cpu" = l_x_ * 2;  l_x_ = None
        return (y,)
"""


def write(folder: Path, there: str, separator: str = "/") -> Path:
    """Write the log of a run of `there`/train.py into `folder`, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    train, model = (separator.join([there, *name.split("/")]) for name in FILES)
    compile_id = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    stack = [
        {"line": 10, "name": "<module>", "filename": 0, "loc": "main()"},
        {"line": 7, "name": "main", "filename": 0, "loc": "net(torch.randn(4))"},
        {"line": 4, "name": "forward", "filename": 1},
    ]
    metrics = {
        "compile_id": "0/0",
        "frame_key": "1",
        "co_name": "forward",
        "co_filename": model,
        "co_firstlineno": 4,
        "graph_op_count": 1,
        "entire_frame_compile_time_s": 0.5,
    }
    reason = _REASON.format(train=train, file=model, line=BREAK)
    graph = _GRAPH.format(file=model)
    records = [
        _record({"str": [train, 0]}),
        _record({"str": [model, 1]}),
        _record({"dynamo_start": {"stack": stack}, **compile_id}),
        _record({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, **compile_id}, reason),
        _record({"dynamo_output_graph": {"sizes": {}}, **compile_id}, graph),
        _record({"compilation_metrics": metrics, **compile_id}),
    ]
    log = folder / "dedicated_log_torch_trace_x.log"
    log.write_text("".join(records), encoding="utf-8")
    return log


def program(folder: Path) -> Path:
    """Put the program itself into `folder`, and return that."""
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def _record(envelope: dict[str, Any], payload: str | None = None) -> str:
    body = ""
    if payload is not None:
        envelope["has_payload"] = hashlib.md5(payload.encode()).hexdigest()
        body = "".join(f"\n\t{line}" for line in payload.split("\n"))
    return f"V1129 13:17:29.123456 4711 torch/_dynamo/convert_frame.py:12] {json.dumps(envelope)}{body}\n"
