"""What compiled code need not do itself: NumPy's work, random numbers, times, copies. Two traced processes."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None
NEW = HAS_TORCH and tuple(map(int, importlib.metadata.version("torch").split(".")[:2])) >= (2, 14)

CRLF = """\
import random

import torch


@torch.compile(backend="eager")
def run(x):
    name = "é😀"; scale = random.gauss(0.0, 1.0)  # noise
    return x * scale, name


def main():
    random.seed(1)
    x = torch.ones(3)
    return [run(x)]
""".replace("\n", "\r\n").replace("    ", "\t")

SNIPPETS = {
    # numpy
    "numpy_digitize": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return torch.from_numpy(np.digitize(x.numpy(), [0.1, 0.5, 1.5])) + 1  # bins

        def main():
            return [run(torch.tensor([0.1, 0.2, 0.5, 1.5, 7.0]))]
    """,
    "numpy_pad": """
        import numpy
        import torch

        @torch.compile(backend="eager")
        def run(x):
            wide = torch.from_numpy(
                numpy.pad(
                    x.detach().numpy(),  # the image
                    ((1, 2), (0, 3)),
                    constant_values=-1.5,
                )
            )
            return wide * 2

        def main():
            return [run(torch.rand(2, 3))]
    """,
    "numpy_product": """
        from numpy import prod
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x.reshape(x.shape[0], int(prod(x.shape[1:]))) * 2  # flat

        def main():
            return [run(torch.rand(2, 3, 4))]
    """,
    "numpy_nansum": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            a = (x * 2).numpy()
            total = np.nansum(a, axis=0)
            return torch.from_numpy(total) + 1

        def main():
            return [run(torch.tensor([[1.0, float("nan")], [2.0, 3.0]]))]
    """,
    "numpy_no_equal": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return torch.from_numpy(np.interp(x.numpy(), [0.0, 1.0], [0.0, 2.0]))

        def main():
            return [run(torch.rand(3))]
    """,
    "numpy_falling_bins": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return torch.from_numpy(np.digitize(x.numpy(), [1.5, 0.5]))

        def main():
            return [run(torch.rand(3))]
    """,
    "numpy_pad_edge": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return torch.from_numpy(np.pad(x.numpy(), 1, mode="edge"))

        def main():
            return [run(torch.rand(3))]
    """,
    "numpy_dtype": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return torch.from_numpy(np.nansum(x.numpy(), axis=0, dtype=np.float64))

        def main():
            return [run(torch.rand(3, 2))]
    """,
    "numpy_shadowed": """
        import torch

        class Lib:
            @staticmethod
            def nansum(x, axis):
                torch._dynamo.graph_break()
                return x.sum(axis)

        np = Lib

        @torch.compile(backend="eager")
        def run(x):
            return np.nansum(x, axis=0)

        def main():
            return [run(torch.rand(3, 2))]
    """,
    # rng
    "rng_scaled": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * random.random()  # jitter

        def main():
            random.seed(3)
            return [run(torch.ones(3))]
    """,
    "rng_alias": """
        import random as rnd
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                amount = rnd.random()
                return (x + amount) * 0.1

        def main():
            rnd.seed(5)
            net = torch.compile(Net(), backend="eager")
            return [net(torch.ones(3))]
    """,
    "rng_two": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * 2.0 + (
                random.random()  # the second
            )

        def main():
            random.seed(3)
            return [run(torch.ones(3))]
    """,
    "rng_with_numbers": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * (0.5 + random.random())

        def main():
            random.seed(3)
            return [run(torch.ones(3))]
    """,
    "rng_tested": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            p = random.random()
            if p < 0.5:  # drop
                return x
            return x * 2

        def main():
            random.seed(3)
            return [run(torch.ones(3))]
    """,
    "rng_object": """
        import random
        import torch

        OWN = random.SystemRandom()

        @torch.compile(backend="eager")
        def run(x):
            return x + 0 * OWN.random()

        def main():
            return [run(torch.ones(3))]
    """,
    "rng_imported_function": """
        from random import random, seed
        import torch

        @torch.compile(backend="eager")
        def run(x, flag):
            return x * random() if flag else x

        def main():
            seed(3)
            return [run(torch.ones(3), True)]
    """,
    "rng_from_parameter": """
        import random as chosen
        import torch

        @torch.compile(backend="eager")
        def run(x, random):
            return x * random.random()

        def main():
            chosen.seed(3)
            return [run(torch.ones(3), chosen)]
    """,
    # copies
    "copy_read": """
        import copy
        import torch

        BASE = {"scale": 2.0, "weight": torch.ones(3)}

        @torch.compile(backend="eager")
        def run(x):
            config = copy.deepcopy(BASE)  # a copy
            return x * config["scale"] + config["weight"].sum()

        def main():
            return [run(torch.ones(3))]
    """,
    "copy_tensor": """
        from copy import deepcopy as clone_all
        import torch

        @torch.compile(backend="eager")
        def run(x):
            y = clone_all(x)
            y.add_(1)
            return x * y

        def main():
            x = torch.ones(3)
            return [run(x), x]
    """,
    "copy_attribute": """
        import copy
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.state = {"a": torch.ones(2), "b": 3}

            def forward(self, x):
                state = copy.deepcopy(self.state)
                return torch.mul(x, state["a"]) * state["b"]

        def main():
            net = torch.compile(Net(), backend="eager")
            return [net(torch.ones(2))]
    """,
    "copy_changed": """
        import copy
        import torch

        class Config:
            def __init__(self):
                self.temperature = 2.0
                self.stops = [torch.tensor(1), torch.tensor(2)]

        BASE = Config()

        @torch.compile(backend="eager")
        def sample(logits, temperature=None):
            config = copy.deepcopy(BASE)  # changed below
            if temperature is not None:
                config.temperature = temperature
            return (logits / config.temperature).softmax(-1)

        def main():
            return [sample(torch.ones(3), 1.0), BASE.temperature]
    """,
    "copy_returned": """
        import copy
        import torch

        BASE = {"weight": torch.ones(3)}

        def inner(x):
            config = copy.deepcopy(BASE)
            return x * 2, config["weight"]

        @torch.compile(backend="eager")
        def run(x):
            return inner(x)

        def main():
            return list(run(torch.ones(3)))
    """,
    "copy_in_branch": """
        import copy
        import torch

        BASE = {"weight": torch.ones(3)}

        @torch.compile(backend="eager")
        def run(x, fresh):
            if fresh:
                config = copy.deepcopy(BASE)
                config["weight"] = x
            else:
                config = BASE
            return x * config["weight"]

        def main():
            return [run(torch.ones(3), True)]
    """,
    # timing
    "time_shown": """
        import time
        import logging
        import torch

        log = logging.getLogger(__name__)

        @torch.compile(backend="eager")
        def run(x):
            start = time.perf_counter()  # clock
            y = x * 2
            end = time.perf_counter()
            took = (end - start) * 1000
            log.debug(
                "took %.3f ms",
                took,  # milliseconds
            )
            return y

        def main():
            return [run(torch.ones(3))]
    """,
    "time_shown_tabs": (
        "from time import time\nimport torch\n\n\n@torch.compile(backend='eager')\ndef run(x):\n\tt0 = time()\n"
        "\tfor _ in range(2):\n\t\tx = x + 1\n\tif x.dim() == 1:\n\t\tprint('took', time() - t0 > -1)\n\treturn x\n\n\n"
        "def main():\n\treturn [run(torch.ones(3))]\n"
    ),
    "time_returned": """
        import time
        import torch

        @torch.compile(backend="eager")
        def run(q, k):
            t0 = time.time()  # begin
            scores = q @ k
            took = time.time() - t0  # end
            return scores, took

        def main():
            t0 = 3
            out, seconds = run(torch.ones(2, 2), torch.ones(2, 2))
            return [out, seconds > -1, t0]
    """,
    "time_kept": """
        import time
        import torch

        @torch.compile(backend="eager")
        def run(x, times):
            begun = time.monotonic()
            times.append(begun)
            return x + 1

        def main():
            times = []
            out = run(torch.ones(3), times)
            return [out, len(times)]
    """,
    "time_in_middle": """
        import time
        import torch

        @torch.compile(backend="eager")
        def run(x, times):
            y = x * 2
            times.append(time.monotonic())
            return y + 1

        def main():
            times = []
            out = run(torch.ones(3), times)
            return [out, len(times)]
    """,
    "time_sleep": """
        import time
        import torch

        @torch.compile(backend="eager")
        def run(x):
            time.sleep(0.001)
            return x + 1

        def main():
            return [run(torch.ones(3))]
    """,
    # hoist
    "hoist_crlf": CRLF,
    "hoist_shape": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def run(x, scale=2.0):
            order = np.random.permutation(x.shape[0])
            return x[torch.from_numpy(order)] * scale

        def main():
            np.random.seed(0)
            first = torch.arange(6.0)
            return [
                run(
                    first,
                    scale=3.0,
                ),
            ]
    """,
    "hoist_module": """
        import random
        import torch

        class Net(torch.nn.Module):
            def __init__(self, p):
                super(Net, self).__init__()
                self.lin = torch.nn.Linear(3, 3)
                self.p = p

            def forward(self, x):
                if random.random() < self.p:  # drop the layer
                    return x
                return self.lin(x)

        def main():
            random.seed(0)
            net = torch.compile(Net(0.5).eval(), backend="eager")
            return [net(torch.ones(3))]
    """,
    "hoist_local": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x, n):
            k = n + 1
            return x * random.gauss(0.0, k)

        def main():
            random.seed(0)
            return [run(torch.ones(3), 2)]
    """,
    "hoist_loop": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            for _ in range(2):
                x = x * random.gauss(0.0, 1.0)
            return x

        def main():
            random.seed(0)
            return [run(torch.ones(3))]
    """,
    "hoist_after_return": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x, skip):
            if skip:
                return x
            return x * random.gauss(0.0, 1.0)

        def main():
            random.seed(0)
            return [run(torch.ones(3), False)]
    """,
    "hoist_passed_on": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            return x * random.gauss(0.0, 1.0)

        def main():
            random.seed(0)
            return list(map(run, [torch.ones(3)]))
    """,
    "hoist_second_draw": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x):
            y = x * random.uniform(0.0, 1.0)
            return y * random.gauss(0.0, 1.0)

        def main():
            random.seed(0)
            return [run(torch.ones(3))]
    """,
    "hoist_tested": """
        import random
        import torch

        class Net(torch.nn.Module):
            def forward(self, x, p):
                keep = random.uniform(0.0, 1.0)
                if keep > p:
                    x = x * 2
                return x

        def main():
            random.seed(0)
            net = torch.compile(Net(), backend="eager")
            return [net(torch.ones(3), 0.5)]
    """,
    "hoist_numpy": """
        import numpy as np
        import torch

        @torch.compile(backend="eager")
        def flip(x, p):
            if np.random.rand() < p:
                return x.flip(-1)
            return x

        def main():
            np.random.seed(0)
            return [flip(torch.arange(4.0), 0.7)]
    """,
    # seeds
    "seed_first": '''
        import torch

        @torch.compile(backend="eager")
        def noisy(x):
            """Adds noise."""
            torch.manual_seed(0)  # always the same
            return x + torch.rand(4)

        def main():
            x = torch.arange(4.0)
            first = noisy(x)
            return [first, noisy(x)]
    ''',
    "seed_passed": """
        import random
        import torch

        @torch.compile(backend="eager")
        def run(x, seed):
            y = x * 2
            random.seed(seed)
            return y + random.uniform(0.0, 1.0)

        def main():
            out = []
            for i in (3, 3):
                x = torch.arange(4.0)
                out.append(run(x, i))
            return out
    """,
    "seed_module": (
        "import torch\n\n\nclass Net(torch.nn.Module):\n\tdef forward(self, x, seed=0):\n"
        "\t\ttorch.random.manual_seed(seed)\n\t\treturn torch.bernoulli(x)\n\n\ndef main():\n"
        "\tnet = torch.compile(Net(), backend='eager')\n\tp = torch.full((4,), 0.5)\n\twith torch.no_grad():\n"
        "\t\tout = net(p, seed=5)\n\treturn [out]\n"
    ).replace("\n", "\r\n"),
    "seed_after_draw": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            y = x + torch.rand(4)
            torch.manual_seed(0)
            return y + torch.rand(4)

        def main():
            x = torch.arange(4.0)
            out = run(x)
            return [out]
    """,
    "seed_after_call": """
        import torch

        def dropped(x):
            return torch.dropout(x, 0.5, True)

        @torch.compile(backend="eager")
        def run(x):
            y = dropped(x)
            torch.manual_seed(0)
            return y + torch.rand(4)

        def main():
            x = torch.arange(4.0)
            out = run(x)
            return [out]
    """,
    "seed_drawn_argument": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            torch.manual_seed(0)
            return x + torch.rand(4)

        def main():
            out = run(torch.rand(4))
            return [out]
    """,
    "seed_comprehension": """
        import torch

        @torch.compile(backend="eager")
        def run(x):
            torch.manual_seed(0)
            return x + torch.rand(4)

        def main():
            return [run(x) for x in (torch.ones(4), torch.zeros(4))]
    """,
    "seed_in_branch": """
        import torch

        @torch.compile(backend="eager")
        def run(x, fixed):
            if fixed:
                torch.manual_seed(0)
            return x + torch.rand(4)

        def main():
            x = torch.ones(4)
            out = run(x, True)
            return [out]
    """,
    "seed_default": """
        import torch

        @torch.compile(backend="eager")
        def run(x, seed=0):
            torch.manual_seed(seed)
            return x + torch.rand(4)

        def main():
            x = torch.ones(4)
            out = run(x)
            return [out]
    """,
    # real programs
    "time_printed": """
        import time
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                tic = time.time()
                y = (x @ x.T).relu()
                toc = time.time()
                print(f"forward took less than a day: {toc - tic < 86400}")
                return y

        def main():
            return [torch.compile(Net(), backend="eager")(torch.ones(2, 2))]
    """,
    "time_collected": """
        import time
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.times = []

            def forward(self, x):
                start = time.perf_counter()
                y = (x @ x.T).relu()
                self.times.append(time.perf_counter() - start)
                return y

        def main():
            net = Net()
            return [torch.compile(net, backend="eager")(torch.ones(2, 2)), len(net.times)]
    """,
    "copy_state": """
        import copy
        import torch

        @torch.compile(backend="eager")
        def run(x, state):
            new = copy.deepcopy(state)
            new["step"] = new["step"] + 1
            return x * new["step"], new

        def main():
            state = {"step": 1, "m": torch.ones(2)}
            out, new = run(torch.arange(2.0), state)
            return [out, new["step"], state["step"]]
    """,
}
KINDS = {"numpy", "rng", "deepcopy", "timing", "hoist"}

TRACED = (
    {"rng_scaled", "rng_alias", "rng_two", "rng_imported_function", "rng_from_parameter", "seed_passed"}
    if NEW
    else set()
)
"""What torch has no break at from 2.14 on."""


@pytest.fixture(scope="module")
def tried(try_fixes):
    return try_fixes(SNIPPETS, kinds=KINDS)


def offered(tried, name: str) -> list[str]:
    return [one.fix["kind"] for one in tried.outcomes[name]]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("numpy_digitize", "Write np.digitize as torch.bucketize", "x.double(), torch.tensor([0.1, 0.5, 1.5]"),
        ("numpy_pad", "Write numpy.pad as torch.nn.functional.pad", "pad(x.detach(), (0, 3, 1, 2), value=-1.5)"),
        ("numpy_product", "Write prod as math.prod", "x.reshape(x.shape[0], math.prod(x.shape[1:])) * 2  # flat"),
        ("numpy_nansum", "Write np.nansum as torch.nansum", "total = torch.nansum(torch.from_numpy(a), dim=0).numpy()"),
        ("rng_scaled", "Write random.random()", "x * random.uniform(0.0, 1.0)  # jitter"),
        ("rng_alias", "Write rnd.random()", "amount = rnd.uniform(0.0, 1.0)"),
        ("rng_two", "Write random.random()", "random.uniform(0.0, 1.0)  # the second"),
        ("copy_read", "Use BASE itself", "config = BASE  # a copy"),
        ("copy_tensor", "Write the copy of x as a clone", "y = x.detach().clone()"),
        ("copy_attribute", "Use self.state itself", "state = self.state\n"),
        ("copy_changed", "Copy before the call", "sample(torch.ones(3), 1.0, config=copy.deepcopy(BASE))"),
        (
            "time_shown",
            "Leave the timing out",
            "if not torch.compiler.is_compiling():\n        start = time.perf_counter()",
        ),
        ("time_shown_tabs", "Leave the timing out", "is_compiling():\n\t\t\tprint("),
        ("time_returned", "Take the time around", "seconds = time.time() - t0_before"),
        ("time_kept", "Take the time before", "run(torch.ones(3), times, begun=time.monotonic())"),
        ("hoist_crlf", "Draw the random value", "run(x, drawn=random.gauss(0.0, 1.0))"),
        ("hoist_shape", "Draw the random value", "scale=3.0, order=np.random.permutation(first.shape[0])"),
        ("hoist_module", "Draw the random value", "net(torch.ones(3), drawn=random.random())"),
        ("rng_tested", "Draw the random value", "run(torch.ones(3), p=random.random())"),
        ("hoist_tested", "Draw the random value", "net(torch.ones(3), 0.5, keep=random.uniform(0.0, 1.0))"),
        ("hoist_numpy", "Draw the random value", "flip(torch.arange(4.0), 0.7, drawn=np.random.rand())"),
        (
            "seed_first",
            "Call torch.manual_seed before the call",
            "    torch.manual_seed(0)\n    return [first, noisy(x)]",
        ),
        ("seed_passed", "Call random.seed before the call", "        random.seed(i)\n        out.append(run(x, i))"),
        ("seed_module", "Call torch.random.manual_seed before", "\t\ttorch.random.manual_seed(5)\r\n\t\tout = net("),
        ("time_printed", "Leave the timing out", "is_compiling():\n            toc = time.time()\n            print(f"),
        ("copy_state", "Copy before the call", "run(torch.arange(2.0), state, new=copy.deepcopy(state))"),
    ],
)
def test_right(tried, name: str, title: str, text: str) -> None:
    if name in TRACED and not tried.findings[name]:
        pytest.skip("this torch traces it")
    if name == "numpy_pad":
        outcome = tried.outcome(name, title)
        assert text in outcome.text
        assert outcome.breaks == []
        assert outcome.compared["compiled"] is None
        return
    assert text in tried.proves(name, title).text


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("numpy_no_equal", "numpy"),
        ("numpy_falling_bins", "numpy"),
        ("numpy_pad_edge", "numpy"),
        ("numpy_dtype", "numpy"),
        ("numpy_shadowed", "numpy"),
        ("rng_tested", "rng"),
        ("rng_object", "rng"),
        ("rng_with_numbers", "rng"),
        ("rng_imported_function", "rng"),
        ("rng_from_parameter", "rng"),
        ("copy_changed", "deepcopy"),
        ("copy_returned", "deepcopy"),
        ("copy_in_branch", "deepcopy"),
        ("copy_returned", "hoist"),
        ("copy_in_branch", "hoist"),
        ("time_kept", "timing"),
        ("time_in_middle", "timing"),
        ("time_in_middle", "hoist"),
        ("time_sleep", "timing"),
        ("time_sleep", "hoist"),
        ("rng_from_parameter", "timing"),
        ("rng_imported_function", "hoist"),
        ("hoist_local", "hoist"),
        ("hoist_loop", "hoist"),
        ("hoist_after_return", "hoist"),
        ("hoist_passed_on", "hoist"),
        ("hoist_second_draw", "hoist"),
        ("seed_after_draw", "hoist"),
        ("seed_after_call", "hoist"),
        ("seed_drawn_argument", "hoist"),
        ("seed_comprehension", "hoist"),
        ("seed_in_branch", "hoist"),
        ("seed_default", "hoist"),
        ("time_printed", "hoist"),
        ("time_collected", "timing"),
        ("time_collected", "hoist"),
        ("copy_state", "deepcopy"),
    ],
)
def test_not_offered(tried, name: str, kind: str) -> None:
    if name in TRACED and not tried.findings[name]:
        pytest.skip("this torch traces it")
    assert tried.findings[name], "the snippet has no problem to begin with"
    assert kind not in offered(tried, name)


@pytest.mark.torch
def test_the_print_of_a_time_goes_with_the_clock(tried):
    shown = [one for one in tried.findings["time_shown_tabs"] if "`print`" in one["title"]]
    assert [[fix["kind"] for fix in one["fixes"] if fix["kind"] != "ignore"] for one in shown] == [["timing"]]


@pytest.mark.torch
def test_line_ends_and_tabs_stay(tried):
    text = tried.outcome("hoist_crlf", "Draw").text
    assert text.count("\r\n") == text.count("\n")
    assert '\tname = "é😀"; scale = drawn  # noise\r\n' in text


@pytest.mark.torch
def test_one_is_preferred(tried):
    for findings in tried.findings.values():
        for finding in findings:
            assert sum(one["preferred"] for one in finding["fixes"]) <= 1
