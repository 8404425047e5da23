"""Failures from recordings made by hand: whose mistake they are, and where they stand."""

from __future__ import annotations

import json

import pytest

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
SOURCE = """\
import torch

@torch.compile
def run(x):
    return x.sin() @ x

run(torch.ones(3))
"""
CODE = {"file": MAIN, "line": 3, "function": "run"}
LINE = frame(MAIN, 5, "run", 11, 22)
CALLER = frame(MAIN, 7, "<module>", 0, 18)


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


SIZES = {"type": "RuntimeError", "message": "a and b must have same reduction dim"}
RUNTIME = {"type": "torch._dynamo.exc.TorchRuntimeError", "message": "RuntimeError when making fake tensor call"}


def failed(made, *, suppressed=False, ended=True, chain=(RUNTIME, SIZES), **more):
    own = {"stage": "capture", "chain": list(chain), "frames": [LINE], "above": [CALLER], "code": CODE}
    made.event("compilescope_failure", own | {"suppressed": suppressed} | more, "0/0")
    exception = chain[0] | {"frames": [CALLER, LINE]} if ended else None
    made.event("compilescope_exit", {"exit_code": int(ended), "exception": exception, "seconds": {}})


def second_run(made, exception, status="finished"):
    eager = {"status": status, "exit_code": 0 if exception is None else 1, "exception": exception}
    (made.folder / "run.json").write_text(json.dumps({"format": 1, "eager": eager}))


def eager_of(made):
    (finding,) = made.findings()
    return finding.detail.get("eager"), finding.class_


def test_shapes_that_do_not_fit_likely_fail_in_eager(made):
    failed(made)
    (finding,) = made.findings()
    assert (finding.detail["eager"], finding.class_, finding.severity) == ("likely-fails", "other", "error")
    assert finding.title.startswith("`x.sin() @ x` raises")
    assert any("--check-eager" in hint for hint in finding.hints)


def test_a_second_run_that_ends_on_the_same_line_is_the_programs_mistake(made):
    failed(made)
    words = {"type": "RuntimeError", "message": "mat1 and mat2 shapes cannot be multiplied"}
    second_run(made, words | {"frames": [CALLER, LINE]})
    assert eager_of(made) == ("fails", "other")
    (finding,) = made.findings()
    assert not any("--check-eager" in hint for hint in finding.hints)


def test_a_second_run_that_ends_well_or_elsewhere(made):
    failed(made)
    second_run(made, None)
    assert eager_of(made)[0] == "works"
    second_run(made, {"type": "KeyError", "message": "'a'", "frames": [frame(MAIN, 1, "<module>")]})
    (finding,) = made.findings()
    assert "eager" not in finding.detail
    assert "KeyError: 'a'" in finding.explanation
    second_run(made, None, status="timed-out")
    assert eager_of(made)[0] == "likely-fails"
    (finding,) = made.findings()
    assert "that run did not come to its end" in finding.explanation


def test_a_second_run_says_nothing_of_a_failure_that_the_program_caught(made):
    failed(made, ended=False)
    second_run(made, None)
    assert eager_of(made)[0] == "likely-fails"
    (finding,) = made.findings()
    assert "not checked, since the program caught the exception" in finding.explanation
    assert not any("--check-eager" in hint for hint in finding.hints)


def test_what_was_suppressed_ran_in_eager(made):
    failed(made, suppressed=True, ended=False)
    assert eager_of(made)[0] == "works"


def test_a_read_of_what_a_cuda_graph_overwrote_stands_where_it_was_read(made):
    made.compiled("0/0", "run", 3)
    text = "Error: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run."
    made.event(
        "compilescope_exit",
        {"exit_code": 1, "exception": {"type": "RuntimeError", "message": text, "frames": [CALLER]}, "seconds": {}},
    )
    (finding,) = made.findings()
    assert (finding.rule, finding.stage, finding.range.start.line) == ("compile-error", "execute", 6)
    assert finding.detail["kind"] == "cudagraph-overwritten"
    assert "clone" in finding.hints[0]


def test_the_first_error_of_the_compiler_is_in_the_title(made):
    output = "C++ compile error\n\nCommand:\ng++ a.cpp\n\nOutput:\na.cpp:3:10: fatal error: omp.h: No such file\n"
    chain = ({"type": "torch._inductor.exc.CppCompileError", "message": output},)
    failed(made, chain=chain, stage="compile")
    (finding,) = made.findings()
    assert finding.title.endswith("omp.h: No such file")
    assert finding.detail["eager"] == "likely-works"


def test_a_break_that_is_an_error_knows_of_eager_too(made):
    raised = {"type": "torch._dynamo.exc.Unsupported", "message": "Failed to trace builtin operator"}
    made.graph_break("0/0", [LINE], kind="error", code=CODE, fullgraph=True)
    failed(made, chain=(raised,))
    assert "eager" not in made.findings()[0].detail
    second_run(made, None)
    (finding,) = made.findings()
    assert (finding.rule, finding.detail["eager"]) == ("graph-break-error", "works")
