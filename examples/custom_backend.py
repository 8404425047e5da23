"""A compiled model with a backend of our own: one graph, no break, no recompile.

What really happens: Dynamo captures `relu`, `+ 1`, `* 2` and `sum` into one FX graph and hands it to `show_graph`,
which prints the nodes and returns the graph's own `forward`, so the program runs what was captured, uncompiled.

Two things that are often quoted wrong:

* `torch._logging.set_logs(compilation=logging.INFO, graph=logging.INFO)` fails: there is no `compilation`, and `graph`
  is an artifact, which takes True and not a level. Components such as `dynamo`, `aot` and `inductor` take a level;
  artifacts such as `graph_code`, `graph_breaks`, `recompiles` and `output_code` take True.
* A backend is called when a graph is *compiled*, not when it runs: the second call below prints no node.
"""

import logging

import torch
from torch import nn

torch._logging.set_logs(dynamo=logging.WARNING, graph_code=True, graph_breaks=True, recompiles=True)


class Model(nn.Module):
    def forward(self, x):
        y = torch.relu(x) + 1
        y = y * 2
        return y.sum()


def show_graph(gm, example_inputs):
    print(f"a graph with {len(example_inputs)} input(s):")
    for node in gm.graph.nodes:
        print(f"  {node.op:14} {node.name:8} {node.target}")
    return gm.forward


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.compile(Model(), backend=show_graph)
    x = torch.randn(4, 8)
    print("first call: ", model(x).item())
    print("second call:", model(x).item())
