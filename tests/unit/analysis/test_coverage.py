"""What became of each line: programs whose lines are known, as recordings with and without the lines traced."""

from __future__ import annotations

import pytest
from compilescope.analysis.coverage import executable
from compilescope.analysis.coverage_model import CoveredLine, FunctionCoverage
from compilescope.analysis.sources import Source
from compilescope.analysis.to_json import to_json

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
TEXT = """\
import torch

@torch.compile
def f(x, n):
    \"\"\"Docs.\"\"\"
    if n:
        k = 2
    else:
        k = 3
    y = (
        x.sin()
        + k
    )
    print(y)
    if n: y = y * 2
    return helper(y)

def helper(y):
    return y + 1

@torch.compile
def loop(x):
    for i in range(3):
        x = x + 1
        print(i)
    return x

@torch.compiler.disable
def off(x):
    return x

def never(x):
    return x
"""
BREAK = {"kind": "break", "reason": "r", "gb_type": "Failed to trace builtin operator", "above": []}


def states(result, function):
    """The states of a function's lines."""
    (found,) = [one for one in result.coverage if one.function == function]
    return {one.line: one.state for one in found.lines}


def reasons(result, function):
    (found,) = [one for one in result.coverage if one.function == function]
    return {one.line: (one.reason, one.because and one.because.range.start.line + 1) for one in found.lines}


def percent(result):
    return {one.function: one.percent for one in result.coverage}


def node(name, line):
    return {
        "name": name,
        "op": "call_function",
        "target": name,
        "seq": line,
        "inputs": [],
        "frame": frame(MAIN, line, "f"),
    }


def broken(made, line, function, compile_id, code, **more):
    stack = [frame(MAIN, line, function, 4, 9)]
    made.event("compilescope_graph_break", BREAK | {"frames": stack, "code": code} | more, compile_id)


@pytest.fixture
def made(tmp_path):
    """`f` was compiled in two pieces around its print; `loop` was given up; `off` is kept out."""
    made = Made(tmp_path, TEXT)
    made.compiled("0/0", "f", 3)
    made.event("compilescope_lines", {"lines": {MAIN: [4, 6, 9, 10, 11, 14, 15, 16, 19]}}, "0/0")
    broken(made, 14, "f", "0/0", {"file": MAIN, "line": 3, "function": "f"})
    made.event("compilescope_lines", {"lines": {MAIN: [4, 6, 9, 10, 11, 14]}}, "0/0_1")
    made.compiled("1/0", "torch_dynamo_resume_in_f_at_14", 14)
    made.event("compilescope_lines", {"lines": {MAIN: [14, 15, 16, 18, 19]}}, "1/0")
    made.compiled("2/0", "loop", 21, has_guarded_code=False, graph_node_count=0, fail_type="torch.Unsupported")
    made.event("compilescope_lines", {"lines": {MAIN: [22, 23, 24, 25]}}, "2/0")
    broken(made, 25, "loop", "2/0", {"file": MAIN, "line": 21, "function": "loop"}, kind="frame-skipped")
    called = {"gb_type": "Skip calling `torch.compiler.disable()`d function", "context": "<function off at 0x7f>"}
    broken(made, 14, "f", "0/0", {"file": MAIN, "line": 3, "function": "f"}, **called)
    return made


def test_each_line_of_each_function(made):
    result = made.result()
    assert states(result, "f") == {
        6: "captured", 7: "not_run", 9: "captured", 10: "captured", 14: "eager", 15: "captured", 16: "captured"
    }  # fmt: skip
    assert states(result, "helper") == {19: "captured"}
    assert set(states(result, "loop").values()) == {"skipped"}
    assert set(states(result, "loop")) == {23, 24, 25, 26}
    assert states(result, "off") == {30: "skipped"}
    assert percent(result) == {"f": 83.3, "helper": 100.0, "loop": 0.0, "off": 0.0}


def test_the_finding_to_blame(made):
    result = made.result()
    assert reasons(result, "f")[14] == ("break", 14)
    assert reasons(result, "loop")[26] == ("frame-skipped", 25)
    assert reasons(result, "off") == {30: ("disabled", 14)}
    shown = {one["function"]: one for one in to_json(result)["coverage"]}
    blamed = shown["loop"]["lines"][0]["finding"]
    assert to_json(result)["findings"][blamed]["rule"] == "frame-skipped"


def test_the_last_attempt_counts(made):
    assert next(one for one in made.result().coverage if one.function == "f").at(12).compile_ids == ("0/0",)
    assert made.result().coverage[0].at(15).compile_ids == ("1/0",)


def test_a_line_that_one_version_captured_is_captured(made):
    made.compiled("0/1", "f", 3)
    made.event("compilescope_lines", {"lines": {MAIN: [4, 6, 7, 10, 11, 14]}}, "0/1")
    assert states(made.result(), "f")[7] == "captured"
    assert states(made.result(), "f")[9] == "captured"


def test_at_the_limit_what_only_that_frame_captured_is_skipped(made):
    code = {"file": MAIN, "line": 3, "function": "f"}
    failed = {"entry": "0/0", "reason": "0/0: L['n'] == 1", "parts": ["L['n'] == 1"]}
    made.event("compilescope_recompile", {"code": code, "versions": 1, "failed": [failed], "refused": True}, "0/1")
    found = reasons(made.result(), "f")
    assert found[9][0] == "recompile-limit"
    assert found[15][0] == ""
    assert found[14][0] == "break"


def test_a_piece_that_came_to_nothing_is_eager(tmp_path):
    made = Made(tmp_path, TEXT)
    made.compiled("0/0", "f", 3)
    broken(made, 14, "f", "0/0", {"file": MAIN, "line": 3, "function": "f"})
    made.event("compilescope_lines", {"lines": {MAIN: [6, 9, 10, 14]}}, "0/0")
    made.compiled("1/0", "torch_dynamo_resume_in_f_at_14", 14, has_guarded_code=False, graph_node_count=0)
    made.event("compilescope_lines", {"lines": {MAIN: [14, 15]}}, "1/0")
    assert reasons(made.result(), "f")[15] == ("nothing-to-compile", None)
    assert states(made.result(), "f")[16] == "not_run"
    broken(made, 15, "f", "1/0", {"file": MAIN, "line": 14, "function": "f"}, kind="frame-skipped")
    assert reasons(made.result(), "f")[15] == ("break", 15)
    assert reasons(made.result(), "f")[16] == ("after-break", 15)


def test_a_log_without_the_lines(tmp_path):
    made = Made(tmp_path, TEXT, ours=False)
    made.event("compilescope_source", {"file": MAIN, "sha256": "", "text": TEXT})
    made.compiled("0/0", "f", 3)
    nodes = [node("sin", 11), node("mul", 15)]
    made.event("compilescope_snapshot", {"id": "aa", "nodes": nodes}, "0/0")
    stage = {"graph": "0/0/dynamo", "stage": "dynamo", "position": "after", "snapshot": "aa", "nodes": 2, "edges": 1}
    made.event("compilescope_stage", stage, "0/0")
    result = made.result()
    (found,) = result.coverage
    assert not found.recorded
    assert states(result, "f") == {
        6: "captured", 7: "not_run", 9: "not_run", 10: "captured", 14: "captured", 15: "captured", 16: "captured"
    }  # fmt: skip
    assert reasons(result, "f")[7] == ("maybe-run", None)


def test_nothing_is_said_of_files_that_nobody_has(tmp_path):
    made = Made(tmp_path, "")
    made.compiled("0/0", "f", 3)
    made.event("compilescope_lines", {"lines": {MAIN: [4], "<string>": [1], "/app/gone.py": [3]}}, "0/0")
    assert made.result().coverage == []


def test_lines_that_python_runs():
    text = "def f():\n    if 0:\n        a\n    x: int\n    '''doc'''\n    return 1\n"
    assert executable(Source(text)) >= {1, 6}
    assert 3 not in executable(Source(text))
    assert executable(Source("def f(:\n")) == {1, 2}


def test_percent_leaves_out_what_did_not_run():
    lines = [CoveredLine(1, 1, "captured"), CoveredLine(2, 2, "eager"), CoveredLine(3, 3, "not_run")]
    assert FunctionCoverage("a.py", "f", 1, 3, recorded=True, lines=lines).percent == 50.0
    assert FunctionCoverage("a.py", "f", 1, 3, recorded=True, lines=lines[2:]).percent is None
