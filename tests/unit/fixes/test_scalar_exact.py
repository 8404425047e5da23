"""A number kept as a tensor is the same number: whatever is written later, and in 64 bits."""

from __future__ import annotations

import pytest

from tests.unit.fixes.numbers_program import snippet

LATER_WRITES = {
    "counted": snippet("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.register_buffer("c", torch.zeros(()))

    def forward(self, x):
        before = self.c.item()
        self.c += 1
        return x + before


run = torch.compile(Net())
"""),
    "element_written": snippet("""
@torch.compile
def run(x):
    k = x[3].item()
    x.add_(1)
    return x * k
"""),
    "set": snippet("""
@torch.compile
def run(x):
    w = x.reshape(2, 2) + 1
    n = w[0, 0].item()
    w[0, 0] = 5.0
    return w * n
"""),
    "shifted": snippet("""
@torch.compile
def run(x):
    last = x[-1].item()
    x[1:] = x[:-1].clone()
    return x + last
"""),
    "viewed": snippet("""
@torch.compile
def run(x):
    first = x.view(-1)[1].item()
    x.mul_(2)
    return x * first
"""),
    "named": snippet("""
@torch.compile
def run(x):
    m = x.mean()
    prev = float(m)
    m.mul_(3)
    return x * prev + m
"""),
    "whole_element": snippet(
        """
@torch.compile
def run(x, y):
    k = int(y[0])
    y.add_(1)
    return x * k + y
""",
        """
def main():
    return [run(torch.arange(4.0), torch.arange(2, 6))]
""",
    ),
}
"""What the number is taken from is changed afterwards: the tensor has to be a copy."""


def wide(code: str, dtype: str, other: str = "float32") -> str:
    main = f"def main():\n    x = torch.arange(200, 204)\n    return [run(x.to(torch.{dtype}), x.to(torch.{other}))]\n"
    return snippet(f"@torch.compile\ndef run(x, y):\n    k = {code}\n", "\n\n" + main)


LARGE = {
    "parameter": snippet("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))
        self.register_buffer("c", torch.zeros(()))

    def forward(self, x):
        before = self.c.item()
        self.c += 1
        return x * self.p + before


run = torch.compile(Net())
"""),
    "two_precisions": wide("x.min().item()\n    span = x.max() - k\n    return (x - k) / span * (k * 0.5)", "float32"),
    "bytes": wide("x.max().item()\n    return y + (k + 300)", "uint8"),
    "bytes_converted": wide("x.max().item()\n    return x.float() + (k + 300)", "uint8"),
    "bytes_first": wide("x.max().item()\n    return 300 + k + y", "uint8"),
    "bytes_squared": wide("x.max().item()\n    return y - k - k * k", "uint8", "int64"),
    "bytes_negated": wide("x.max().item()\n    return y * -k", "uint8"),
    "bytes_beside_truths": wide("x.max().item()\n    return y * k", "uint8", "bool"),
    "large_beside_bytes": wide("x.sum().item()\n    return y + k", "int64", "uint8"),
    "overflow": wide("x.sum().item()\n    return y * (k * 1e38)", "float32", "float64"),
    "overflow_converted": wide("x.sum().item()\n    return x.double() * (k * 1e38)", "float32"),
    "overflow_and_back": wide("x.sum().item()\n    return y * (k * 1e38 / 1e38)", "float32"),
    "cancelled": wide("x.sum().item()\n    return y / (k + 1e-9 - k)", "float32"),
    "no_dimensions": wide("x.max().item()\n    return y.sum() * (k + 0.1)", "float32"),
    "no_dimensions_of_more": wide("x.max().item()\n    return y.sum() * k", "float32", "float64"),
    "no_dimensions_of_less": wide("x.max().item()\n    return y.sum() * k", "float64", "float32"),
    "halves": wide("x.max().item()\n    return y * 1e-3 * (k * 1e3)", "float16", "float16"),
    "to_halves": wide("x.max().item()\n    return y * (k * 1e3)", "float32", "float16"),
    "doubles_beside_whole": wide("x.max().item()\n    return y * k", "float64", "int64"),
    "halves_beside_whole": wide("x.max().item()\n    return y * k", "float16", "int64"),
    "whole_divided": wide("x.max().item()\n    return y * (k / 3)", "int64", "float64"),
    "whole_and_fraction": wide("x.max().item()\n    return y * (k + 0.1)", "int64", "float64"),
    "logarithm_of_whole": wide("x.max().item()\n    return y * math.log(k)", "int64", "float64"),
    "truths": wide("x.max().item()\n    return y + (k + k)", "bool"),
    "truth_subtracted": wide("(x > 201).any().item()\n    return y - k", "float32"),
    "compared": wide("x.max().item()\n    return y * ((k > 1) + (k > 2))", "float32"),
}
"""A number has 64 bits and no bounds, the tensor may have less."""
SAME = {
    "bytes_plain": wide("x.max().item()\n    return y * k", "uint8"),
    "bytes_after": wide("x.max().item()\n    return y + k + 300", "uint8"),
    "whole_tripled": wide("x.max().item()\n    return y + (k * 3 - 1)", "int32"),
    "more": wide("x.max().item()\n    return y * (k * 1e38)", "float32"),
    "doubles": wide("x.max().item()\n    return y / (k + 1e-9)", "float64"),
    "halves_plain": wide("x.max().item()\n    return y / k", "float16", "float16"),
    "layer": wide("x.abs().max().item()\n    h = layer(y)\n    return h / (k + 1e-6)", "float32"),
}
"""Not so where the tensor has 64 bits, or meets another tensor first."""


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(LATER_WRITES | LARGE | SAME, kinds={"keep-tensor"})


@pytest.mark.torch
@pytest.mark.parametrize("name", LATER_WRITES)
def test_a_copy_where_it_may_change(tried, name):
    assert ".clone()" in tried.proves(name, "Keep the value as a tensor").text


@pytest.mark.torch
@pytest.mark.parametrize("name", SAME)
def test_the_same_in_64_bits(tried, name):
    tried.proves(name, "Keep the value as a tensor")


KEPT_IN_64_BITS = {
    "parameter": "before = self.c.detach().clone()",
    "bytes": "k = x.max().long()",
    "bytes_converted": "k = x.max().long()",
    "bytes_first": "k = x.max().long()",
    "bytes_squared": "k = x.max().long()",
    "bytes_negated": "k = x.max().long()",
    "bytes_beside_truths": "k = x.max().long()",
    "overflow": "k = x.sum().detach().double()",
    "overflow_converted": "k = x.sum().detach().double()",
    "overflow_and_back": "k = x.sum().detach().double()",
    "cancelled": "k = x.sum().detach().double()",
    "no_dimensions_of_more": "k = x.max().detach().double()",
}
"""What is offered of those; of all others nothing, as no tensor gives the same."""


@pytest.mark.torch
@pytest.mark.parametrize("name", KEPT_IN_64_BITS)
def test_large_numbers(tried, name):
    assert KEPT_IN_64_BITS[name] in tried.proves(name, "Keep the value as a tensor").text


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(set(LARGE) - set(KEPT_IN_64_BITS)))
def test_no_tensor_is_as_exact(tried, name):
    assert tried.findings[name], "the snippet has no problem to begin with"
    assert tried.titles(name) == []
