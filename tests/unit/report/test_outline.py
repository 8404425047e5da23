"""A run as text to compare: what is not known is left out, and one of a thing is no plural."""

from __future__ import annotations

from dataclasses import replace

from compilescope.report.outline import outline

from .made import compiled, result


def lines(graph, captured=None, metrics=None):
    run = result([], [replace(compiled("0/0"), graph=graph, guards=1)])
    return outline(replace(run, metrics=metrics or {}), captured).splitlines()


def test_what_is_not_known_is_left_out():
    shown = lines({"nodes": 57, "edges": 0}, metrics={"fallback_ops": None, "limit_hits": 2})
    assert "  0/0 ok: 57 nodes, 1 guard" in shown
    assert "limit hits 2" in shown
    assert not any("None" in one or "fallback" in one or "total ops" in one for one in shown)
    assert "  0/0 ok: 1 guard" in lines({})


def test_sizes_are_those_of_the_compile_or_of_its_text():
    assert "  0/0 ok: 1 node, 1 edge, 1 guard" in lines({"nodes": 1, "edges": 1}, {"0/0": (58, 7)})
    assert "  0/0 ok: 57 nodes, 7 edges, 1 guard" in lines({"nodes": 57, "edges": 0}, {"0/0": (58, 7)})
    assert "  0/0 ok: 58 nodes, 7 edges, 1 guard" in lines({"nodes": 0, "edges": 0}, {"0/0": (58, 7)})


def test_a_log_of_torch_alone_has_no_depth():
    run = result([], [compiled("0/0")], torch=None, depth=None)
    assert outline(run).startswith("graphs ")
