"""A recording made event by event, as docs/recording.md describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compilescope.analysis import analyse
from compilescope.analysis.model import Finding, Result
from compilescope.recording.reader import Recording

from tests.unit.recording.made import artifact, in_compile, record

SITE = "/opt/venv/lib/python3.11/site-packages"


def frame(file: str, line: int, function: str, col: int | None = None, end_col: int | None = None) -> dict[str, Any]:
    """A frame with a range on one line."""
    return {"file": file, "line": line, "end_line": line, "col": col, "end_col": end_col, "function": function}


def ids(compile_id: str) -> dict[str, Any]:
    """The envelope's fields for a compile id."""
    base, _, attempt = compile_id.partition("_")
    number, _, index = base.partition("/")
    return in_compile(int(number), int(index), int(attempt or 0))


class Made:
    """Events of one process, and what the analysis makes of them."""

    def __init__(self, folder: Path, source: str = "", *, file: str = "/app/main.py", ours: bool = True):
        self.folder, self.file = folder, file
        self.log = folder / "dedicated_log_torch_trace_4711_ab12.log"
        self._bytes = b""
        self._strings: dict[str, int] = {}
        if ours:
            self.event("compilescope_environment", {"library_roots": [SITE], "main_file": file, "torch": "2.13.0"})
        if source:
            self.event("compilescope_source", {"file": file, "sha256": "", "text": source})

    def event(self, name: str, payload: Any, compile_id: str | None = None, **common: Any) -> None:
        """Add an artifact."""
        self._bytes += artifact(name, payload, **(ids(compile_id) if compile_id else {}), **common)

    def torch_event(self, name: str, fields: Any, compile_id: str | None = None, payload: str | None = None) -> None:
        """Add one of torch's own events."""
        self._bytes += record(name, fields, payload, **(ids(compile_id) if compile_id else {}))

    def compiled(self, compile_id: str, function: str, line: int, seconds: float = 0.5, **metrics: Any) -> None:
        """Add the events of a compile of a function in the main file."""
        if self.file not in self._strings:
            self._strings[self.file] = len(self._strings)
            self.torch_event("str", [self.file, self._strings[self.file]])
        stack = [{"line": line, "name": function, "filename": self._strings[self.file]}]
        self.torch_event("dynamo_start", {"stack": stack}, compile_id)
        own = {"co_name": function, "co_filename": self.file, "co_firstlineno": line, "has_guarded_code": True}
        own |= {"entire_frame_compile_time_s": seconds, "guard_count": 3, "graph_node_count": 5}
        self.torch_event("compilation_metrics", own | metrics, compile_id)

    def graph_break(self, compile_id: str | None, frames: list[dict[str, Any]], **data: Any) -> None:
        """Add a graph break."""
        own = {"kind": "break", "reason": "Graph break", "gb_type": "Unsupported thing", "gb_id": "GB9999"}
        own |= {"context": "", "hints": [], "frames": frames, "above": [], "code": None}
        self.event("compilescope_graph_break", own | data, compile_id)

    def recompile(self, compile_id: str, code: dict[str, Any], part: str, **data: Any) -> None:
        """Add a recompile for one failed guard."""
        failed = {"entry": "0/0", "reason": f"0/0: {part}", "parts": [part], "frames": [], "values": []}
        failed |= {key: data.pop(key) for key in ("frames", "values") if key in data}
        own = {"code": code, "versions": int(compile_id.rpartition("/")[2]), "above": [], "refused": False}
        self.event("compilescope_recompile", own | {"failed": [failed]} | data, compile_id)

    def result(self) -> Result:
        """Analyse what was added so far."""
        self.log.write_bytes(self._bytes)
        with Recording.open(self.folder) as recording:
            return analyse(recording)

    def findings(self, rule: str | None = None) -> list[Finding]:
        """The findings, of one rule if given."""
        return [one for one in self.result().findings if rule in {None, one.rule}]

    def add_log(self, name: str, data: bytes) -> None:
        """Add the log of another process."""
        (self.folder / name).write_bytes(data)

    def run_json(self, **values: Any) -> None:
        """Write `run.json`."""
        (self.folder / "run.json").write_text(json.dumps({"format": 1, **values}))
