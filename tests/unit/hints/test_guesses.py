"""Which functions a file is known to compile, and what is left out."""

from __future__ import annotations

import textwrap

import pytest
from compilescope.hints import guesses

BODY = "    y = x.sin()\n    print(y)\n    return y\n"
HEAD = "import functools\nimport torch\nfrom torch import nn\n"


def kinds(source: str) -> list[str]:
    return [one.kind for one in guesses(textwrap.dedent(source))]


@pytest.mark.parametrize(
    "source",
    [
        f"{HEAD}@torch.compile\ndef f(x):\n{BODY}",
        f"{HEAD}@torch.compile(dynamic=True)\ndef f(x):\n{BODY}",
        f"{HEAD}@functools.partial(torch.compile, fullgraph=True)\ndef f(x):\n{BODY}",
        f"import torch as t\n@t.compile()\ndef f(x):\n{BODY}",
        f"from torch import compile as fast\ndef f(x):\n{BODY}\ng = fast(f)\n",
        f"{HEAD}def f(x):\n{BODY}\ndef main():\n    torch.compile(f, backend='eager')(torch.ones(2))\n",
        f"{HEAD}def g(x):\n{BODY}\n@torch.compile\ndef f(x):\n    return g(x)\n",
        f"{HEAD}@torch.no_grad()\ndef g(x):\n{BODY}\n@torch.compile\ndef f(x):\n    return g(x)\n",
    ],
)
def test_a_function_that_is_compiled(source):
    assert kinds(source) == ["print"]


@pytest.mark.parametrize(
    "source",
    [
        f"{HEAD}def f(x):\n{BODY}",
        f"{HEAD}def f(x):\n{BODY}\ndef g(x):\n    return x\nh = torch.compile(g)\n",
        f"import re\n@re.compile\ndef f(x):\n{BODY}",
        f"{HEAD}@torch.compiler.disable\ndef g(x):\n{BODY}\n@torch.compile\ndef f(x):\n    return g(x)\n",
        f"{HEAD}def g(x):\n{BODY}\n@torch.compile\ndef f(x, g):\n    return g(x)\n",
        f"{HEAD}@torch.compile\ndef f(x):\n    def inner(x):\n        print(x)\n    return x\n",
    ],
)
def test_a_function_that_is_not_known_to_be(source):
    assert kinds(source) == []


MODULE = """
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        print(x)
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(self.scale(x))

    def scale(self, x):
        print("scale")
        return x

    def report(self, x):
        print("never compiled")
"""


@pytest.mark.parametrize(
    ("use", "lines"),
    [
        ("net = torch.compile(Net())", {6, 18}),
        ("net = Net().to('cpu')\nfast = torch.compile(net)", {6, 18}),
        ("net = Net()\nnet.compile(fullgraph=True)", {6, 18}),
        ("net = Net()\nf = torch.compile(net.scale)", {18}),
        ("net = Net()", set()),
        ("import re\nnet = Net()\nre.compile('a')", set()),
        ("net = Net()\nnet = Block()\nfast = torch.compile(net)", set()),
    ],
)
def test_modules_of_the_file(use, lines):
    assert {one.range.start.line for one in guesses(MODULE + use)} == lines


def test_a_guess_names_the_functions_through_which_it_is_reached():
    both = "@torch.compile\ndef a(x):\n    return g(x)\n\n@torch.compile\ndef b(x):\n    return g(x)\n"
    source = f"{HEAD}def g(x):\n{BODY}\n{both}"
    (one,) = guesses(source)
    assert one.roots == {9, 13}


def test_ranges_count_as_the_editor_does():
    source = f'{HEAD}@torch.compile\ndef f(x):\n\tname = "😀"; y = x.sin().sum().item()\n\treturn y\n'
    (one,) = guesses(source)
    line = source.split("\n")[5]
    start = len(line[: line.index("x.sin")].encode("utf-16-le")) // 2
    assert (one.range.start.character, one.range.end.character) == (start, start + len("x.sin().sum().item()"))


@pytest.mark.parametrize(
    ("setting", "statement"),
    [
        ("torch._dynamo.config.capture_scalar_outputs = True", "y = x.sin().item()"),
        ("torch._dynamo.config.capture_dynamic_output_shape_ops = True", "y = torch.nonzero(x)"),
        ("torch._dynamo.config.reorderable_logging_functions.add(print)", "print(x)"),
    ],
)
def test_what_a_setting_lets_torch_capture_is_no_guess(setting, statement):
    function = f"@torch.compile\ndef f(x):\n    {statement}\n    return x\n"
    assert kinds(f"{HEAD}{function}")
    assert not kinds(f"{HEAD}{setting}\n{function}")


@pytest.mark.parametrize(
    "statement",
    [
        "y = table.item()",  # nothing says that it is a tensor
        "y = float(count)",
        "y = x.sin() if count > 2 else x",
        "y = rows[rows > 2]",
        "y = x.sin()[1:]",
        "y = x.size(0) > 2 and x.sin()",
        "y, z = x.max(dim=0)",
        "logger.info(x)",  # no logger that the file makes
    ],
)
def test_what_is_not_clear_is_no_guess(statement):
    assert not kinds(
        f"{HEAD}@torch.compile\ndef f(x, table, count, rows, logger):\n    {statement}\n    return x.cos()\n"
    )


@pytest.mark.parametrize("source", ["def f(:", "\0", "(" * 5000])
def test_what_is_no_python_raises_what_it_says(source):
    with pytest.raises((SyntaxError, ValueError, RecursionError, MemoryError)):
        guesses(source)
