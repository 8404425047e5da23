"""A small program with what only a GPU gives: Triton kernels, measured choices, CUDA graphs recorded, again, and not.

The recording that `tests/unit/analysis/test_gpu_recording.py` reads is of this program:
`cp tests/gpu/fixture.py . && compilescope trace --fusion --record RECORDING fixture.py`, in a folder of its own.
"""

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LENGTH = 64, 2, 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):
        h = self.norm(x)
        q, k, v = self.qkv(h).view(-1, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        h = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + h.transpose(1, 2).reshape(x.shape)
        return x + self.down(functional.gelu(self.up(x)))


@torch.compile(mode="max-autotune-no-cudagraphs")
def product(a, b, bias):
    return torch.relu(a @ b + bias)


@torch.compile(mode="reduce-overhead", dynamic=True)
def sizes(x):
    return (x * 2).sin()


@torch.compile(mode="reduce-overhead")
def moved(linear, x):
    return linear(x).relu()


@torch.compile(mode="reduce-overhead")
def mutates(x, y):
    x.add_(y.sin())
    return x + 1


def train():
    block = torch.compile(Block().cuda())
    for _ in range(2):
        block(torch.randn(4, LENGTH, WIDTH, device="cuda")).square().mean().backward()


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    train()
    with torch.no_grad():
        a, b = (torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        for _ in range(2):
            product(a, b, torch.ones(1024, device="cuda", dtype=torch.bfloat16))
        for size in (8, 16):
            for _ in range(3):
                sizes(torch.randn(size, 64, device="cuda"))
        linear = nn.Linear(64, 64).cuda()
        for _ in range(2):
            for _ in range(3):
                moved(linear, torch.randn(8, 64, device="cuda"))
            linear.weight.data = linear.weight.data.clone()
        for _ in range(2):
            mutates(torch.randn(8, device="cuda"), torch.randn(8, device="cuda"))
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
