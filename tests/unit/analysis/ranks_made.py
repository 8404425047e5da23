"""Logs of several ranks, in the bytes that torch writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.recording.made import artifact, in_compile, record

FILE = "/app/train.py"
SCHEDULE = "inductor_collective_schedule"
META = "inductor_runtime_and_tensor_meta"


class Rank:
    """One rank's log, compile by compile."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self._bytes = record("str", [FILE, 0], rank=rank)

    def compiled(self, number: int, *, seconds: float = 0.5, graph: str = "relu", **metrics: Any) -> None:
        """Add compile `0/number`, whose graph is `graph`."""
        common: dict[str, Any] = {"rank": self.rank, **in_compile(0, number)}
        stack = [{"line": 3, "name": "step", "filename": 0}]
        self._bytes += record("dynamo_start", {"stack": stack}, **common)
        self._bytes += record("dynamo_output_graph", {"sizes": {}}, f"def forward(x):\n  y = {graph}", **common)
        own = {"co_name": "step", "co_filename": FILE, "co_firstlineno": 3, "has_guarded_code": True}
        own |= {"entire_frame_compile_time_s": seconds, "guard_count": 3, "graph_node_count": 5}
        self._bytes += record("compilation_metrics", own | metrics, **common)

    def artifact(self, name: str, payload: Any, number: int | None = None) -> None:
        """Add an artifact, of compile `0/number` if given."""
        self._bytes += artifact(name, payload, rank=self.rank, **({} if number is None else in_compile(0, number)))

    def guards(self, text: str, number: int = 0) -> None:
        """Add the text of the guards."""
        self._bytes += record("dynamo_cpp_guards_str", {}, text, rank=self.rank, **in_compile(0, number))

    def ran(self, *ids: str) -> None:
        """Add the order in which graphs ran."""
        self.artifact("graph_execution", {"graph_execution_order": [{"compile_id": one} for one in ids]})

    def made(self, shape: list[int], nanoseconds: float = 1e6) -> None:
        """Add what Inductor says of the one operation of compile `0/0`."""
        outputs = [{"shape": shape, "stride": [1], "dtype": "float32"}]
        op = {"name": "op0", "type": "compute", "estimated_runtime_ns": nanoseconds, "outputs": outputs}
        self.artifact(META, {"ops": [op]}, 0)

    def write(self, folder: Path) -> None:
        """Write the log under the name that torch gives it."""
        (folder / f"dedicated_log_torch_trace_rank_{self.rank}_ab12.log").write_bytes(self._bytes)
