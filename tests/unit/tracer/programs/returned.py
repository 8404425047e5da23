"""Returns many things from compiled functions."""
# ruff: noqa: T201, PYI024

import collections
import dataclasses
import random

import torch
from torch import nn

Pair = collections.namedtuple("Pair", "left right")
weight = nn.Parameter(torch.randn(4, 4))


@dataclasses.dataclass
class Result:
    logits: torch.Tensor
    loss: float


@torch.compile
def inner(x):
    return x + 1


def eager_helper(x):
    torch._dynamo.graph_break()
    return inner(x) * 2


@torch.compile
def outer(x):
    y = inner(x)
    print("break")
    return eager_helper(y)


@torch.compile
def kinds(x):
    return {
        "half": x.to(torch.bfloat16).sin(),
        "complex": torch.complex(x, x),
        "flags": x > 0,
        "pair": Pair(x.sum(), [None, 3, "text", 1.5]),
        "object": object,
        "result": Result(x * 2, 0.5),
        7: x.view(-1).long(),
    }


@torch.compile
def grow(x):
    x.add_(1.0)


@torch.compile
def fail(x):
    raise ValueError(x.shape)


@torch.compile(fullgraph=True)
def dropped(x):
    return nn.functional.dropout(x, 0.5)


@torch.compile
def sparse(x):
    return x.to_sparse()


@torch.compile
def large(x):
    return x * 2


@torch.compile
def weighted(x):
    return (x @ weight).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.norm(x)


net, other = Net(), Net()
compiled = torch.compile(net)
other.compile()
x = torch.randn(4, 4)
outer(x)
inner(x)
kinds(x)
grow(x)
try:
    fail(x)
except ValueError as error:
    print("failed", error)
dropped(x)
sparse(torch.eye(3))
large(torch.arange(1_500_000.0))
weighted(x * random.random()).backward()
compiled(x)
other(x)
with torch.compiler.set_stance("default"):
    inner(x)
print("end", x.sum().item(), random.random())
