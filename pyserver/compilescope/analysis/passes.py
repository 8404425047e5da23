"""The passes of a recording, in the order in which they ran, and what each did to its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis.model import Match, Pass, Place
from compilescope.analysis.ours import duration, frames, integer, items, strings, text
from compilescope.analysis.spans import spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.spans import Span
    from compilescope.recording.reader import Event, Recording


def table(recording: Recording, context: Context) -> list[Pass]:
    """Return the passes: observed by our tracer, else by the times that torch gives for them."""
    found, own = [], set()
    for event in recording.events("compilescope_pass"):
        data = recording.json(event)
        if isinstance(data, dict):
            own.add(event.process)
            found.append(_observed(context, event, data))
    return found + _timed(context, spans(recording, "pass.*", without=own))


def delta(before: tuple[int | None, int | None], after: tuple[int | None, int | None]) -> int | None:
    """Return (|V1| - |V2|) + (|E1| - |E2|) for nodes and edges before and after; None when one is unknown."""
    if before[0] is None or before[1] is None or after[0] is None or after[1] is None:
        return None
    return (before[0] - after[0]) + (before[1] - after[1])


def _observed(context: Context, event: Event, data: dict[str, Any]) -> Pass:
    before = (integer(data.get("nodes_before")), integer(data.get("edges_before")))
    after = (integer(data.get("nodes_after")), integer(data.get("edges_after")))
    graph = text(data.get("graph")) or ""
    return Pass(
        compile_id=compile_of(context, event, graph),
        graph=graph,
        phase=text(data.get("phase")) or "",
        name=text(data.get("name")) or "?",
        order=max(integer(data.get("order")) or 0, 0),
        depth=max(integer(data.get("depth")) or 0, 0),
        seconds=duration(data.get("seconds")) or 0.0,
        nodes_before=before[0],
        nodes_after=after[0],
        edges_before=before[1],
        edges_after=after[1],
        delta=delta(before, after),
        changed=data.get("changed") is True,
        custom=data.get("custom") is True,
        before=text(data.get("before")),
        after=text(data.get("after")),
        function=text(data.get("function")),
        file=text(data.get("file")),
        line=integer(data.get("line")),
        gap=data.get("gap") is True,
        error=text(data.get("error")),
        kind=text(data.get("kind")) or ("gap" if data.get("gap") is True else "pass"),
        source=text(data.get("source")),
        slot=text(data.get("slot")),
        message=text(data.get("message")),
        matches=[_match(context, one) for one in items(data.get("matched")) if isinstance(one, dict)],
    )


def _match(context: Context, data: dict[str, Any]) -> Match:
    places = [Place(frame.file, context.ranges.of(frame)) for frame in frames(data.get("frames"))]
    return Match(
        pattern=text(data.get("pattern")) or "?",
        function=text(data.get("function")),
        target=text(data.get("target")) or "",
        nodes=list(strings(data.get("nodes"))),
        created=list(strings(data.get("created"))),
        places=places,
    )


def compile_of(context: Context, event: Event, graph: str) -> str:
    """Return the compile that an event about a graph belongs to: the event's own, else the graph's first parts."""
    return context.name(context.compiles.where(event, graph))


def _timed(context: Context, found: Iterable[Span]) -> list[Pass]:
    """Return the passes that torch timed (`pass.<phase>.<name>` spans); nothing else is known of them."""
    return [_from_span(context, span, order) for order, span in enumerate(found)]


def _from_span(context: Context, span: Span, order: int) -> Pass:
    phase, _, own = span.name.removeprefix("pass.").partition(".")
    return Pass(
        compile_id=compile_of(context, span.event, ""),
        graph="",
        phase=phase.removesuffix("_passes").removesuffix("_graph"),
        name=own or phase,
        order=order,
        depth=span.depth,
        seconds=span.seconds,
        nodes_before=None,
        nodes_after=None,
        edges_before=None,
        edges_after=None,
        delta=None,
        changed=False,
        custom=False,
    )
