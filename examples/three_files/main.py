"""Breaks in three files: this one, `model.py` and `metrics.py`. Run this file.

What really happens: `forward` in model.py breaks on `.item()`, the helper that it calls in metrics.py breaks on a
logging call, and the step in this file breaks on `time.time()`. Each squiggle is in the file of its own line.
"""

import time

import torch
from model import Scorer

torch.manual_seed(0)
scorer = Scorer()


@torch.compile(backend="eager")
def step(x):
    started = time.time()
    loss = scorer(x).mean()
    return loss, started


if __name__ == "__main__":
    for _ in range(2):
        loss, _ = step(torch.randn(4, 8))
    print("loss", round(loss.item(), 4))
