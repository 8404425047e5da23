"""What a profile run counted: operators that ran in eager, and those that ran in compiled graphs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.profile_model import Profile, ProfiledGraph, ProfiledOperator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.graphs import Graphs
    from compilescope.recording.reader import Recording


def profile(recording: Recording, context: Context, graphs: Graphs) -> Profile | None:
    """Return the profiles of all processes as one; None when nothing was profiled."""
    last = {event.process: event for event in recording.events("compilescope_profile")}
    if not last:
        return None
    sizes = _operations(recording, graphs)
    found = Profile()
    eager: dict[str, list[tuple[int, float]]] = defaultdict(list)
    inside: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for event in last.values():
        data = ours.mapping(recording.json(event))
        found.seconds += _seconds(data)
        found.ended = found.ended or ours.text(data.get("ended"))
        lookups = ours.mapping(data.get("lookups"))
        found.lookups += _count(lookups)
        found.guard_s += _seconds(lookups)
        for name, sums in (("eager", eager), ("inside", inside)):
            for one in _objects(data.get(name)):
                sums[ours.text(one.get("operator")) or "?"].append((_count(one), _seconds(one)))
        for one in _objects(data.get("graphs")):
            graph = ours.text(one.get("graph")) or "?"
            calls, seconds = _count(one), _seconds(one)
            name = f"{context.prefix(event.process)}{graph}"
            size = sizes.get((event.process, graph))
            found.graphs.append(ProfiledGraph(name, calls, round(seconds, 7), None if size is None else size * calls))
    found.eager, found.inside = _operators(eager), _operators(inside)
    found.seconds, found.guard_s = round(found.seconds, 6), round(found.guard_s, 7)
    return found


def _operations(recording: Recording, graphs: Graphs) -> dict[tuple[int, str], int]:
    """Return how many operations each graph has after its post-grad passes."""
    found: dict[tuple[int, str], int] = {}
    for event in recording.events("compilescope_stage"):
        data = ours.mapping(recording.json(event))
        if (data.get("stage"), data.get("position")) == ("post_grad", "after"):
            size = graphs.operations(ours.text(data.get("snapshot")))
            if size is not None:
                found[event.process, ours.text(data.get("graph")) or ""] = size
    return found


def _operators(sums: dict[str, list[tuple[int, float]]]) -> list[ProfiledOperator]:
    found = [
        ProfiledOperator(name, sum(calls for calls, _ in each), round(sum(seconds for _, seconds in each), 7))
        for name, each in sums.items()
    ]
    return sorted(found, key=lambda one: -one.seconds)


def _count(data: dict[str, Any]) -> int:
    return max(ours.integer(data.get("calls")) or 0, 0)


def _seconds(data: dict[str, Any]) -> float:
    return ours.duration(data.get("seconds")) or 0.0


def _objects(value: Any) -> Iterable[dict[str, Any]]:
    return [one for one in ours.items(value) if isinstance(one, dict)]
