"""How often graphs run and guards are looked up, how long calls take, and the opt-in profile."""

from __future__ import annotations

import re
import signal
from collections import Counter

import pytest

pytestmark = pytest.mark.torch

NUMBER = re.compile(r"\d+")
"""Times and process ids stand before torch's warnings."""

PROGRAM = """
    import sys
    import torch
    from torch._dynamo.utils import counters

    linear = torch.nn.Linear(8, 8)

    def eager(graph, inputs):
        return graph.forward

    def whole(graph, inputs):
        return graph

    def step(x):
        return linear(x).relu().sum()

    trained = torch.compile(step)
    for size in (4, 4, 4, 5, 4):
        trained(torch.ones(size, 8)).backward()
    for backend in (eager, whole):
        other = torch.compile(lambda x: x.sin() + 1, backend=backend)
        for _ in range(3):
            print(other(torch.zeros(2)).tolist())
    (torch.ones(3) * 2).cos()
    print(counters["stats"]["unique_graphs"])
    if "kill" in sys.argv:
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def ran(shared_runner):
    shared_runner.write("calls.py", PROGRAM)
    traced = shared_runner.traced("calls.py")
    assert traced.code == 0, traced.err
    return traced


@pytest.fixture(scope="module")
def profiled(shared_runner, ran):  # noqa: ARG001 - it writes the program
    traced = shared_runner.traced("calls.py", more={"profile": True})
    assert traced.code == 0, traced.err
    return traced


def test_every_graph_is_counted_whatever_its_backend(ran):
    calls = ran.bodies("exit")[0]["calls"]
    assert calls == {
        "0/0/forward": 3, "0/0/backward": 3, "0/1/forward": 2, "0/1/backward": 2, "1/0/dynamo": 3, "1/1/dynamo": 3,
    }  # fmt: skip


def test_look_ups_are_those_that_had_a_version_to_choose_from(ran):
    hits_of_trained, hits_of_others = 3, 2 * 2
    other_size, other_backend = 1, 1
    assert ran.bodies("exit")[0]["guard_lookups"] == {
        "hit": hits_of_trained + hits_of_others,
        "miss": other_size + other_backend,
    }


def test_some_calls_are_timed_and_say_how_many_there_were(ran):
    timed = [(one["graph"], one["call"]) for one in ran.bodies("call")]
    assert Counter(graph for graph, _ in timed) == ran.bodies("exit")[0]["calls"]
    assert all(one["seconds"] > 0 for one in ran.bodies("call"))
    assert ran.bodies("call")[-1]["lookups"] == ran.bodies("exit")[0]["guard_lookups"]


def test_a_killed_program_leaves_its_calls(shared_runner, ran):
    traced = shared_runner.traced("calls.py", "kill")
    assert traced.code == -signal.SIGKILL
    assert traced.bodies("exit") == []
    seen = {one["graph"]: one["call"] for one in traced.bodies("call")}
    assert seen == ran.bodies("exit")[0]["calls"]


def test_a_profile_changes_nothing(profiled, shared_runner):
    plain = shared_runner.plain("calls.py")
    assert profiled.out == plain.out
    assert NUMBER.sub("", profiled.err) == NUMBER.sub("", plain.err)


def test_a_profile_tells_eager_from_compiled(profiled):
    body = profiled.bodies("profile")[-1]
    eager = {one["operator"]: one["calls"] for one in body["eager"]}
    made = 5 + 1
    sines_of_backends_that_run_graphs_as_they_are = 2 * 3
    assert (eager["aten.ones"], eager["aten.cos"], eager["aten.mul"]) == (made, 1, 1)
    assert eager["aten.sin"] == sines_of_backends_that_run_graphs_as_they_are
    assert "aten.addmm" not in eager
    inside = {one["operator"]: one["calls"] for one in body["inside"]}
    assert inside["aten.addmm"] == 5
    calls = {one["graph"]: one["calls"] for one in body["graphs"]}
    assert calls == {"0/0/forward": 3, "0/0/backward": 3, "0/1/forward": 2, "0/1/backward": 2}
    assert body["ended"] is None
    assert body["lookups"]["calls"] >= profiled.bodies("exit")[0]["guard_lookups"]["hit"]


def test_the_programs_own_profile_goes_first(shared_runner):
    shared_runner.write(
        "own.py",
        """
        import torch

        torch.ones(3).sin()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as own:
            torch.ones(3).cos()
        print([one.key for one in own.key_averages() if one.key == "aten::cos"])
        """,
    )
    plain, traced = shared_runner.plain("own.py"), shared_runner.traced("own.py", more={"profile": True})
    assert (traced.code, traced.out) == (0, "['aten::cos']\n"), traced.err
    # Once a process, as Kineto is first prepared, which is by us: a build for CUDA that finds no GPU.
    once = " gpuGetDeviceCount failed with code 100"
    said = [[line.split("]")[-1] for line in one.err.splitlines()] for one in (traced, plain)]
    assert said[0] == [line for line in said[1] if line != once]
    body = traced.bodies("profile")[-1]
    assert [one["operator"] for one in body["eager"] if one["operator"] in ("aten.sin", "aten.cos")] == ["aten.sin"]
    assert body["ended"] == "stopped when the program began to profile itself"
