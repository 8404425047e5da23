"""Recordings made by hand, as docs/recording.md says they look, for tests that need no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compilescope.recording.write import LogWriter

SCRIPT = """\
import torch


@torch.compile
def step(x, sigma):
    h = x * sigma
    if h.max() > 1.0:
        h = h.clamp(-1.0, 1.0)
    return h.sin()


def untraced(x):
    return x


other = torch.compile(untraced)
for n in range(3):
    step(torch.randn(4), 1.0 / (n + 1))
"""

CONDITION = (6, 7, 20)
"""`h.max() > 1.0`: line from 0, first and last column."""


class Made:
    """A recording of a run of `script`."""

    def __init__(
        self, folder: Path, script: Path, *, status: str = "finished", started: str = "2026-11-29T13:00:00+00:00"
    ):
        folder.mkdir(parents=True)
        self.folder = folder
        self.script = script
        self.run = {
            "format": 1,
            "command": [str(script)],
            "cwd": str(script.parent),
            "python": "/usr/bin/python3",
            "depth": "full",
            "started": started,
            "status": status,
            "exit_code": 0,
            "wall_s": 2.5,
            "pid": 4711,
        }
        self._writer = LogWriter(str(folder))
        self._write_run()
        self.event(
            "compilescope_environment",
            {
                "pid": 4711,
                "parent_pid": 1,
                "python": "3.11.7",
                "torch": "2.13.0+cpu",
                "platform": "linux",
                "argv": [str(script)],
                "cwd": str(script.parent),
                "depth": "full",
                "started": started,
                "library_roots": ["/usr/lib/python3.11"],
                "torch_root": "/usr/lib/python3.11/site-packages/torch/",
                "main_file": str(script),
            },
        )
        self.source(script)

    def event(self, name: str, payload: dict[str, Any], compile_id: str | None = None) -> Made:
        """One event of ours."""
        envelope: dict[str, Any] = {"artifact": {"name": name, "encoding": "json"}, **_ids(compile_id)}
        self._writer.append(envelope, json.dumps(payload), "compilescope/tracer/made.py:1")
        return self

    def source(self, file: Path) -> Made:
        return self.event("compilescope_source", {"file": str(file), "sha256": "", "text": file.read_text()})

    def compile(self, compile_id: str, *, line: int = 4, function: str = "step", seconds: float = 0.5) -> Made:
        """One compile that succeeded. `line` counts from 1."""
        metrics = {
            "compile_id": compile_id,
            "co_name": function,
            "co_filename": str(self.script),
            "co_firstlineno": line,
            "entire_frame_compile_time_s": seconds,
            "backend_compile_time_s": seconds / 2,
            "graph_node_count": 5,
            "graph_op_count": 3,
            "guard_count": 7,
            "has_guarded_code": True,
            "fail_type": None,
            "restart_reasons": [],
        }
        self._writer.append({"dynamo_start": {"stack": []}, **_ids(compile_id)}, None, "torch/_dynamo/made.py:1")
        graph = {"dynamo_output_graph": {"sizes": {}}, **_ids(compile_id)}
        self._writer.append(graph, "class GraphModule(torch.nn.Module): ...", "torch/_dynamo/made.py:2")
        self._writer.append({"compilation_metrics": metrics, **_ids(compile_id)}, None, "torch/_dynamo/made.py:2")
        return self

    def graph_break(self, compile_id: str = "0/0", **changes: Any) -> Made:
        """The break on the condition of SCRIPT."""
        line, col, end = CONDITION
        event = {
            "kind": "break",
            "reason": "Data-dependent branching\n  Explanation: Detected data-dependent branching.\n",
            "gb_type": "Data-dependent branching",
            "gb_id": "GB0170",
            "explanation": "Detected data-dependent branching.",
            "context": "attempted to jump with TensorVariable()",
            "hints": ["Use `torch.cond` to express dynamic control flow."],
            "exception": "Unsupported",
            "user_error": None,
            "frames": [self.frame(line + 1, col, end, "step")],
            "above": [self.frame(17, None, None, "<module>")],
            "code": {"file": str(self.script), "line": 4, "function": "step"},
            "fullgraph": False,
            "graph_nodes": 3,
        }
        return self.event("compilescope_graph_break", {**event, **changes}, compile_id)

    def recompile(self, compile_id: str, old: str, new: str) -> Made:
        """A recompile because `sigma` changed."""
        entry = {
            "entry": "0/0",
            "reason": f"0/0: L['sigma'] == {old}",
            "parts": [f"L['sigma'] == {old}"],
            "frames": [self.frame(6, 8, 17, "step")],
            "values": [{"expression": "sigma", "old": old, "new": new}],
        }
        payload = {
            "code": {"file": str(self.script), "line": 4, "function": "step"},
            "versions": int(compile_id.partition("/")[2]),
            "above": [self.frame(17, None, None, "<module>")],
            "refused": False,
            "failed": [entry],
        }
        return self.event("compilescope_recompile", payload, compile_id)

    def frame(self, line: int, col: int | None, end_col: int | None, function: str) -> dict[str, Any]:
        """A frame in the script. `line` counts from 1."""
        place = {"file": str(self.script), "line": line, "end_line": line, "col": col, "end_col": end_col}
        return {**place, "function": function}

    def end(self, **changes: Any) -> Made:
        """Complete `run.json`."""
        self.run |= changes
        self._write_run()
        return self

    def _write_run(self) -> None:
        (self.folder / "run.json").write_text(json.dumps(self.run))


def _ids(compile_id: str | None) -> dict[str, int]:
    if compile_id is None:
        return {}
    frame, _, number = compile_id.partition("/")
    return {"frame_id": int(frame), "frame_compile_id": int(number), "attempt": 0}
