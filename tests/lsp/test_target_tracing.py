"""A function or module that nothing compiles, traced from the editor."""

from __future__ import annotations

import sys

import pytest

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 16)

    def forward(self, x):
        h = self.up(x)
        if h.sum() > 0:
            h = h + 1
        return h


def loss(a: torch.Tensor, b: torch.Tensor):
    return ((a - b) ** 2).mean()
"""


@pytest.fixture
def options():
    return {"client": "vscode", "python": sys.executable, "codeLens": True}


@pytest.fixture
def net(workspace):
    path = workspace / "net.py"
    path.write_text(NET)
    return path


def titles(lenses):
    return [(one.range.start.line, one.command.title) for one in lenses]


async def test_lenses_and_what_they_propose(client, net):
    lenses = await client.lenses(client.open(net))
    assert titles(lenses) == [(4, "Trace this"), (16, "Trace this")]
    first, second = (one.command.arguments[0] for one in lenses)
    assert first == {
        "target": {
            "file": str(net),
            "name": "Net",
            "made": "Net(width=8)",
            "inputs": "torch.randn(4, 8)",
            "signature": "Net.forward(x)",
        },
        "ask": False,
    }
    assert second["target"]["inputs"] == "torch.randn(4, 8), torch.randn(4, 8)"
    assert {one.command.command for one in lenses} == {"compilescope.traceTarget"}


@pytest.mark.parametrize("spelled", [str, lambda path: path.as_uri()])
async def test_what_is_at_a_line(client, net, spelled):
    here = await client.ask("compilescope/targetAt", file=spelled(net), line=17)
    assert (here.target.name, here.target.signature) == ("loss", "loss(a: torch.Tensor, b: torch.Tensor)")
    assert (await client.ask("compilescope/targetAt", file=spelled(net), line=2)).target is None
    assert (await client.ask("compilescope/targetAt", file=str(net.with_name("none.py")), line=2)).target is None


@pytest.mark.torch
async def test_a_target_is_traced_cold_and_warm(client, net):
    """The second run is the waiting worker's, which must do the same."""
    uri = client.open(net)
    asked = {"script": str(net), "target": "Net(8)", "inputs": ["torch.ones(4, 8)"], "depth": "capture"}
    for _ in range(2):
        result = await client.ask("compilescope/trace", **asked)
        assert (result.status, result.exitCode, result.problem) == ("finished", 0, None)
        assert [one.code for one in client.diagnostics[uri]] == ["GB0170"]
        assert client.diagnostics[uri][0].range.start.line == 11
    lenses = await client.lenses(uri)
    assert [title for line, title in titles(lenses) if line == 9][1:] == [
        "Trace again",
        "Graph",
        "Passes",
        "Change inputs…",
    ]
    assert [line for line, title in titles(lenses) if title == "Trace this"] == [16]
    change = next(one for one in lenses if one.command.title == "Change inputs…").command.arguments[0]
    assert (change["ask"], change["target"]["name"]) == (True, "Net")
    runs = (await client.ask("compilescope/runs")).runs
    assert (runs[0].title, runs[0].script, runs[0].target, runs[0].inputs) == (
        "Net(8)(torch.ones(4, 8)) in net.py",
        str(net),
        "Net(8)",
        ["torch.ones(4, 8)"],
    )


@pytest.mark.torch
async def test_targets_of_one_file_stand_side_by_side(client, net):
    uri = client.open(net)
    calls = [("Net(8)", "torch.ones(4, 8)"), ("Net(4)", "torch.ones(4, 4)"), ("loss", "torch.ones(2), torch.ones(2)")]
    for target, inputs in calls:
        await client.ask("compilescope/trace", script=str(net), target=target, inputs=[inputs], depth="capture")
    assert [one.code for one in client.diagnostics[uri]] == ["GB0170"]
    assert not [title for _, title in titles(await client.lenses(uri)) if title == "Trace this"]


@pytest.mark.torch
async def test_inputs_that_do_not_fit_are_a_problem_with_a_way_out(client, net):
    result = await client.ask("compilescope/trace", script=str(net), target="loss", inputs=["torch.ones(2)"])
    assert (result.status, result.exitCode, result.problem.code) == ("finished", 2, "bad-inputs")
    assert result.problem.title.startswith("The inputs don't fit loss(a: torch.Tensor, b: torch.Tensor): missing")
    assert result.problem.actions == ["compilescope.changeInputs"]
