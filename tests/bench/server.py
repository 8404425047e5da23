"""The language server: how soon it answers, and how quick hovers and code actions are while a large log is read.

`python tests/bench/server.py [ROUNDS]`
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from compilescope.recording.write import LogWriter
from measure import HEADER, ROOT, Figure, show

ENTRY = ROOT / "pyserver" / "compilescope" / "lsp" / "__main__.py"
LOG_MB = 300
BUDGET_MS = 20.0
SCRIPT = "import torch\n\n\n@torch.compile\ndef f(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n"
PLACE = {"line": 5, "character": 9}
ASKED = {
    "hover on a finding": ("textDocument/hover", {"position": PLACE}),
    "hover on another line": ("textDocument/hover", {"position": {"line": 7, "character": 6}}),
    "code actions": (
        "textDocument/codeAction",
        {"range": {"start": PLACE, "end": PLACE}, "context": {"diagnostics": []}},
    ),
}
"""What is asked, one after another."""
CAPABILITIES = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}}}


def measure(rounds: int = 5) -> list[Figure]:
    """Start; hovers and code actions on an idle server and while `LOG_MB` are read."""
    starts = [_start() for _ in range(rounds)]
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder, "large")
        _write(large, Path(folder, "large.py"), compiles=LOG_MB * 40, payload=22_000)
        idle, busy, took = answers(Path(folder), large)
    return [
        Figure("server: start to initialize answered", statistics.median(starts), None, "s"),
        *(p99(f"{name}, server idle, p99", idle[name]) for name in ASKED),
        *(p99(f"{name} while {LOG_MB} MB are read ({took:.0f} s), p99", busy[name]) for name in ASKED),
    ]


def p99(name: str, seconds: list[float]) -> Figure:
    ordered = sorted(one * 1000 for one in seconds)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    spread = f"median {statistics.median(ordered):.1f}, most {ordered[-1]:.1f} ms of {len(ordered)}"
    return Figure(name, p99, BUDGET_MS, "ms", p99 / BUDGET_MS, 1.0, spread)


class _Server:
    """A server and the few messages that this needs."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-I", "-S", str(ENTRY)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._number = 0
        self.answers: dict[int, Any] = {}
        options = {"client": "vscode"}
        params = {
            "processId": os.getpid(),
            "rootUri": folder.as_uri(),
            "capabilities": CAPABILITIES,
            "initializationOptions": options,
        }
        self.wait(self.ask("initialize", params))
        self.tell("initialized", {})

    def ask(self, method: str, params: Any) -> int:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._number

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def wait(self, number: int) -> Any:
        """The answer to request `number`; those of others are kept in `answers`."""
        while number not in self.answers:
            message = self._receive()
            if "method" not in message:
                self.answers[message["id"]] = message
        return self.answers.pop(number)["result"]

    def close(self) -> None:
        self._input.close()
        self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while (line := self._output.readline()) != b"\r\n":
            if line.startswith(b"Content-Length"):
                length = int(line.split()[1])
        message: dict[str, Any] = json.loads(self._output.read(length))
        return message


def _start() -> float:
    begun = time.monotonic()
    server = _Server(Path.cwd())
    took = time.monotonic() - begun
    server.close()
    return took


Taken = dict[str, list[float]]


def answers(folder: Path, large: Path) -> tuple[Taken, Taken, float]:
    """Seconds of each answer of an idle server and while it reads a large log, and the seconds that it read."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    small = folder / "small"
    _write(small, script, compiles=1, payload=1000)
    server = _Server(folder)
    document = {"uri": script.as_uri(), "languageId": "python", "version": 1, "text": SCRIPT}
    server.tell("textDocument/didOpen", {"textDocument": document})
    server.wait(server.ask("compilescope/openRecording", {"path": str(small)}))

    def asked() -> dict[str, float]:
        taken = {}
        for name, (method, params) in ASKED.items():
            begun = time.monotonic()
            answer = server.wait(server.ask(method, {"textDocument": {"uri": script.as_uri()}, **params}))
            taken[name] = time.monotonic() - begun
            assert answer, f"there is something to say: {name}"
        return taken

    asked()
    idle = [asked() for _ in range(300)]
    begun = time.monotonic()
    reading = server.ask("compilescope/openRecording", {"path": str(large)})
    busy = []
    while reading not in server.answers:
        busy.append(asked())
        time.sleep(0.005)
    took = time.monotonic() - begun
    server.close()
    return _by_name(idle), _by_name(busy), took


def _by_name(rounds: list[dict[str, float]]) -> Taken:
    return {name: [one[name] for one in rounds] for name in ASKED}


def _write(folder: Path, script: Path, *, compiles: int, payload: int) -> None:
    """A recording with a break and two graphs of text in each compile."""
    folder.mkdir()
    script.write_text(SCRIPT)
    run = {"format": 1, "command": [str(script)], "cwd": str(folder), "status": "finished", "exit_code": 0}
    (folder / "run.json").write_text(json.dumps(run))
    writer = LogWriter(str(folder))
    source = {"artifact": {"name": "compilescope_source", "encoding": "json"}}
    writer.append(source, json.dumps({"file": str(script), "sha256": "", "text": SCRIPT}), "a.py:0")
    line = '        add: "f32[8, 64][64, 1]cpu" = torch.ops.aten.add.Tensor(arg0_1, arg1_1);  arg0_1 = None\n'
    text = line * (payload // len(line))
    code = {"file": str(script), "line": 4, "function": "f"}
    frame = {**code, "line": 6, "end_line": 6, "col": 7, "end_col": 18}
    for number in range(compiles):
        ids = {"frame_id": number, "frame_compile_id": 0, "attempt": 0}
        metrics = {"co_name": "f", "co_filename": str(script), "co_firstlineno": 4, "has_guarded_code": True}
        happened = {
            "kind": "break",
            "reason": f"Data-dependent branching {number % 50}",
            "gb_type": None,
            "gb_id": None,
        }
        broken = {**happened, "frames": [frame], "above": [], "code": code, "hints": [], "fullgraph": False}
        ours = {"artifact": {"name": "compilescope_graph_break", "encoding": "json"}}
        writer.append({"dynamo_start": {"stack": []}, **ids}, None, "a.py:1")
        writer.append({"dynamo_output_graph": {"sizes": {}}, **ids}, text, "a.py:2")
        writer.append({**ours, **ids}, json.dumps(broken), "a.py:3")
        writer.append({"inductor_output_code": {"filename": "/tmp/a.py"}, **ids}, text[: len(text) // 10], "a.py:4")
        writer.append({"compilation_metrics": metrics, **ids}, None, "a.py:5")


if __name__ == "__main__":
    show(HEADER, *(figure.line() for figure in measure(*map(int, sys.argv[1:]))))
