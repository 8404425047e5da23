"""The program's own passes over Inductor's schedule: their runs, what they changed, and their place in the chain."""

import pytest
from chain import replay, snapshots

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """
    import torch
    import torch._inductor.config as config

    seen = []

    class Reverse:
        def __call__(self, nodes):
            seen.append(len(nodes))
            return nodes[::-1]

    def look(nodes):
        seen.append(len(nodes))
        return nodes

    def refuse(nodes):
        raise ValueError("not this schedule")

    def two(x, y):
        return x.sin() + 1, (y.cos() * 2).sum(0)

    def run():
        torch._dynamo.reset()
        return torch.compile(two)(torch.ones(8), torch.ones(4, 4))

    reverse = Reverse()
    config._pre_fusion_custom_pass = reverse
    config._post_fusion_custom_pass = look
    run()
    print(seen, config._pre_fusion_custom_pass is reverse, config._post_fusion_custom_pass is look)
    config._post_fusion_custom_pass = refuse
    try:
        run()
    except Exception:
        print("raised")
"""


@pytest.fixture(scope="module")
def traced(shared_runner):
    shared_runner.write("schedule.py", PROGRAM)
    return shared_runner.traced("schedule.py")


def own(traced):
    return [body for body in traced.bodies("pass") if body["custom"]]


def test_the_program_sees_its_passes_as_they_are(traced):
    assert traced.code == 0, traced.err
    assert traced.out.splitlines() == ["[2, 2] True True", "raised"]


def test_each_run_is_a_step_of_the_chain(traced):
    replay(traced)
    reverse, look = own(traced)[:2]
    assert (reverse["slot"], reverse["function"], reverse["changed"]) == (
        "_pre_fusion_custom_pass",
        "__main__.Reverse",
        True,
    )
    graphs = snapshots(traced)
    names = [[node["name"] for node in graphs[reverse[side]]] for side in ("before", "after")]
    assert names[1] == names[0][::-1]
    assert (look["slot"], look["function"], look["changed"]) == ("_post_fusion_custom_pass", "__main__.look", False)
    assert {body["phase"] for body in own(traced)} == {"scheduler"}
    assert reverse["order"] < look["order"]


def test_one_that_raises_is_there_and_none_is_said_not_to_have_run(traced):
    refused = own(traced)[-1]
    assert (refused["function"], refused["error"], refused["message"]) == (
        "__main__.refuse",
        "ValueError",
        "not this schedule",
    )
    assert traced.bodies("unrun_pass") == []
