"""Breaks that are an exception of the program's own, and frames given up for good, from recordings made by hand."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made, frame

MAIN = "/app/main.py"
SOURCE = """\
import torch

@torch.compile
def run(x, n):
    assert n > 100, f"n is {n}"
    if n > 900:
        raise ValueError("too large")
    return x * (x.sum() > 0)

async def items(x):
    yield x
"""
CODE = {"file": MAIN, "line": 3, "function": "run"}
TEST, MESSAGE = frame(MAIN, 5, "run", 11, 18), frame(MAIN, 5, "run", 20, 31)
RAISE = frame(MAIN, 7, "run", 8, 37)
WHOLE = "Failed to handle graph break gracefully. Skipping the function and falling back to eager."
PARTLY = "Encountered graph break that we cannot resume from. Compiling up to the previous resumable state"


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def left(exception):
    return {"gb_type": "Observed exception", "gb_id": "GB0088", "context": f"raised exception {exception}"}


@pytest.mark.parametrize(
    ("place", "what"),
    [
        (TEST, left("AssertionError('n is 5')")),
        (TEST, {"gb_type": "Assertion failed on symbolic shapes", "context": "s86 > 100"}),
        (TEST, {"gb_type": "Data-dependent branching",
                "context": "attempted to jump with ConstantVariable(bool: False)"}),
        (MESSAGE, {"gb_type": "BUILD_STRING type error", "context": "SymNodeVariable()"}),
    ],
)  # fmt: skip
def test_an_assert_that_fails(made, place, what):
    made.graph_break("0/0", [place], code=CODE, **what)
    (finding,) = made.findings()
    assert finding.title == "this `assert` fails"
    assert "without torch.compile, too" in finding.hints[0]
    assert not any("TORCH_COMPILE_DISABLE" in hint for hint in finding.hints)


def test_an_assert_on_tensor_data_does_not_fail(made):
    context = "attempted to jump with TensorVariable()"
    made.graph_break("0/0", [TEST], code=CODE, gb_type="Data-dependent branching", context=context)
    (finding,) = made.findings()
    assert finding.title == "this `assert` depends on tensor data"


def test_a_frame_that_raises_in_its_first_call_has_no_compiled_code(made):
    made.compiled("0/0", "run", 3, has_guarded_code=False)
    made.graph_break("0/0", [RAISE], code=CODE, kind="frame-skipped", reason=WHOLE, **left("ValueError('x')"))
    (finding,) = made.findings("frame-skipped")
    assert finding.title == "this raises `ValueError`, so none of `run` is compiled"
    assert "versions" not in finding.detail["skipped"]


@pytest.mark.parametrize(
    ("reason", "nodes", "lost"),
    [(WHOLE, 0, "`run` runs in Python from this call on"),
     (PARTLY, 3, "such a call of `run` runs in Python from here on")],
)  # fmt: skip
def test_versions_that_were_compiled_before_are_not_denied(made, reason, nodes, lost):
    for number in range(2):
        made.compiled(f"0/{number}", "run", 3, graph_node_count=5)
    made.compiled("0/2", "run", 3, has_guarded_code=bool(nodes), graph_node_count=nodes)
    made.graph_break("0/2", [RAISE], code=CODE, kind="frame-skipped", reason=reason, **left("ValueError('x')"))
    (finding,) = made.findings("frame-skipped")
    assert finding.title == f"this raises `ValueError`, so {lost}"
    assert finding.detail["skipped"]["versions"] == 2


def test_an_async_generator_is_told_as_one(made):
    code = {"file": MAIN, "line": 10, "function": "items"}
    what = {"gb_type": "Missing bytecode handler", "gb_id": "GB0082", "context": "ASYNC_GEN_WRAP with args (self,)"}
    name = frame(MAIN, 10, "items", 10, 15)
    made.graph_break("0/0", [name], code=code, kind="frame-skipped", reason=WHOLE, **what)
    (finding,) = made.findings()
    assert finding.title == "an async generator can't be compiled, so none of `items` is compiled"


def test_a_check_of_torch_s_that_fails_is_the_programs_own(tmp_path):
    source = "import torch\ndef f(x):\n    torch._check(x.shape[0] > 3)\n"
    made = Made(tmp_path, source)
    line = frame(MAIN, 3, "f", 4, 32)
    chain = [{"type": "RuntimeError", "message": "Expected cond to be True"}]
    made.event("compilescope_failure", {"stage": "capture", "chain": chain, "frames": [line], "above": []}, "0/0")
    (finding,) = made.findings("compile-error")
    assert finding.title == "`torch._check` does not hold in this call: Expected cond to be True"
    assert finding.detail["eager"] == "likely-fails"


def test_code_of_the_programs_that_torch_ran_is_where_it_raised(tmp_path):
    source = "def seen(ctx):\n    ctx.nothing\n\ndef f(x):\n    comptime(seen)\n    return x\n"
    made = Made(tmp_path, source)
    event = {
        "stage": "capture",
        "chain": [{"type": "torch._dynamo.exc.InternalTorchDynamoError", "message": "AttributeError: no nothing"},
                  {"type": "AttributeError", "message": "no nothing"}],
        "frames": [frame(MAIN, 5, "f", 4, 18)],
        "above": [],
        "called_back": {"by": "torch/_dynamo/variables/misc.py", "frames": [frame(MAIN, 2, "seen", 4, 15)]},
    }  # fmt: skip
    made.event("compilescope_failure", event, "0/0")
    (finding,) = made.findings("compile-error")
    assert finding.title == "the comptime callback `seen` raised AttributeError: no nothing"
    assert (finding.range.start.line, finding.range.start.character) == (1, 4)
    assert [one.line for one in finding.frames] == [5, 2]
    assert not any("bug" in text for text in (finding.explanation, *finding.hints))


@pytest.mark.parametrize("odd", [{"by": 3, "frames": "x"}, {"frames": [{"file": 3}]}, [], "x"])
def test_odd_values_of_what_torch_ran(tmp_path, odd):
    made = Made(tmp_path, SOURCE)
    chain = [{"type": "torch._dynamo.exc.InternalTorchDynamoError", "message": "KeyError: 1"}]
    event = {"stage": "capture", "chain": chain, "frames": [TEST], "above": [], "called_back": odd}
    made.event("compilescope_failure", event, "0/0")
    (finding,) = made.findings("compile-error")
    assert finding.detail["kind"] == "internal"
