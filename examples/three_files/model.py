"""The model of the three-file example."""

import torch
from metrics import report
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 1)

    def forward(self, x):
        y = self.linear(x).squeeze(-1)
        scale = y.detach().abs().max().item()
        y = report(y / (scale + 1.0))
        return torch.sigmoid(y)
