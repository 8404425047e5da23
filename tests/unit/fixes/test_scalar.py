"""A tensor's value as a Python number: kept as a tensor, or captured."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import pytest

from tests.unit.fixes.numbers_program import snippet

HAS_TORCH = importlib.util.find_spec("torch") is not None
TORCH = tuple(map(int, importlib.metadata.version("torch").split(".")[:2])) if HAS_TORCH else ()
LATER = {"slice", "sizes"}

KEPT = {
    "divided": snippet("""
@torch.compile
def run(x):
    s = x.abs().max().item()  # the largest
    return x / s
"""),
    "converted": snippet("""
@torch.compile
def run(x):
    return x * float(x.mean()) + 1
"""),
    "through_names": snippet("""
@torch.compile
def run(x):
    low = x.min().item()
    span = (x - low).abs() + 1e-3
    half = abs(low) * 0.5 + 1
    return (x - low) / span + half * x
"""),
    "whole": snippet("""
@torch.compile
def run(x):
    n = int(x.abs().sum())
    return x + n % 3
"""),
    "logarithm": snippet("""
@torch.compile
def run(x):
    return x * math.log(x.square().sum().item() + 2.0)
"""),
    "methods": snippet("""
@torch.compile
def run(x):
    top = x.max().item()
    y = x.clamp(max=top - 0.5).mul(top)
    return torch.where(y > top, y, y - top)
"""),
    "element": snippet("""
@torch.compile
def run(x):
    first = x[:1].item()
    return x - first
"""),
    "at_least": snippet("""
@torch.compile
def run(x):
    top = float(max(x.abs().max().item(), 1e-6))
    return x / top
"""),
    "at_most": snippet("""
@torch.compile
def run(x):
    return x * min(1.0, 2.0 / x.norm().item())
"""),
    "gradient": snippet(
        """
@torch.compile
def run(x):
    h = layer(x)
    return (h / h.norm().item()).sum()
""",
        """
def main():
    out = run(torch.arange(4.0))
    out.backward()
    return [out, layer.weight.grad]
""",
    ),
    "crlf": snippet("""
@torch.compile
def run(größe):
\tä = "😀"; s = größe.std().item(); größe = größe / (
\t\ts  # the deviation
\t\t+ 1)
\treturn größe
""").replace("\n", "\r\n"),
}
CAPTURED = {
    "size": snippet(
        """
@torch.compile
def run(values, index):
    bins = index.max().item() + 1
    out = torch.zeros(bins, values.shape[1])
    return out.index_add(0, index, values)
""",
        """
def main():
    index = torch.tensor([0, 0, 1, 2])
    return [run(torch.randn(4, 3), index)]
""",
    ),
    "slice": snippet(
        """
@torch.compile
def run(x, n):
    k = int(n.max())
    return x[:k].sum()
""",
        """
def main():
    return [run(torch.randn(4, 3), torch.tensor([1, 2]))]
""",
    ),
    "returned": snippet("""
@torch.compile
def run(x):
    loss = x.square().mean().item()
    return x * 2, loss
"""),
}
CAPTURED |= {
    "sizes": snippet(
        """
@torch.compile
def run(x, sizes):
    first, second = torch.split(x, sizes.tolist())
    return first * 2, second + 1
""",
        """
def main():
    return [run(torch.arange(4.0), torch.tensor([1, 3]))]
""",
    ),
    "logged": snippet("""
@torch.compile
def run(x):
    loss = x.square().mean().item()
    return x * 2, {"loss": loss, "root": math.sqrt(max(loss, 1.0))}
"""),
}
NOT_KEPT = {
    "index": snippet("""
@torch.compile
def run(x):
    return x * 2 - x[x.argmax().item()]
"""),
    "printed": snippet("""
@torch.compile
def run(x):
    s = x.sum().item()
    print(s)
    return x * s
"""),
    "tested": snippet("""
@torch.compile
def run(x):
    s = x.sum().item()
    if s > 0:
        x = x / s
    return x
"""),
    "passed": snippet("""
def helper(x, s):
    return x * s if isinstance(s, float) else x


@torch.compile
def run(x):
    return helper(x, x.sum().item())
"""),
    "stored": snippet("""
class Net(nn.Module):
    def forward(self, x):
        self.last = x.sum().item()
        return x * 2


run = torch.compile(Net())
"""),
    "in_place": snippet("""
@torch.compile
def run(x):
    s = x.sum().item()
    s *= 2
    return x * s
"""),
    "repeated": snippet("""
@torch.compile
def run(x):
    n = int(x.abs().max()) + 1
    return torch.stack([x] * n)
"""),
    "range": snippet("""
@torch.compile
def run(x):
    for _ in range(int(x.abs().max())):
        x = x + 1
    return x
"""),
    "half": snippet(
        """
@torch.compile
def run(x, y):
    return x.sum() * y.sum().item()
""",
        """
def main():
    return [run(torch.ones(3, dtype=torch.float16), torch.ones(3))]
""",
    ),
    "promoted": snippet(
        """
@torch.compile
def run(x, y):
    return x * y.sum().item()
""",
        """
def main():
    return [run(torch.arange(3), torch.ones(3, dtype=torch.float64))]
""",
    ),
}


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(KEPT | CAPTURED | NOT_KEPT, kinds={"keep-tensor", "capture-scalar"})


@pytest.mark.torch
@pytest.mark.parametrize("name", KEPT)
def test_kept(tried, name):
    assert tried.proves(name, "Keep the value as a tensor").fix["preferred"]


@pytest.mark.torch
@pytest.mark.parametrize("name", [*CAPTURED, "divided", "converted", "gradient"])
def test_captured(tried, name):
    if name in LATER and TORCH < (2, 13):
        pytest.skip("this torch can't slice by a symbol, and breaks no graph at tolist of integers")
    one = tried.proves(name, "Allow it: capture_scalar_outputs = True")
    assert one.fix["preferred"] == (name in CAPTURED)
    assert ("torch._check" in one.fix["note"]) == (name in {"size", "slice", "sizes"})


@pytest.mark.torch
@pytest.mark.parametrize("name", [*CAPTURED, *NOT_KEPT])
def test_not_kept(tried, name):
    assert tried.findings[name] or (name in LATER and TORCH < (2, 13)), "the snippet has no problem to begin with"
    assert "Keep the value as a tensor" not in tried.titles(name)


@pytest.mark.torch
@pytest.mark.parametrize("name", ["printed", "tested", "passed", "stored", "repeated", "range", "index"])
def test_not_captured(tried, name):
    assert tried.findings[name]
    assert not any(title.startswith("Allow") for title in tried.titles(name))


@pytest.mark.torch
def test_all_that_is_offered_is_right(tried):
    for name, outcomes in tried.outcomes.items():
        for one in outcomes:
            tried.proves(name, one.fix["title"])


@pytest.mark.torch
@pytest.mark.parametrize("name", ["divided", "converted", "whole", "logarithm"])
def test_no_copy_of_a_fresh_result(tried, name):
    assert ".clone()" not in tried.proves(name, "Keep the value as a tensor").text
