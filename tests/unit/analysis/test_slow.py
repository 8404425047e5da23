"""`slow-compile` for models with many blocks of one kind, from recordings made by hand."""

from __future__ import annotations

import pytest

from tests.unit.analysis.made import Made

SOURCE = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        for block in self.layers:
            x = block(x)
        return self.head(x)
"""


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path, SOURCE)


def traced(made, count, each, *, kind="Block"):
    nodes = [
        {"name": f"n{block}_{number}", "op": "call_function", "target": "t", "inputs": [],
         "module": [f"L['self'].layers.{block}.part{number % 3}", kind if block else "First"]}
        for block in range(count)
        for number in range(each)
    ]  # fmt: skip
    made.event("compilescope_snapshot", {"id": "first", "nodes": nodes}, "0/0")
    stage = {"graph": "0/0/dynamo", "stage": "dynamo", "position": "after", "snapshot": "first"}
    made.event("compilescope_stage", stage | {"nodes": len(nodes), "edges": 0}, "0/0")
    made.compiled("0/0", "forward", 4, 30.0, graph_node_count=len(nodes))


def slow(made):
    return [one for one in made.findings() if one.rule == "slow-compile"]


def test_blocks_of_one_kind_are_told_where_the_model_loops_over_them(made):
    traced(made, 24, 20)
    (finding,) = slow(made)
    assert (finding.severity, finding.range.start.line, finding.range.start.character) == ("information", 4, 8)
    assert finding.title.startswith("23 blocks of one kind in `layers` went into one graph: 480 operations")
    assert "`for block in model.layers: block.compile()`" in finding.hints[0]


@pytest.mark.parametrize(("count", "each"), [(6, 100), (24, 5)])
def test_few_blocks_and_small_graphs_are_none(made, count, each):
    traced(made, count, each)
    assert slow(made) == []
