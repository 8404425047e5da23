"""A transformer that trains on the GPU, timed by `served`."""

import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, LENGTH, STEPS = 256, 4, 4, 128, 20


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH) for _ in range(2)])

    def forward(self, x):
        batch = x.shape[0]
        q, k, v = self.qkv(self.norms[0](x)).view(batch, LENGTH, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        h = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(h.transpose(1, 2).reshape(batch, LENGTH, WIDTH))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


def timed(function):
    torch.cuda.synchronize()
    began = time.perf_counter()
    result = function()
    torch.cuda.synchronize()
    return time.perf_counter() - began, result


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def served(step, said):
    """Run `step` once and print what is `said` of its result, then a block of steps for each line on stdin.

    Each time a line says how many seconds the first step took, or one of the block in the middle.
    """
    first, result = timed(step)
    say(said(result))
    say(f"seconds {first}")
    for _ in range(STEPS):
        step()
    for _line in sys.stdin:
        say(f"seconds {statistics.median(timed(step)[0] for _ in range(STEPS))}")


def main():
    torch.manual_seed(0)
    model = torch.compile(nn.Sequential(*(Block() for _ in range(LAYERS))).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(8, LENGTH, WIDTH, device="cuda")

    def step():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    served(step, lambda loss: f"first loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
