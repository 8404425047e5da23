"""Which graph of a compile each answer of a cache is of."""

from __future__ import annotations

from pathlib import Path

from compilescope.analysis.cache_graphs import name_graphs
from compilescope.analysis.caches import Difference, Lookup
from compilescope.analysis.model import GraphCode
from compilescope.report.caches import caches
from compilescope.report.style import Style

BUCKETS = ("forward", "forward#1", "forward#2", "backward#2", "backward#1", "backward")
"""In the order in which torch compiles them: backward graphs as they run."""


def answers(compile_id: str = "4/0") -> list[Lookup]:
    found = [
        Lookup(compile_id, "fx_graph", "miss", f"{compile_id}/{bucket.partition('#')[0]}", f"key-{bucket}")
        for bucket in BUCKETS
    ]
    found[2].outcome = "hit"
    found[3].nearest, found[3].nearest_id, found[3].components = "key-forward#1", "4/0", 1
    found[3].differs, found[3].differing = [Difference("gm", "a", "b")], 1
    return found


def codes(compile_id: str = "4/0", buckets: tuple[str, ...] = BUCKETS) -> list[GraphCode]:
    return [GraphCode(compile_id=compile_id, graph=f"{compile_id}/{one}", file="", event=0) for one in buckets]


def test_buckets_have_the_names_of_their_code_and_so_does_the_nearest():
    found = [*answers(), Lookup("4/0", "aotautograd", "bypass", reason="none")]
    name_graphs(found, codes())
    assert [one.graph for one in found] == [*(f"4/0/{bucket}" for bucket in BUCKETS), None]
    assert found[3].nearest_graph == "4/0/forward#1"
    said = caches(found, Style(Path.cwd()))
    assert "  FX graph miss: 4/0/backward#2, differs from 4/0/forward#1 in the graph" in said


def test_of_other_ranks_too_but_not_where_code_is_missing():
    found = [*answers(), *answers("rank1:4/0")]
    name_graphs(found, [*codes(buckets=BUCKETS[1:]), *codes("rank1:4/0")])
    assert [one.graph for one in found[:3]] == ["4/0/forward"] * 3, "which is which is not known"
    assert [one.graph for one in found[6:]] == [f"rank1:4/0/{bucket}" for bucket in BUCKETS]
    assert found[9].nearest_graph == "4/0/forward", "the key of the other rank was looked up before"
