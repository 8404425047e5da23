"""Which functions and modules are offered to be traced by themselves, and with what."""

import ast
import textwrap

import pytest
from compilescope.lsp.untraced import at, candidates

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def names(source: str) -> list[str]:
    return [one.name for one in candidates(HEAD + textwrap.dedent(source))]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: torch.Tensor): return x.sin()",
        "def f(x: 'torch.Tensor | None' = None): return x",
        "def f(x): return F.relu(x)",
        "def f(x): return torch.relu(x) + 1",
        "def f(x): return nn.functional.relu(x)",
        "@torch.no_grad()\ndef f(x): return F.relu(x)",
        "class f(nn.Module):\n    def forward(self, x): return x",
        "class f(torch.nn.Module):\n    def forward(self, x): return x",
        "class _Base(nn.Module):\n    def forward(self, x): return x\nclass f(_Base): pass",
    ],
)
def test_what_is_offered(source):
    assert names(source) == ["f"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return x.sin()",  # nobody can see that it is a tensor
        "def f(n): return torch.randn(n)",
        "def f(path): return torch.load(path)",
        "def f(seed): torch.manual_seed(seed)",
        "def f(path: str): return torch.sin(path)",
        "def test_f(x: torch.Tensor): assert F.relu(x)",
        "@pytest.fixture\ndef f(x: torch.Tensor): return x",
        "@triton.jit\ndef f(x: torch.Tensor): return x",
        "def main(x: torch.Tensor): return x",
        "def _f(x: torch.Tensor): return x",
        "async def f(x: torch.Tensor): return x",
        "def f(x: torch.Tensor): yield x",
        "class f: \n    def forward(self, x: torch.Tensor): return x",
        "class f(nn.Module): pass",
        "class A:\n    def f(self, x: torch.Tensor): return x",
        "class f(f): pass",
    ],
)
def test_what_is_not_offered(source):
    assert names(source) == []


@pytest.mark.parametrize(
    "compiled",
    [
        "@torch.compile\ndef g(x): return Net()(x)",
        "model = torch.compile(Net())",
        "model = Net().eval()\nfast = torch.compile(model, dynamic=True)",
        "model = Net()\nmodel.compile()",
        "class Trainer:\n    def __init__(self):\n        self.net = Net()\n        self.net = torch.compile(self.net)",
        (
            "class Outer(nn.Module):\n    def __init__(self): self.inner = Net()\n    def forward(self, x): return x\n"
            "torch.compile(Outer())"
        ),
    ],
)
def test_what_the_file_compiles_itself_is_not_offered(compiled):
    net = "class Net(nn.Module):\n    def forward(self, x): return helper(x)\ndef helper(x): return F.relu(x)\n"
    assert names(net) == ["Net", "helper"]
    assert names(net + compiled) == []


@pytest.mark.parametrize(
    ("signature", "inputs"),
    [
        ("x", "torch.randn(4, 8)"),
        ("x, y=None, *, scale", "torch.randn(4, 8), scale=1.0"),
        ("x: torch.Tensor, n: int, p: float, flag: bool", "torch.randn(4, 8), 4, 1.0, True"),
        ("token_ids", "torch.randint(0, 8, (4,))"),
        ("image, mask", "torch.randn(1, 3, 32, 32), torch.ones(4, 8, dtype=torch.bool)"),
        ("xs: list[torch.Tensor]", "[torch.randn(4, 8)]"),
        ("x: Optional[int]", "4"),
        ("x: 'torch.Tensor | None'", "torch.randn(4, 8)"),
        ("*xs, **more", ""),
        ("", ""),
    ],
)
def test_proposed_inputs(signature, inputs):
    found = at(f"def f({signature}): ...\n", 0)
    assert (found.made, found.inputs) == ("f", inputs)
    assert found.signature == f"f({ast.unparse(ast.parse(f'def f({signature}): ...').body[0].args)})"


@pytest.mark.parametrize(
    ("init", "made", "inputs"),
    [
        ("self", "Net", "torch.randn(4, 8)"),
        ("self, width: int, depth=2", "Net(width=8)", "torch.randn(4, 8)"),
        ("self, width=64", "Net", "torch.randn(4, 64)"),
        ("self, config: Config", "Net(config=Config())", "torch.randn(4, 8)"),
        ("self, *, p: float, layer", "Net(p=1.0, layer=8)", "torch.randn(4, 8)"),
    ],
)
def test_proposed_constructions(init, made, inputs):
    layer = "nn.Linear(width, 3)" if "width" in init else "None"
    source = f"""
class Config: pass
class Net(nn.Module):
    def __init__({init}):
        self.layer = {layer}
    def forward(self, x): ...
"""
    (found,) = candidates(source)
    assert (found.made, found.inputs, found.signature) == (made, inputs, "Net.forward(x)")


def test_the_first_layer_says_what_fits():
    source = "class Net(nn.Module):\n    def __init__(self):\n        self.conv = nn.Conv2d(3, 16, 3)\n    {}"
    (found,) = candidates(source.format("def forward(self, x): ..."))
    assert found.inputs == "torch.randn(1, 3, 32, 32)"


def test_what_is_at_a_place():
    source = """\
def f(x):
    return x

class Net(nn.Module):
    def forward(self, x):
        return x
    def encode(self, x, y: int):
        return x

class Energy:
    @staticmethod
    def step(x): ...
    def __init__(self): ...

x = 1
"""
    shown = [one and (one.made, one.signature) for one in (at(source, line) for line in range(15))]
    net, encode = ("Net", "Net.forward(x)"), ("Net.encode", "Net.encode(x, y: int)")
    step = ("Energy.step", "Energy.step(x)")
    assert shown[:8] == [("f", "f(x)")] * 2 + [None, net, net, net, encode, encode]
    assert shown[8:] == [None, None, step, step, None, None, None]
