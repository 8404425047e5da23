"""Which kernels compute the nodes of a graph, and how long those took where that was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis import ours

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.model import Result
    from compilescope.analysis.profile_model import Profile
    from compilescope.analysis.snapshots import Node
    from compilescope.analysis.stages import StageEntry


def of_snapshot(result: Result, stages: Iterable[StageEntry], snapshot: str) -> list[Kernel]:
    """Return the kernels of the graph that a snapshot is a state of, in the order of their calls."""
    graphs = {(one.compile_id, _direction(one.graph)) for one in stages if one.snapshot == snapshot}
    graphs |= {(one.compile_id, _direction(one.graph)) for one in result.passes if one.after == snapshot}
    if not graphs:
        graphs |= {(one.compile_id, _direction(one.graph)) for one in result.passes if one.before == snapshot}
    owned = [one for one in result.kernels if (one.compile_id, _direction(one.graph)) in graphs]
    first = next((one for one in owned), None)
    if first is None:
        return []
    return [one for one in owned if (one.compile_id, one.graph) == (first.compile_id, first.graph)]


def by_node(names: Sequence[str], kernels: Sequence[Kernel]) -> list[list[int]]:
    """Return the positions of the kernels that compute each node; of a library call its own node alone is computed."""
    computed: dict[str, list[int]] = {}
    for place, kernel in enumerate(kernels):
        for name in kernel.nodes[:1] if kernel.kind in _CALLS else kernel.nodes:
            computed.setdefault(name, []).append(place)
    return [computed.get(name, []) for name in names]


def by_group(nodes: Sequence[Node], kernels: Sequence[Kernel]) -> list[list[int]]:
    """Return the kernel of each of the scheduler's nodes, which torch does not name: one that computes what it does.

    Several of the scheduler's nodes may be in one kernel; a library call is for one alone.
    """
    own = [set(kernel.nodes) for kernel in kernels]
    taken: set[int] = set()
    found: list[list[int]] = []
    for node in nodes:
        made_from = set(node.origins)
        best, place = 0.0, -1
        for at, kernel in enumerate(kernels):
            is_call = kernel.kind in _CALLS
            if is_call != (node.target in _CALLS) or (is_call and at in taken):
                continue
            share = len(made_from & own[at]) / max(1, len(made_from))
            if is_call:  # its own node is the first, and the last that the scheduler's was made from
                share = 1.0 if kernel.nodes[:1] == list(node.origins[-1:]) else _LEAST * bool(made_from & own[at])
            if share > best:
                best, place = share, at
        found.append([place] if best >= _LEAST else [])
        taken.update(found[-1])
    return found


def merged(nodes: Sequence[Node], kernel: Sequence[Sequence[int]]) -> tuple[list[Node], list[list[int]]]:
    """Return one node for each kernel call, in the order of the calls, and the kernel of each."""
    groups: dict[tuple[int, int], list[int]] = {}
    last = -1
    for at, own in enumerate(kernel):
        last = max(last, own[0]) if own else last
        groups.setdefault((own[0], -1) if own else (last, at), []).append(at)
    order = sorted(groups)
    place = {at: new for new, key in enumerate(order) for at in groups[key]}
    made = []
    for new, key in enumerate(order):
        parts = [nodes[at] for at in groups[key]]
        inputs = dict.fromkeys(place[at] for node in parts for at in node.inputs if at in place)
        made.append(
            replace(
                parts[0],
                name="_".join(node.name for node in parts),
                inputs=tuple(at for at in inputs if at != new),
                origins=tuple(dict.fromkeys(name for node in parts for name in node.origins)),
            )
        )
    return made, [[key[0]] if key[1] < 0 else [] for key in order]


def seconds(kernel: Kernel, profile: Profile | None) -> float | None:
    """Return how long one call of a kernel took: as autotuning measured it, or on average in the profile."""
    measured = ours.mapping(kernel.autotune)
    winner = measured.get("winner")
    for choice in ours.items(measured.get("choices")):
        ms = ours.number(ours.mapping(choice).get("ms"))
        if winner is not None and ours.mapping(choice).get("name") == winner and ms is not None:
            return ms / 1000
    if profile is None or kernel.operator is None:
        return None
    name = ".".join(kernel.operator.removeprefix("torch.ops.").replace("::", ".").split(".")[:2])
    ran = [one for one in profile.inside if one.operator == name and one.calls > 0]
    return ran[0].seconds / ran[0].calls if ran else None


_CALLS = {"extern", "fallback", "wrapper"}
_LEAST = 0.5
"""This much of what a scheduler node was made from is in its kernel."""


def _direction(graph: str) -> str:
    return graph.rpartition("/")[2]
