"""The report of a large log is kept, and shown again only while nothing that it was made from has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.conftest import ENV

if TYPE_CHECKING:
    from pathlib import Path

SMALLEST = 8 << 20
PROBE = "import sys; from compilescope.cli.main import main; code = main(sys.argv[1:]); "
PROBE += "print('analysed' if 'compilescope.analysis' in sys.modules else 'kept', file=sys.stderr); sys.exit(code)"


class Log:
    """A large log of a job elsewhere: a graph break in `<folder>/job/model.py`, which is not there at first."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.source = folder, folder / "job" / "model.py"
        self.path = folder / "dedicated_log_torch_trace_x.log"
        self.text = self._record({"str": [str(self.source), 0]}) + self._graph_break(2)
        filling = self._record({"artifact": {"name": "filling", "encoding": "string"}}, "x" * 100_000)
        self.path.write_text(self.text + filling * (SMALLEST // len(filling) + 1))

    def show(self, *words: str) -> tuple[str, str]:
        """The report, and whether it was `kept` or `analysed`."""
        done = self._run(words)
        return done.stdout, done.stderr.splitlines()[-1]

    def said(self, *words: str) -> list[str]:
        """The lines on stderr."""
        return self._run(words).stderr.splitlines()

    def _run(self, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        env = {**ENV, "XDG_CACHE_HOME": str(self.folder / "cache"), "HOME": str(self.folder)}
        command = [sys.executable, "-c", PROBE, "show", *words, str(self.path)]
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, check=True)

    def append(self, line: int) -> None:
        """One more graph break."""
        with self.path.open("a") as stream:
            stream.write(self._graph_break(line))

    @staticmethod
    def _record(envelope: dict[str, object], payload: str = "") -> str:
        head = f"V1129 13:17:29.{123456} 4711 torch/_logging/structured.py:28] {json.dumps(envelope)}\n"
        return head + (f"\t{payload}\n" if payload else "")

    def _graph_break(self, line: int) -> str:
        frames = [{"line": line, "name": "forward", "filename": 0, "loc": ""}]
        reason = "Call to `torch._dynamo.graph_break()`"
        envelope = {"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "frame_id": 0}
        payload = f'{reason}\n\tUser code traceback:\n\t  File "{self.source}", line {line}, in forward\n\t    x'
        return self._record({**envelope, "frame_compile_id": 0, "attempt": 0, "stack": frames}, payload)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def breaks(report: str) -> list[int]:
    return sorted(one["range"]["start"]["line"] + 1 for one in json.loads(report)["findings"] if one["file"])


def test_the_second_time_it_is_not_read_again(log: Log) -> None:
    first, how = log.show("--format", "json")
    assert how == "analysed"
    assert breaks(first) == [2]
    assert log.show("--format", "json") == (first, "kept")
    assert log.show("--format", "text")[1] == "analysed"  # each format by itself
    file = log.folder / "report.json"
    assert log.show("--format", "json", "-o", str(file)) == ("", "kept")
    assert file.read_text() == first


@pytest.mark.parametrize("format_", ["text", "json"])
def test_the_hint_where_the_program_may_be_is_said_each_time(log: Log, format_: str) -> None:
    there = log.folder / "here" / "job" / "model.py"
    there.parent.mkdir(parents=True)
    there.write_text("def forward(x):\n    x\n")
    said = [log.said("--format", format_) for _ in range(2)]
    assert [one[-1] for one in said] == ["analysed", "kept"]
    hints = [[line for line in one if "--map-path" in line] for one in said]
    assert hints[0] == hints[1]
    assert len(hints[0]) == 1


def test_what_comes_or_changes_is_seen(log: Log) -> None:
    log.show("--format", "json")
    log.append(5)
    grown, how = log.show("--format", "json")
    assert how == "analysed"
    assert breaks(grown) == [2, 5]
    assert log.show("--format", "json") == (grown, "kept")

    log.source.parent.mkdir()
    log.source.write_text("def forward(x):\n    first(x)\n    a\n    b\n    last(x)\n")
    shown, how = log.show("--format", "json")
    assert how == "analysed"
    texts = [log.show()[0], log.show()]
    assert "first(x)" in texts[0]
    assert texts[1] == (texts[0], "kept")
    stat = log.source.stat()
    log.source.write_text(log.source.read_text().replace("first(x)", "other(x)"))
    os.utime(log.source, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))
    assert "other(x)" in log.show()[0]
    assert breaks(shown) == [2, 5]


def test_without_its_index_or_with_broken_text_it_is_read_again(log: Log) -> None:
    first, _ = log.show("--format", "json")
    log.path.with_name(log.path.name + ".index.sqlite").unlink()
    assert log.show("--format", "json") == (first, "analysed")
    (kept,) = (log.folder / "cache" / "compilescope" / "reports").iterdir()
    for broken in ("", "[]\n", '{"from": 3, "messages": []}\n', "\x00\xff", '{"from": {}}\n' + first):
        kept.write_text(broken)
        assert log.show("--format", "json") == (first, "analysed")
    assert log.show("--format", "json") == (first, "kept")


def test_a_folder_that_can_not_be_written_changes_nothing(log: Log) -> None:
    (log.folder / "cache").write_text("no folder")
    first, _ = log.show("--format", "json")
    assert log.show("--format", "json") == (first, "analysed")
