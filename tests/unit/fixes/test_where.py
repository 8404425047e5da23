"""An `if` by a tensor's value, written without one."""

from __future__ import annotations

import pytest

HEAD = """
import math

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(4, 4)

"""
BOTH = """

def main():
    return [run(torch.arange(4.0)), run(-torch.arange(4.0))]
"""

DOUBLES = """

def main():
    return [run(torch.arange(4.0, dtype=torch.float64) / 3), run(-torch.arange(4.0, dtype=torch.float64) / 3)]
"""
WHOLE = """

def main():
    return [run(torch.arange(4).to(torch.{0})), run((torch.arange(4) - 4).abs().neg().to(torch.{0}))]
"""


def snippet(code: str, main: str = BOTH) -> str:
    return HEAD + code + main


SNIPPETS = {
    "one_sided": snippet("""
@torch.compile
def run(x):
    h = layer(x)
    if h.sum() > 0:  # positive
        # halve it
        h = h / 2
    return h * 2  # the end
"""),
    "two_sided": snippet("""
@torch.compile
def run(x):
    if x.mean() > 0.5 and not x.isnan().any():
        x = x + 1
        y = x * 2
    else:
        x = x - 1
        y = -x
    return x, y
"""),
    "returned": snippet("""
@torch.compile
def run(x):
    if bool(x.sum() > 0):
        return torch.relu(x)
    return x * 0.5
"""),
    "returned_else": snippet("""
@torch.compile
def run(x):
    if x.sum().item() > 0:
        return (x
                + 1)
    else:
        return x * 0.5
"""),
    "finite": snippet(
        """
@torch.compile
def run(x):
    loss = x.sum()
    if not torch.isfinite(loss):
        return torch.zeros_like(x)
    return x * loss
""",
        """

def main():
    return [run(torch.arange(4.0)), run(torch.tensor([1.0, 2.0, 3.0, math.inf]))]
""",
    ),
    "expression": snippet("""
@torch.compile
def run(x):
    return (x + 1 if x.sum() > 0 else x - 1).exp()
"""),
    "loop": snippet("""
@torch.compile
def run(x, steps=3):
    for _ in range(steps):
        x = (x * 1.1).sin()
        if x.max() > 0.5:
            x = x - 0.5
    return x
"""),
    "method": snippet(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.lin = nn.Linear(4, 4)

    def forward(self, x, k: float = 0.1):
        h = self.lin(x)
        if h.norm() > self.scale * k:
            h = h * self.scale
        return h.square()
""",
        """
def main():
    net = Net()
    out = torch.compile(net)(torch.arange(4.0))
    out.sum().backward()
    return [out, net.scale.grad, net.lin.weight.grad]
""",
    ),
    "sizes": snippet(
        """
class Scaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 5.0

    def forward(self, x):
        norm = x.norm()
        if norm.item() > self.limit:
            x = x * (self.limit / norm)
        return x + 1


run = torch.compile(Scaler())
""",
        """

def main():
    return [run(torch.arange(3.0)), run(torch.arange(9.0)), run(torch.arange(7.0))]
""",
    ),
    "sizes_of_two": snippet(
        """
@torch.compile
def run(x, y):
    if x.sum() > 0:
        x = x + y
    return x
""",
        """

def main():
    return [run(torch.arange(1.0, n), torch.ones(n - 1)) for n in (4, 6)]
""",
    ),
    "element": snippet(
        """
@torch.compile
def run(x, y):
    if x[0] > 0:
        y = y + 1.5
    return y
""",
        """
def main():
    return [run(torch.ones(3), torch.tensor(2.0)), run(-torch.ones(3), torch.tensor(2.0))]
""",
    ),
    "augmented": snippet("""
@torch.compile
def run(x):
    h = x * 2
    if h.sum() > 0:
        h -= x + 1
    return h
"""),
    "tabs": snippet("""
@torch.compile
def run(x):
\tfor ä in ["😀"]:
\t\tx = x * 1.5; pass
\t\tif x.sum() > 0: x = x - 0.5  # ö
\treturn x
""").replace("\n", "\r\n"),
    "clamp": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if h.abs().max() > 6.0:
        h = h.clamp(-6.0, 6.0)  # limited
    return h + 1
"""),
    "clamp_above": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if (h > 2.5).any():
        h = torch.clamp(h, max=2.5)
    return h + 1
"""),
    "clamp_below": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if h.min() < -1:
        h = h.clamp_min(-1)
    return h + 1
"""),
    # a clamp that is not just the test's
    "clamp_further": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if h.abs().max() > 6.0:
        h = h.clamp(-5.0, 5.0)
    return h + 1
"""),
    "clamp_one_side": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if h.abs().max() > 6.0:
        h = h.clamp(max=6.0)
    return h + 1
"""),
    "clamp_of_another": snippet("""
@torch.compile
def run(x):
    h = x * 3
    if x.max() > 2.0:
        h = h.clamp(max=2.0)
    return h + 1
"""),
    "numbers": snippet("""
@torch.compile
def run(x):
    if x.abs().max() > 2.5:
        scale = 0.1
    else:
        scale = 1.0
    rate = math.sqrt(scale) / 2
    return x * scale + rate * x
"""),
    "number_one_sided": snippet("""
@torch.compile
def run(x):
    scale = 1.0
    if x.sum() > 0:
        scale = 0.5
    return x * scale
"""),
    "number_expression": snippet("""
@torch.compile
def run(x):
    return x * (2 if x.sum() > 0 else 3) - 1
"""),
    "number_beside_doubles": snippet(
        """
@torch.compile
def run(x):
    if x.sum() > 0:
        rate = 0.1
    else:
        rate = 0.7
    return x * rate + x.sum() * rate
""",
        DOUBLES,
    ),
    "number_before_doubles": snippet(
        """
@torch.compile
def run(x):
    h = x.double()
    step = -0.3
    if x.sum() > 0:
        step = 1e-3
    return h * (step * 3 + 1)
"""
    ),
    "number_of_halves": snippet(
        """
@torch.compile
def run(x):
    gain = 1.0
    if x.sum() > 0:
        gain = 0.25
    return x.double() * gain
"""
    ),
    "whole_number": snippet(
        """
@torch.compile
def run(x):
    return x + (3 if x.sum() > 0 else 300) * 7
""",
        WHOLE.format("int32"),
    ),
    # where neither may be offered
    "number_beside_halves": snippet(
        """
@torch.compile
def run(x):
    rate = 0.1 if x.sum() > 0 else 0.7
    return x * rate
""",
        WHOLE.format("float16"),
    ),
    "large_number_beside_halves": snippet(
        """
@torch.compile
def run(x):
    rate = 2049 if x.sum() > 0 else 70000
    return x + rate
""",
        WHOLE.format("bfloat16"),
    ),
    "number_beside_bytes": snippet(
        """
@torch.compile
def run(x):
    return x + (3 if x.sum() > 4 else 300)
""",
        WHOLE.format("uint8"),
    ),
    "fraction_beside_whole": snippet(
        """
@torch.compile
def run(x):
    return x * (0.1 if x.sum() > 0 else 0.7)
""",
        WHOLE.format("int64"),
    ),
    "whole_number_divided": snippet(
        """
@torch.compile
def run(x):
    k = 3 if x.sum() > 0 else 7
    return x.double() * (1 / k)
"""
    ),
    "computed_number": snippet(
        """
@torch.compile
def run(x):
    k = math.sqrt(2.0) if x.sum() > 0 else 1.0
    return x.double() * k
"""
    ),
    "mixed_numbers": snippet("""
@torch.compile
def run(x):
    step = 2 if x.sum() > 0 else 0.5
    return x * step
"""),
    "number_returned": snippet("""
@torch.compile
def run(x):
    step = 2 if x.sum() > 0 else 3
    return x * step, step
"""),
    "number_as_size": snippet("""
@torch.compile
def run(x):
    step = 2 if x.sum() > 0 else 3
    return x[::step]
"""),
    "side_effect": snippet("""
seen = []

@torch.compile
def run(x):
    if x.sum() > 0:
        x = x + 1
        seen.append(1)
    return x
"""),
    "call": snippet("""
def helper(x):
    return x + 1

@torch.compile
def run(x):
    if x.sum() > 0:
        x = helper(x)
    return x
"""),
    "random": snippet("""
@torch.compile
def run(x):
    if x.sum() > 0:
        x = x + torch.rand(4)
    return x * torch.rand(4)
"""),
    "shape": snippet("""
@torch.compile
def run(x):
    if x.sum() > 0:
        x = x.mean()
    return x
"""),
    "dtype": snippet(
        """
@torch.compile
def run(x):
    if x.sum() > 0:
        x = x / 2
    return x
""",
        """
def main():
    return [run(torch.arange(4)), run(-torch.arange(4))]
""",
    ),
    "number": snippet("""
@torch.compile
def run(x):
    scale = 1.0
    if x.sum() > 0:
        scale = 0.5
    return x, scale
"""),
    "input_changed": snippet("""
@torch.compile
def run(x):
    if x.sum() > 0:
        x += 1
    return x * 2
"""),
    "changed_later": snippet("""
@torch.compile
def run(x):
    if x.sum() > 0:
        x = x + 1
    x.mul_(2)
    return x * 2
"""),
    "elif": snippet("""
@torch.compile
def run(x, flag=False):
    if flag:
        x = x * 2
    elif x.sum() > 0:
        x = x + 1
    return x
"""),
    "unbound": snippet(
        """
@torch.compile
def run(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = None
    return y
""",
    ),
    "maybe_unbound": snippet("""
@torch.compile
def run(x, flag=True):
    if flag:
        y = x * 2
    if x.sum() > 0:
        y = x + 1
    return y
"""),
    "other_dtype": snippet("""
@torch.compile
def run(x):
    y = x.sum(0, dtype=torch.float64) + x
    if x.sum() > 0:
        y = y.cumsum(0, dtype=torch.float32)
    return y
"""),
    "while": snippet("""
@torch.compile
def run(x):
    while x.sum() > 1:
        x = x / 2
    return x
"""),
    "attribute": snippet(
        """
class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            self.last = x
        return x
""",
        """
def main():
    return [torch.compile(Net())(torch.ones(3))]
""",
    ),
    "item_inside": snippet("""
@torch.compile
def run(x):
    if x.sum() > 0:
        x = x * x.max().item()
    return x
"""),
}
IFS = {
    "one_sided",
    "two_sided",
    "returned",
    "returned_else",
    "finite",
    "loop",
    "method",
    "element",
    "augmented",
    "tabs",
}
NOT_ALWAYS = {"clamp_further", "clamp_one_side", "clamp_of_another"}
PROVEN = {*IFS, *NOT_ALWAYS, "expression"}
CLAMPED = {"clamp", "clamp_above", "clamp_below"}
NUMBERS = {
    "numbers": "torch.tensor(0.1, dtype=torch.float64), 1.0)",
    "number_one_sided": "scale = torch.where(x.sum() > 0, 0.5, scale)",
    "number_expression": "torch.where(x.sum() > 0, 2, 3)",
    "number_beside_doubles": "rate = torch.where(x.sum() > 0, torch.tensor(0.1, dtype=torch.float64), 0.7)",
    "number_before_doubles": "step = torch.where(x.sum() > 0, torch.tensor(1e-3, dtype=torch.float64), step)",
    "number_of_halves": "gain = torch.where(x.sum() > 0, 0.25, gain)",
    "whole_number": "torch.where(x.sum() > 0, 3, 300) * 7",
}
NOT = set(SNIPPETS) - PROVEN - CLAMPED - set(NUMBERS) - {"sizes"}


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(SNIPPETS, kinds={"where", "cond", "always"})


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(PROVEN))
def test_where(tried, name):
    one = tried.proves(
        name, "Write the condition as torch.where" if name == "expression" else "Write the if as torch.where"
    )
    assert one.fix["preferred"]


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted((PROVEN | CLAMPED) - {"method"}))
def test_cond(tried, name):
    one = tried.proves(
        name, "Write the condition as torch.cond" if name == "expression" else "Write the if as torch.cond"
    )
    assert not one.fix["preferred"]


@pytest.mark.torch
def test_where_of_what_was_compiled_for_several_sizes(tried):
    one = tried.outcome("sizes", "Write the if as torch.where")
    tried.keeps("sizes", one)
    assert [finding["rule"] for finding in one.findings] == ["recompile"]  # for the second size, as before


@pytest.mark.torch
def test_cond_takes_no_tensor_from_around_it(tried):
    assert tried.titles("method") == ["Write the if as torch.where"]


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(CLAMPED))
def test_always(tried, name):
    one = tried.proves(name, "Always clamp, without the if")
    assert one.fix["preferred"]
    assert not tried.proves(name, "Write the if as torch.where").fix["preferred"]


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(NOT_ALWAYS))
def test_not_always(tried, name):
    assert not any(title.startswith("Always") for title in tried.titles(name))


@pytest.mark.torch
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(tried, name):
    (title,) = tried.titles(name)
    assert title.endswith("as torch.where")
    assert NUMBERS[name] in tried.proves(name, title).text


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(NOT))
def test_not_offered(tried, name):
    assert tried.findings[name], "the snippet has no problem to begin with"
    assert tried.titles(name) == []


@pytest.mark.torch
def test_layout(tried):
    assert (
        """
    h = layer(x)
    # positive
    # halve it
    h = torch.where(h.sum() > 0, h / 2, h)
    return h * 2  # the end
"""
        in tried.outcome("one_sided", "Write the if as torch.where").text
    )
    assert "\r\n\t\tx = torch.where(x.sum() > 0, x - 0.5, x)  # ö\r\n" in tried.outcome("tabs", "Write").text
