"""A module and a function as they stand in a library: nothing here compiles them.

Each can be traced by itself, with the lens "Trace this" above it in the editor, or on the command line:

    compilescope trace --target AttentionPool --inputs "torch.randn(4, 32)" examples/uncompiled.py
"""

import torch
import torch.nn.functional as F
from torch import nn


class AttentionPool(nn.Module):
    """The weighted mean of the rows; a row that outweighs all others is damped."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x):
        weights = self.score(x).squeeze(-1).softmax(dim=-1)
        if weights.max() > 0.9:
            weights = weights.sqrt()
        return (x * weights.unsqueeze(-1)).sum(dim=-2)


def focal_loss(logits: torch.Tensor, target: torch.Tensor, gamma: float = 2.0) -> torch.Tensor:
    """Cross entropy that counts what is known already for less."""
    loss = F.cross_entropy(logits, target, reduction="none")
    return ((1 - torch.exp(-loss)) ** gamma * loss).mean()
