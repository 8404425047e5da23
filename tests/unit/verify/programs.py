"""Programs that are traced once and changed in several ways."""

from __future__ import annotations

MAIN = """\
import inspect
import math
import sys

import torch
from torch import nn

import helper

torch.manual_seed(0)


@torch.compile
def limit(x):
    if x.abs().max() > 6.0:
        x = x.clamp(-6.0, 6.0)
    return {"limited": x * 2.0, "name": "é"}


@torch.compile
def scaled(x, sigma):
    return x * math.log(sigma + 1.0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return helper.halved(self.norm(self.up(x)))


def main():
    net = torch.compile(Net())
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        x = torch.linspace(-9.0, 9.0, 32).reshape(4, 8) + step
        if "nan" in sys.argv:
            x[0, 0] = float("nan")
        limit(x)
        scaled(x, sigma=1.0 / (step + 1))
        descent.zero_grad()
        net(x).square().mean().backward()
        descent.step()
    print("source:", inspect.getsource(helper.halved).count("print"), inspect.getsource(scaled).count("math.log"))
    print("file:", __file__, len(open(__file__).read()), sys.argv)


if __name__ == "__main__":
    main()
"""

HELPER = '"""Imported."""\n\n\ndef halved(x):\n\tprint("halved", x.shape)\n\treturn x / 2.0\n'.replace("\n", "\r\n")

UNSTEADY = """\
import time

import torch


@torch.compile
def drift(x, now):
    x = x + 1.0
    print("drift")
    return x * 2.0, now


drift(torch.ones(3), time.time())
"""
