"""What is known of passes as plain values, a part of the contract of `--format json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.analysis.model import GraphCode, Match, Pass, UnrunPass

_PASS = (
    "compile_id", "graph", "phase", "name", "kind", "order", "depth", "seconds", "nodes_before", "nodes_after",
    "edges_before", "edges_after", "delta", "changed", "before", "after", "source", "custom", "slot", "function",
    "file", "line", "error", "message",
)  # fmt: skip


def step(one: Pass) -> dict[str, Any]:
    """Return a step with exactly the keys of the contract."""
    return {**{key: getattr(one, key) for key in _PASS}, "matches": [_match(match) for match in one.matches]}


def unrun(one: UnrunPass) -> dict[str, Any]:
    """Return a pass that did not run with exactly the keys of the contract."""
    return asdict(one)


def code(one: GraphCode) -> dict[str, Any]:
    """Return where a graph's code is with exactly the keys of the contract."""
    return {"compile_id": one.compile_id, "graph": one.graph, "file": one.file}


def _match(one: Match) -> dict[str, Any]:
    return {
        "pattern": one.pattern,
        "function": one.function,
        "target": one.target,
        "nodes": one.nodes,
        "created": one.created,
        "ranges": [{"file": place.file, "range": asdict(place.range)} for place in one.places],
    }
