"""Reads a recording's graphs and passes without any code of ours, and replays them."""

from __future__ import annotations

import hashlib
import json
import re

ASSIGNED = re.compile(r'^\s+(?P<name>\w+)(?:: "[^"]*")? = (?P<value>.+?)(?:;  .*)?$', re.MULTILINE)


def snapshots(traced):
    """Every recorded graph by its id, which must be the hash of what was written."""
    found = {}
    for event in traced.events:
        if event.name == "compilescope_snapshot":
            id_ = event.body["id"]
            written = event.payload.removeprefix(f'{{"id": "{id_}", "nodes": [').removesuffix("]}")
            assert hashlib.blake2b(written.encode(), digest_size=10).hexdigest() == id_
            assert id_ not in found
            found[id_] = json.loads(f"[{written}]")
    return found


def replay(traced):
    """Walk through the steps of every graph and return the state in which each ends: the chain has no hole.

    Every step begins where the one before it ended, in its own graph or in the one that it came from; at every stage
    the recorded graph is the one that the steps led to; and what a step says it did is what the graphs show.
    """
    graphs = snapshots(traced)
    steps = traced.bodies("pass")
    assert sorted(step["order"] for step in steps) == list(range(len(steps)))
    state = {}
    for event in traced.events:
        if event.name == "compilescope_stage":
            stage = event.body
            if stage["stage"] == "dynamo":
                start = event.body["graph"].rpartition("/")[0]
                state = {
                    name: id_ for name, id_ in state.items() if not name.startswith(start) or "#" in stage["graph"]
                }
                state[stage["graph"]] = stage["snapshot"]
            assert state[stage["graph"]] == stage["snapshot"], stage
            assert stage["nodes"] == len(graphs[stage["snapshot"]])
        elif event.name == "compilescope_pass":
            step = event.body
            assert step["changed"] is (step["before"] != step["after"])
            for side in ("before", "after"):
                assert step[f"nodes_{side}"] == len(graphs[step[side]])
                assert step[f"edges_{side}"] == sum(len(node["inputs"]) for node in graphs[step[side]])
            if not inside(step, steps):
                assert step["before"] == state[step["source"] or step["graph"]], step
                state[step["graph"]] = step["after"]
    return {name: graphs[id_] for name, id_ in state.items()}


def inside(step, steps):
    """Whether a pass ran inside of another one over the same graph, which accounts for what it did."""
    later = iter(steps[next(number for number, each in enumerate(steps) if each["order"] == step["order"]) :])
    for depth in range(step["depth"] - 1, -1, -1):
        if next(each for each in later if each["depth"] == depth)["graph"] == step["graph"]:
            return True
    return False


def stage(traced, graph, name, position="after"):
    """The nodes of a graph at the last stage of this name."""
    graphs = snapshots(traced)
    wanted = (graph, name, position)
    return [
        graphs[body["snapshot"]]
        for body in traced.bodies("stage")
        if (body["graph"], body["stage"], body["position"]) == wanted
    ][-1]


def calls(nodes):
    """The names of the nodes that torch prints as a line with `=`."""
    return [node["name"] for node in nodes if node["op"] in ("call_function", "call_method", "call_module", "get_attr")]


def printed(text):
    """The names that a graph printed by torch assigns, without those that only give a node another name."""
    body = text.split("class ")[1]  # the outermost module comes first
    seen = set(re.findall(r"\w+", body.partition("def forward(")[2].partition("):")[0]))
    names = []
    for match in ASSIGNED.finditer(body.partition("):\n")[2]):
        if match["value"] not in seen:
            names.append(match["name"])
        seen.add(match["name"])
    return names
