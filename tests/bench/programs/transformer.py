"""The example's transformer with four layers: forward and backward, every pass, C++ kernels."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
import train_transformer as example

example.LAYERS = 4
torch.manual_seed(0)
model = example.Transformer()
step = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
ids = torch.randint(example.VOCABULARY, (4, example.LENGTH))
for _ in range(3):
    step(ids, ids.roll(-1, dims=1)).backward()
    optimizer.step()
    optimizer.zero_grad()
