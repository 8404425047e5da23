"""What stands at a position."""

from __future__ import annotations

import ast

from compilescope.analysis import syntax
from compilescope.analysis.facts import Frame
from compilescope.analysis.sources import Source

TEXT = """\
import math, torch

@torch.compile
@other
def  run(x, *, sigma=1.0, **more):
    y = math.log(max(sigma, 0.5) + 1.0)
    z = x.abs().max().item() if x.any() else self.gain
    assert x.sum() > 0
    while flag:
        for t in range(3): y = y + self.gain[0]
    return f(lambda k: k + 1, y)
"""
SOURCE = Source(TEXT)


def place(text, line):
    """The frame of a piece of text on a line."""
    col = SOURCE.lines[line - 1].index(text)
    return Frame("a.py", line, "run", line, col, col + len(text))


def shown(frame):
    return SOURCE.lines[frame.line - 1].encode()[frame.col : frame.end_col].decode()


def test_called_without_columns():
    source = Source("x = step(1)\nloss = step(x).mean(); opt.zero_grad()\n")
    assert syntax.called(source, Frame("a.py", 1, "run")) == "step"
    assert syntax.called(source, Frame("a.py", 2, "run")) is None  # any of three


def test_called():
    assert syntax.called(SOURCE, place("math.log(max(sigma, 0.5) + 1.0)", 6)) == "math.log"
    assert syntax.called(SOURCE, place("x.abs().max().item()", 7)) == ".item()"
    assert syntax.called(SOURCE, place("self.gain", 7)) is None
    assert syntax.called(SOURCE, Frame("a.py", 11)) == "f"


def test_function_by_its_first_line_and_name():
    function = syntax.function_at(SOURCE, 3, "run")
    assert isinstance(function, ast.FunctionDef)
    assert syntax.function_at(SOURCE, 9, "run") is function
    assert syntax.function_at(SOURCE, 3, "walk") is None
    assert isinstance(syntax.function_at(SOURCE, 11, "<lambda>"), ast.Lambda)
    assert (syntax.definition(function, SOURCE, "a.py").line, shown(syntax.definition(function, SOURCE, "a.py"))) == (
        5,
        "run",
    )
    assert [shown(syntax.parameter(function, name, "a.py")) for name in ("x", "sigma", "more")] == [
        "x",
        "sigma",
        "more",
    ]
    assert syntax.parameter(function, "y", "a.py") is None


def test_first_use():
    function = syntax.function_at(SOURCE, 3, "run")
    assert syntax.first_use(function, "self.gain", "a.py").line == 7
    assert syntax.first_use(function, "self.gain", "a.py", after=7).line == 10
    assert syntax.first_use(function, "*.gain", "a.py").line == 7
    assert syntax.first_use(function, "y", "a.py").line == 10  # line 6 only sets it
    assert syntax.first_use(function, "nothing", "a.py") is None


def test_loops_and_calls_around():
    head, first, last = syntax.loop_around(SOURCE, 10, "a.py")
    assert (head.line, first, last) == (9, 9, 10)
    assert syntax.loop_around(SOURCE, 6, "a.py") is None
    frame, name = syntax.number_call(SOURCE, place("sigma, 0.5", 6))
    assert (name, shown(frame)) == ("math.log", "math.log(max(sigma, 0.5) + 1.0)")
    assert syntax.number_call(SOURCE, place("self.gain[0]", 10)) is None


def test_names_in():
    assert syntax.names_in("x.shape[0] == n") == ["x.shape", "n"]
    assert syntax.names_in("not cache.keys") == ["cache.keys"]
    assert syntax.names_in("x.size()[0] % 2") == ["x"]
    assert syntax.names_in("math.isnan(sigma)") == ["math", "sigma"]
    assert syntax.names_in("this is no python") == []


def test_a_file_that_does_not_parse_is_no_error():
    broken = Source("def f(:\n")
    assert broken.tree is None
    assert syntax.called(broken, Frame("a.py", 1, "f", 1, 0, 3)) is None
    assert syntax.function_at(broken, 1, "f") is None
