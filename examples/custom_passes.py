"""Passes of our own in the compiler: one that rewrites, one that finds nothing, one that never runs.

What really happens: `drop_times_one` is called with the graph before autograd and takes the multiplication by one out
of it. `find_dropout` sees the graph after autograd, where there is no dropout to find. `balance` would split a joint
graph into forward and backward, and a model without a backward has none. `compilescope trace` tells the three apart.
"""

import operator

import torch
import torch._inductor.config as inductor
from torch import nn
from torch._functorch.partitioners import min_cut_rematerialization_partition


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(32, 64)
        self.down = nn.Linear(64, 32)

    def forward(self, x):
        h = torch.relu(self.up(x)) * 1
        return x + self.down(h)


def drop_times_one(graph):
    """Take out every `x * 1`."""
    for node in graph.find_nodes(op="call_function", target=operator.mul):
        if node.args[1] == 1:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


def find_dropout(graph):
    """Count the dropouts; a model in `eval()` has none."""
    return len(graph.find_nodes(op="call_function", target=torch.ops.aten.native_dropout.default))


def balance(graph, joint_inputs, **options):
    """Split a joint graph as Inductor does by default."""
    return min_cut_rematerialization_partition(graph, joint_inputs, **options)


if __name__ == "__main__":
    torch.manual_seed(0)
    inductor.pre_grad_custom_pass = drop_times_one
    inductor.post_grad_custom_pre_pass = find_dropout
    inductor.custom_partitioner_fn = balance
    model = torch.compile(Block().eval())
    with torch.no_grad():
        print(model(torch.randn(4, 32)).shape)
