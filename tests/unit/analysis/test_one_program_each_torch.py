"""The logs of one program with torch 2.6 to 2.15 tell the same: what is on which line, what became of the frame."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording

FIXTURES = Path(__file__).parents[2] / "fixtures/tlparse"
PROGRAM = (FIXTURES / "breaks.py").read_text(encoding="utf-8").splitlines()
GRAPH_BREAK = "torch._dynamo.graph_break()"


@pytest.fixture(scope="module", params=["2.6.0", "2.7.1", "2.8.0", "2.15.0"])
def result(request, tmp_path_factory):
    packed = FIXTURES / f"breaks-torch-{request.param}.log.xz"
    log = tmp_path_factory.mktemp("log") / packed.stem
    log.write_bytes(lzma.decompress(packed.read_bytes()))
    with Recording.open(log) as recording:
        recording.paths = PathMapping.of([("/srv/job", str(FIXTURES))])
        yield analyse(recording)


def line_of(code: str, after: str) -> int:
    """The line with a text in the function `after`."""
    start = next(number for number, line in enumerate(PROGRAM, 1) if line.startswith(f"def {after}("))
    return next(number for number, line in enumerate(PROGRAM[start:], start + 1) if code in line)


def test_each_break_is_on_its_line_with_what_became_of_its_frame(result):
    branch = next(number for number, line in enumerate(PROGRAM, 1) if "if x.sum() > self.index" in line)
    expected = {
        (line_of("print(", "printed"), "graph-break"),
        (line_of(".item()", "number"), "graph-break"),
        (line_of(GRAPH_BREAK, "helper"), "graph-break"),
        (line_of("log.warning", "loop"), "frame-skipped"),
        (line_of(GRAPH_BREAK, "tried"), "frame-skipped"),
        (line_of(GRAPH_BREAK, "entered"), "frame-skipped"),
        (line_of("kept_out(", "disabled"), "graph-break"),
        (line_of("warnings.warn", "warned"), "graph-break"),
        (line_of("time.time()", "drawn"), "graph-break"),
        (line_of("nonzero()", "selected"), "graph-break"),
        (branch, "frame-skipped"),
    }
    told = [one for one in result.findings if one.rule in {"graph-break", "frame-skipped"}]
    assert {(one.range.start.line + 1, one.rule) for one in told} == expected


def test_the_words_are_of_what_the_line_does(result):
    said = {one.range.start.line + 1: one for one in result.findings if one.rule in {"graph-break", "frame-skipped"}}
    assert "`print` can't be part of a graph" in said[line_of("print(", "printed")].title
    assert "inside a loop" in said[line_of("log.warning", "loop")].title
    assert "none of `loop`" in said[line_of("log.warning", "loop")].title
    assert "`with` block" in said[line_of(GRAPH_BREAK, "entered")].title
    assert "`try` block" in said[line_of(GRAPH_BREAK, "tried")].title
    assert "`torch.compiler.disable`" in said[line_of("kept_out(", "disabled")].title
    assert "depends on tensor data" in said[line_of("nonzero()", "selected")].title
    (branch,) = (one for one in said.values() if "none of `Net.forward`" in one.title)
    assert branch.detail["label"] == "this `if` depends on tensor data"


def test_the_limits_are_told_for_their_functions(result):
    limits = {one.detail["function"]: one.detail["limit"] for one in result.findings if one.rule == "recompile-limit"}
    assert limits == {"texts": 4, "whole": 4}
    assert result.metrics["limit_hits"] == 3  # `texts` runs in eager from there on, `whole` raises twice


def test_what_became_of_each_frame(result):
    given_up = {one.function for one in result.compiles if one.status == "skipped"}
    assert given_up == {"loop", "tried", "entered", "forward"}
    assert result.metrics["failures"] in {0, 2}  # torch 2.6 does not tell which refusals raised
