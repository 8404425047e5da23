"""What names stand for, where functions are called, and how one thing more is passed: text alone, no torch."""

from __future__ import annotations

import ast

import pytest
from compilescope.fixes import arguments, calls, names, source, statements
from compilescope.fixes.edits import Edited
from compilescope.fixes.source import SourceFile

HEAD = "import numpy as np\nimport torch\nimport torch.nn\nfrom copy import deepcopy as dc\nimport os.path\n"


def called(text: str) -> list[str]:
    file = SourceFile("a.py", HEAD + text)
    return [names.called(file, one) for one in source.inside(file.root) if source.is_call(one)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("np.random.rand(3)", ["numpy.random.rand"]),
        ("dc(3)", ["copy.deepcopy"]),
        ("torch.nn.Linear(2, 3)", ["torch.nn.Linear"]),
        ("os.path.join('a')", ["os.path.join"]),
        ("print(3)", ["print"]),
        ("def f(np): np.exp(3)", [""]),
        ("def f():\n    np = 3\n    def g(): np.exp(3)", [""]),
        ("def f():\n    import math as np\n    np.exp(3)", ["math.exp"]),
        ("np = 3\nnp.exp(3)", [""]),
        ("def f():\n    global np\n    np = None\nnp.exp(3)", [""]),
        ("def print(x): pass\nprint(3)", [""]),
        ("x.np.exp(3)", [""]),
        ("f(np=3)", [""]),
        ("try:\n    import fast\nexcept ImportError:\n    fast = None\nfast.run()", [""]),
        ("from . import fast\nfast.run()", [""]),
    ],
)
def test_what_a_call_calls(text, wanted):
    assert called(text) == wanted


def of(text: str, name: str = "run") -> tuple[SourceFile, calls.Calls]:
    file = SourceFile("a.py", HEAD + text)
    found = (one for one in source.inside(file.root) if one.type == "funcdef" and one.name.value == name)
    return file, calls.calls_of(file, next(found))


@pytest.mark.parametrize(
    ("text", "lines", "complete"),
    [
        ("def run(x): pass\nrun(1)\ny = run(2).sum()\n", [7, 8], True),
        ("def run(x): pass\nfast = torch.compile(run, dynamic=True)\nfast(1)\n", [8], True),
        ("def run(x): pass\nrun = torch.compile(run)\nrun(1)\n", [8], True),
        ("def run(x): pass\ntorch.compile(run)(1)\n", [7], True),
        ("def run(x): pass\nmap(run, [1])\nrun(1)\n", [8], False),
        ("def run(x): pass\nother = run\nother(1)\n", [], False),
        ("def run(x): pass\nrun = wrap(run)\nrun(1)\n", [], False),
        ("def run(x): pass\ndef main(run): run(1)\nrun(2)\n", [8], True),
        ("def outer():\n    def run(x): pass\n    run(1)\n", [], False),
        ("class A:\n    def run(self): pass\n    def go(self): self.run()\n", [], False),
    ],
)
def test_calls_of_a_function(text, lines, complete):
    _, found = of(text)
    assert ([one.line for one in found.found], found.complete) == (lines, complete)


NET = "class Net(torch.nn.Module):\n    def forward(self, x): pass\n"


@pytest.mark.parametrize(
    ("text", "lines", "complete"),
    [
        ("net = Net()\nnet(1)\nnet.eval()\n", [9], True),
        ("net = torch.compile(Net().eval().to('cpu'), dynamic=True)\nnet(1)\n", [9], True),
        ("net = Net()\nnet = torch.compile(net)\nnet(1)\n", [10], True),
        ("net = Net()\nfast = torch.compile(net)\nfast(1)\nnet(2)\n", [10, 11], True),
        ("net = Net()\ntrain(net)\nnet(1)\n", [10], False),
        ("net = Net()\nnet.forward(1)\n", [], False),
        ("net = torch.nn.Sequential(Net())\nnet(1)\n", [], False),
        ("class Other(Net): pass\n", [], False),
    ],
)
def test_calls_of_a_module(text, lines, complete):
    _, found = of(NET + text, "forward")
    assert ([one.line for one in found.found], found.complete) == (lines, complete)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("()", "(new)"),
        ("(x)", "(x, new)"),
        ("(x, y=1)", "(x, y=1, *, new)"),
        ("(x, *, y=1)", "(x, *, y=1, new)"),
        ("(x, *more)", "(x, *more, new)"),
        ("(x, *more, **rest)", "(x, *more, new, **rest)"),
        ("(**rest)", "(new, **rest)"),
        ("(\n    x,\n    y,\n)", "(\n    x,\n    y, new,\n)"),
        ("(x: int = 3,)", "(x: int = 3, *, new,)"),
    ],
)
def test_one_parameter_more(head, wanted):
    file = SourceFile("a.py", f"def run{head}:\n    pass\n")
    function = next(file.root.iter_funcdefs())
    after = Edited(file.text, [arguments.with_parameter(file, function, "new")]).after
    assert after == f"def run{wanted}:\n    pass\n"
    ast.parse(after)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("run()", "run(new=1)"),
        ("run(x)", "run(x, new=1)"),
        ("run(x,)", "run(x, new=1)"),
        ("run(\n    x,\n    y=2,\n)", "run(\n    x,\n    y=2, new=1\n)"),
        ("run(*a, **b).sum()", "run(*a, **b, new=1).sum()"),
    ],
)
def test_one_argument_more(call, wanted):
    file, found = of(f"def run(): pass\n{call}\n")
    after = Edited(file.text, [found.found[0].adding("new=1")]).after
    assert after == f"{HEAD}def run(): pass\n{wanted}\n"
    ast.parse(after)


def test_what_is_passed():
    file, found = of("def run(a, b, *more, c=1): pass\nrun(1, b=2, c=3)\nrun(1, 2, 3)\nrun(*x, c=4)\nrun(1, **y)\n")
    function = next(file.root.iter_funcdefs())
    passed = [
        [
            value and source.code(value)
            for value in (call.passed(arguments.parameters(function), name) for name in "abc")
        ]
        for call in found.found
    ]
    assert passed == [["1", "2", "3"], ["1", "2", None], [None, None, None], ["1", None, None]]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_statement_taken_away(line_end):
    text = line_end.join(["def run(x):", "    a = 1  # why", "    b = (2,", "         3)", "    return x", ""])
    file = SourceFile("a.py", text)
    first, second, _ = statements.body(next(file.root.iter_funcdefs()))
    after = Edited(text, [statements.removed(file, one) for one in (first, second)]).after
    assert after == line_end.join(["def run(x):", "    # why", "    return x", ""])


@pytest.mark.parametrize(
    ("body", "once"),
    [
        ("y = f()", True),
        ("return x * f()", True),
        ("if f() > 1:\n        pass", True),
        ("if x:\n        f()", False),
        ("for _ in x:\n        f()", False),
        ("y = x and f()", False),
        ("y = f() if x else 3", False),
        ("y = [f() for _ in x]", False),
        ("y = lambda: f()", False),
        ("if x:\n        return\n    y = f()", False),
    ],
)
def test_what_runs_once(body, once):
    file = SourceFile("a.py", f"def run(x):\n    {body}\n")
    call = next(one for one in source.inside(file.root) if source.is_call(one))
    assert statements.runs_once(next(file.root.iter_funcdefs()), call) is once
