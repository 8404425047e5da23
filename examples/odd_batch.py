"""A model that takes `relu` for odd batches only. It never breaks a graph: it recompiles.

What really happens: `x.shape[0] % 2` is a Python number that Dynamo knows while it captures, so the `if` is decided
at compile time and becomes a *guard* (a check made before the compiled code is used again), never a graph break.

* Called with batches 4, 4, 4, 3: the first call compiles for batch 4, the second and third reuse it, and 3 fails the
  guard on the size. So there are two compiled versions and one recompile.
* `dynamic=True` makes the batch size a symbol, but the branch still asks whether it is even. Called with 4, 3, 7:
  4 compiles the even version, 3 fails the guard `batch % 2 == 0` and compiles the odd one, and 7 reuses that.
  One recompile again, because there are two different programs to compile.
"""

import torch
from torch import nn


class OddBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        y = self.linear(x)
        if x.shape[0] % 2 == 0:
            return y
        return torch.relu(y)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.compile(OddBatch())
    for batch in (4, 4, 4, 3):
        print("static: ", tuple(model(torch.randn(batch, 8)).shape))

    torch.compiler.reset()
    model = torch.compile(OddBatch(), dynamic=True)
    for batch in (4, 3, 7):
        print("dynamic:", tuple(model(torch.randn(batch, 8)).shape))
