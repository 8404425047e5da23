"""Fixes where compiled code meets the rest: its callers, custom operators, what is kept out. Two traced processes."""

from __future__ import annotations

import pytest

SNIPPETS = {
    # a number passed as a tensor
    "number_log": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, mask, sigma):
            freq = math.log(sigma + 1.0)  # frequency
            h = x * mask + freq
            return torch.tanh(h) * mask

        def main():
            x = torch.ones(4)
            out = []
            for step in range(4):
                out.append(run(x, x, sigma=1.0 / (step + 1)))  # noise
            return out
    """,
    "number_stacked": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, sigma: float):
            freq = math.log(sigma + 1.0)
            emb = torch.tensor([math.sin(freq), math.cos(freq)])
            return x - sigma * emb

        def main():
            return [run(torch.ones(2), 1.0 / (step + 1)) for step in range(4)]
    """,
    "number_static": """
        import numpy as np
        import torch

        def run(x, s, *, more=1):
            y = x * 2
            return y.mul(s) / np.sqrt(s) + torch.tensor(s, dtype=torch.float32) + more

        compiled = torch.compile(run, backend="eager", dynamic=False)

        def main():
            return [compiled(torch.ones(2), s) for s in (1.0, 2.0, 4.0)]
    """,
    "number_module": """
        import math
        import torch

        class Net(torch.nn.Module):
            def forward(self, x, t):
                k = math.exp(-t)
                k = k * 2
                return x * k

        def main():
            net = torch.compile(Net(), backend="eager")
            return [net(torch.ones(2), t) for t in (0.5, 1.0, 2.0)]
    """,
    "number_in_test": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, s):
            if s > 0.3:
                return x * math.log(s)
            return x * math.exp(s)

        def main():
            return [run(torch.ones(2), 1.0 / (step + 1)) for step in range(3)]
    """,
    "number_returned": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, s):
            k = math.log(s)
            return x * k, k

        def main():
            return [run(torch.ones(2), 1.0 / (step + 1))[0] for step in range(3)]
    """,
    "number_default": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, s=1.0):
            return x * math.log(s)

        def main():
            return [run(torch.ones(2)), *(run(torch.ones(2), 1.0 / (step + 2)) for step in range(3))]
    """,
    "number_size": """
        import math
        import torch

        @torch.compile(backend="eager")
        def run(x, s):
            return x[: math.ceil(s)]

        def main():
            return [run(torch.ones(9), s) for s in (1.5, 2.5, 4.5, 6.5)]
    """,
    "number_helper": """
        import math
        import torch

        def scaled(x, s):
            return x * math.log(s)

        @torch.compile(backend="eager")
        def run(x, s):
            return scaled(x, s)

        def main():
            return [run(torch.ones(2), 1.0 / (step + 2)) for step in range(3)]
    """,
    # a size marked as dynamic
    "size_loop": """
        import torch

        @torch.compile(backend="eager")
        def run(x, k):
            return x * 2 + k

        def main():
            out = []
            for n in (4, 6, 8):
                # a batch
                x = torch.ones(n, 3)
                out.append(run(x, 2))  # runs
            return out
    """,
    "size_two": """
        import torch as pt

        def run(image):
            return image * 2

        fast = pt.compile(run, backend="eager")

        def main():
            a = pt.ones(4, 3)
            b = pt.ones(5, 7)
            first = fast(a)
            if fast(
                image=b,
            ).sum() > 0:
                return [first, fast(image=b)]
            return []
    """,
    "size_static": (
        "import torch\n\n\nclass Net(torch.nn.Module):\n\tdef forward(self, x):\n\t\treturn x.sum(0)\n\n\n"
        "net = torch.compile(Net(), backend='eager', dynamic=False)\n\n\ndef main():\n\tout = []\n"
        "\tfor n in (2, 3, 4, 5):\n\t\trows = torch.ones(n, 2)\n\t\tout.append(net(rows))\n\treturn out\n"
    ),
    "size_expression": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * 2

        def main():
            return [run(torch.ones(n)) for n in (4, 6)]
    """,
    "size_one": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * 2

        def main():
            out = []
            for n in (1, 4):
                x = torch.ones(n, 3)
                out.append(run(x))
            return out
    """,
    "size_fixed": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            if x.shape[0] == 4:
                return x + 1
            return x * 2

        def main():
            out = []
            for n in (4, 6):
                x = torch.ones(n, 3)
                out.append(run(x))
            return out
    """,
    "size_of_part": """
        import torch

        @torch.compile(backend="eager")
        def run(xs):
            return xs[0] * 2

        def main():
            out = []
            for n in (4, 6):
                xs = [torch.ones(n, 3)]
                out.append(run(xs))
            return out
    """,
    "size_comprehension": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * 2

        def main():
            batches = [torch.ones(4), torch.ones(6)]
            return [run(x) for x in batches]
    """,
    # a fake kernel
    "fake_allocates": """
        import torch

        @torch.library.custom_op("fixes_fake_a::seg_min", mutates_args=())
        def seg_min(src: torch.Tensor, index: torch.Tensor, size: int) -> torch.Tensor:
            out = torch.full((size,), float("inf"))  # nothing yet
            for value, slot in zip(src.tolist(), index.tolist()):
                out[slot] = min(out[slot].item(), value)
            return out

        @torch.compile
        def run(src, index):
            return seg_min(src * 2, index, 3) + 1

        def main():
            return [run(torch.tensor([3.0, 1.0, 2.0]), torch.tensor([0, 1, 1]))]
    """,
    "fake_guessed": """
        import numpy as np
        import torch
        from torch import Tensor
        from torch.library import custom_op

        def _sinc(x: Tensor, scale: float = 1.0) -> Tensor:
            y = np.sinc(x.numpy())
            return torch.from_numpy(y) * scale

        sinc = custom_op("fixes_fake_b::sinc", _sinc, mutates_args=())

        class Net(torch.nn.Module):
            def forward(self, x):
                return sinc(x, 2.0) + 1

        def main():
            net = torch.compile(Net())
            return [net(torch.rand(3))]
    """,
    "fake_schema": """
        import torch

        def windows(x, width, *, scale=1.0):
            n = x.shape[0] - width + 1
            out = x.new_empty((n, width))
            for i in range(n):
                out[i] = x[i : i + width] * scale
            return out

        @torch.compile(backend="eager")
        def run(x):
            return torch.ops.fixes_fake_c.windows(x, 2, scale=3.0) + 1

        def main():
            lib = torch.library.Library("fixes_fake_c", "FRAGMENT")
            lib.define("windows(Tensor x, int width, *, float scale=1.0) -> Tensor")  # the operator
            lib.impl("windows", windows, "CPU")
            try:
                return [run(torch.arange(4.0))]
            finally:
                lib._destroy()
    """,
    "fake_two_results": """
        import torch

        @torch.library.custom_op("fixes_fake_d::two", mutates_args=())
        def two(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x + 1, x + 2

        @torch.compile
        def run(x):
            return two(x)[0]

        def main():
            try:
                return [run(torch.ones(2))]
            except Exception:
                return []
    """,
    "fake_number": """
        import torch

        @torch.library.custom_op("fixes_fake_e::count", mutates_args=())
        def count(x: torch.Tensor) -> int:
            return int(x.sum())

        @torch.compile
        def run(x):
            return x * count(x)

        def main():
            try:
                return [run(torch.ones(2))]
            except Exception:
                return []
    """,
    "fake_size_of_data": """
        import torch

        @torch.library.custom_op("fixes_fake_f::histogram", mutates_args=())
        def histogram(x: torch.Tensor) -> torch.Tensor:
            size = int(x.max()) + 1
            out = torch.zeros(size)
            for value in x.tolist():
                out[int(value)] += 1
            return out

        @torch.compile
        def run(x):
            return histogram(x) + 1

        def main():
            try:
                return [run(torch.ones(2))]
            except Exception:
                return []
    """,
    "fake_there": """
        import torch

        @torch.library.custom_op("fixes_fake_g::half", mutates_args=())
        def half(x: torch.Tensor) -> torch.Tensor:
            return x / 2

        @half.register_fake
        def _(x):
            raise RuntimeError("There was no fake impl registered for <CustomOpDef(fixes_fake_g::half)>")

        @torch.compile
        def run(x):
            return half(x) + 1

        def main():
            try:
                return [run(torch.ones(2))]
            except Exception:
                return []
    """,
    # kept out of graphs
    "disable_function": """
        import hashlib
        import torch

        def digest(x):
            a = hashlib.md5(b"x").digest_size  # C
            b = hashlib.sha1(b"x").digest_size
            return x * a + b

        @torch.compile(backend="eager")
        def run(x):
            y = x.sin()
            return digest(y).cos()

        def main():
            return [run(torch.ones(3))]
    """,
    "disable_call": """
        '''Docs.'''
        from __future__ import annotations
        import hashlib
        import torch


        # what runs
        @torch.compile(backend="eager")
        def run(x):
            y = x.sin()
            size = hashlib.md5(b"x")  # C
            return y.cos() * 16

        def main():
            return [run(torch.ones(3))]
    """,
    "disable_method": """
        import gc
        import torch

        class Net(torch.nn.Module):
            def collected(self, x):
                gc.isenabled()
                return x + 1

            def forward(self, x):
                return self.collected(x.sin()).cos()

        def main():
            return [torch.compile(Net(), backend="eager")(torch.ones(3))]
    """,
    "disable_already": """
        import torch

        @torch.compiler.disable
        def logged(x):
            return x + 1

        @torch.compile(backend="eager")
        def run(x):
            return logged(x.sin()).cos()

        def main():
            return [run(torch.ones(3))]
    """,
    "disable_item": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x.sin() * x.sum().item()

        def main():
            return [run(torch.ones(3))]
    """,
    "disable_print": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            print("x", x.shape)
            return x.sin()

        def main():
            return [run(torch.ones(3))]
    """,
    "disable_fullgraph": """
        import hashlib
        import torch

        @torch.compile(backend="eager", fullgraph=True)
        def run(x):
            hashlib.md5(b"x")
            return x.sin()

        def main():
            try:
                return [run(torch.ones(3))]
            except Exception:
                return []
    """,
}
KINDS = {"tensor-argument", "mark-dynamic", "fake-kernel", "disable"}


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(SNIPPETS, kinds=KINDS)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("number_log", "Pass sigma as a tensor (2 edits)", "sigma=torch.tensor(1.0 / (step + 1))))  # noise"),
        ("number_stacked", "Pass sigma as a tensor (6 edits)", "torch.stack([torch.sin(freq), torch.cos(freq)])"),
        ("number_static", "Pass s as a tensor (3 edits)", "torch.as_tensor(s, dtype=torch.float32)"),
        ("number_module", "Pass t as a tensor (2 edits)", "net(torch.ones(2), torch.tensor(t))"),
        (
            "size_loop",
            "Mark dimension 0 of x",
            "        torch._dynamo.mark_dynamic(x, 0)\n        out.append(run(x, 2))",
        ),
        ("size_two", "Mark dimensions 0 and 1 of image", "    pt._dynamo.mark_dynamic(b, 1)\n    if fast("),
        ("size_static", "Mark dimension 0 of x", "\t\ttorch._dynamo.mark_dynamic(rows, 0)\n\t\tout"),
        ("fake_allocates", "Register a fake kernel", 'return torch.full((size,), float("inf"))\n'),
        ("fake_guessed", "Register a fake kernel", "return torch.empty_like(x)  # check"),
        (
            "fake_schema",
            "Register a fake kernel",
            'windows", lib=lib)\n    def _(x, width, *, scale=1.0):\n        n = x.shape[0] - width + 1\n',
        ),
    ],
)
def test_right(tried, name: str, title: str, text: str) -> None:
    assert text in tried.proves(name, title).text


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("number_in_test", "tensor-argument"),
        ("number_returned", "tensor-argument"),
        ("number_default", "tensor-argument"),
        ("number_size", "tensor-argument"),
        ("number_helper", "tensor-argument"),
        ("size_expression", "mark-dynamic"),
        ("size_one", "mark-dynamic"),
        ("size_fixed", "mark-dynamic"),
        ("size_of_part", "mark-dynamic"),
        ("size_comprehension", "mark-dynamic"),
        ("fake_two_results", "fake-kernel"),
        ("fake_number", "fake-kernel"),
        ("fake_size_of_data", "fake-kernel"),
        ("fake_there", "fake-kernel"),
        ("disable_already", "disable"),
        ("disable_item", "disable"),
        ("disable_print", "disable"),
        ("disable_fullgraph", "disable"),
    ],
)
def test_not_offered(tried, name: str, kind: str) -> None:
    assert tried.findings[name], "the snippet has no problem to begin with"
    assert kind not in [one.fix["kind"] for one in tried.outcomes[name]]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("disable_function", "Keep digest out of graphs", "@torch.compiler.disable\ndef digest(x):"),
        ("disable_method", "Keep collected out of graphs", "    @torch.compiler.disable\n    def collected(self, x):"),
        (
            "disable_call",
            "Keep hashlib.md5 out of graphs",
            "import torch\n\neager_md5 = torch.compiler.disable(hashlib.md5)\n",
        ),
    ],
)
def test_kept_out(tried, name: str, title: str, text: str) -> None:
    """The break stays, once, and is the one that `torch.compiler.disable` asks for."""
    one = tried.outcome(name, title)
    tried.keeps(name, one)
    assert text in one.text
    assert not one.fix["preferred"]
    assert "the graph still ends" in one.fix["note"]
    breaks = [finding for finding in one.findings if finding["rule"] in {"graph-break", "frame-skipped"}]
    assert len(breaks) == 1
    assert breaks[0]["code"] in {"GB0098", "GB0099"}
    assert [finding["class"] for finding in breaks] == ["configuration"]


@pytest.mark.torch
def test_a_guess_is_not_preferred(tried):
    assert not tried.outcome("fake_guessed", "Register").fix["preferred"]
    assert tried.outcome("fake_allocates", "Register").fix["preferred"]
