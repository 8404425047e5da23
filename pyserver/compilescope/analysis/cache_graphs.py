"""Which graph each answer of a cache is of, where a compile has several: DDP's buckets, for one.

What entered a key says only whether the graph is a forward or a backward one. Torch writes the code of each graph when
its cache has answered (torch/_inductor/compile_fx.py, 2.6 to 2.14), so answers and code come in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.caches import Lookup
    from compilescope.analysis.model import GraphCode


def name_graphs(answers: Iterable[Lookup], codes: Iterable[GraphCode]) -> None:
    """Note in answers which graph they are of, `4/0/forward#1`, and which one the most similar key was of.

    Where there are not as many answers as graphs with code, nothing is noted: which is which is not known.
    """
    coded: dict[str, list[str]] = {}
    for code in codes:
        coded.setdefault(_kind(code.graph), []).append(code.graph)
    asked: dict[str, list[Lookup]] = {}
    for one in answers:
        if one.cache == "fx_graph" and one.graph is not None and one.outcome != "off":
            asked.setdefault(_kind(one.graph), []).append(one)
    for kind, found in asked.items():
        graphs = coded.get(kind, [])
        if len(graphs) == len(found) == len(set(graphs)):
            for one, graph in zip(found, graphs, strict=True):
                one.graph = graph
    _name_nearest(answers)


def _kind(graph: str) -> str:
    """The compile and the direction of a graph."""
    return graph.partition("#")[0]


def _name_nearest(answers: Iterable[Lookup]) -> None:
    last: dict[tuple[str, str | None], str | None] = {}
    for one in answers:
        if one.nearest is not None and one.nearest_recording is None:
            one.nearest_graph = last.get((one.nearest, one.nearest_id))
        if one.key is not None:
            last[one.key, one.compile_id] = one.graph
