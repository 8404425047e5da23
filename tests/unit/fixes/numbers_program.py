"""Programs in which a tensor's value becomes a number."""

from __future__ import annotations

HEAD = """
import math

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(4, 4)


"""
MAIN = """

def main():
    return [run(torch.arange(4.0)), run(torch.arange(4.0) - 7)]
"""


def snippet(code: str, main: str = MAIN) -> str:
    return HEAD + code.lstrip("\n") + main
