"""A matrix product with max-autotune: Triton templates against cuBLAS, in a CUDA graph."""

import torch
from transformer import served


@torch.compile(mode="max-autotune")
def product(a, b, bias):
    return torch.relu(a @ b + bias)


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    a, b = (torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    bias = torch.randn(1024, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        served(lambda: product(a, b, bias), lambda result: f"mean {result.float().mean().item():.2f}")


if __name__ == "__main__":
    main()
