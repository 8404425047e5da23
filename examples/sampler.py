"""Five steps of a small image sampler, with the three usual problems: two graph breaks and a value that is compiled in.

What really happens:

* `math.log(sigma + 1.0)` needs the exact Python number, so each new value of `sigma` is compiled again.
* `if h.abs().max() > 6.0` depends on tensor data, so the graph ends there and the `if` runs in Python.
* `print` can't be part of a graph.
* In `anneal` the break is inside a `for` loop. A loop can't be resumed in its middle: all of the function runs in eager.
"""

import math

import torch
from torch import nn

torch.manual_seed(1)
width = 64
up = nn.Linear(width, 4 * width)
down = nn.Linear(4 * width, width)


@torch.compile
def denoise(x, mask, sigma):
    freq = math.log(sigma + 1.0)
    h = x * mask + freq
    h = nn.functional.gelu(up(h))
    h = x + down(h)
    if h.abs().max() > 6.0:
        h = h.clamp(-6.0, 6.0)
    print("limited", h.shape)
    out = torch.tanh(h) * mask
    return out - x.mean(-1, keepdim=True)


@torch.compile
def anneal(x, steps):
    for _ in range(steps):
        x = (x * 1.1).sin()
        if x.max() > 0.5:
            x = x - 0.5
    return x


x = torch.randn(8, width)
mask = (torch.rand(8, 1) > 0.1).float()
with torch.no_grad():
    for step in range(5):
        x = denoise(x, mask, sigma=1.0 / (step + 1))
    x = anneal(x, steps=3)
print(x.shape)
