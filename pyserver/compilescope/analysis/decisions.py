"""What Inductor decided about generated code: measured choices, fusions, CUDA graphs, and its hints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import ours, torch_text
from compilescope.analysis.kernel_model import CudaGraph, FusionDecision, Hint, KernelPart
from compilescope.analysis.model import Place
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.recording.reader import Event, Recording


_FIGURES = ("registers", "spills", "shared", "num_warps", "num_stages")
_FOUND_FROM = re.compile(r"\.? *Found from|\n")
"""What torch puts between a reason and the lines of the program that it is about."""
_AGAIN = re.compile(r"^(?:(?:skipping|disabling) cudagraphs due to )+")
"""What torch puts before a reason, once or several times."""


class Decisions(NamedTuple):
    """Everything of a recording."""

    fusion: list[FusionDecision]
    cudagraphs: list[CudaGraph]
    hints: list[Hint]


def table(recording: Recording, context: Context, kernels: Iterable[Kernel]) -> Decisions:
    """Return the decisions, and note on each of `kernels` what was measured for it."""
    found = Decisions([], [], [])
    for event, graph, data in _events(recording, "compilescope_fusion"):
        found.fusion.extend(_fusions(context, compile_of(context, event, graph), graph, data))
    for event, graph, data in _events(recording, "compilescope_cudagraph"):
        found.cudagraphs.append(_cudagraph(context, compile_of(context, event, graph), graph or None, data))
    found.cudagraphs.extend(_left_out(context, {one.compile_id for one in found.cudagraphs}))
    for event, graph, data in _events(recording, "compilescope_hint"):
        found.hints.append(
            Hint(
                compile_of(context, event, graph),
                graph or None,
                ours.text(data.get("text")) or "",
                ours.text(data.get("node")),
                _place(context, data.get("frame")),
            )
        )
    _measured(recording, context, list(kernels))
    return found


def _events(recording: Recording, name: str) -> Iterable[tuple[Event, str, dict[str, Any]]]:
    for event in recording.events(name):
        data = ours.mapping(recording.json(event))
        yield event, ours.text(data.get("graph")) or "", data


def _place(context: Context, value: Any) -> Place | None:
    frame = ours.frame(value)
    return None if frame is None else Place(frame.file, context.ranges.of(frame))


def _fusions(context: Context, compile_id: str, graph: str, data: dict[str, Any]) -> list[FusionDecision]:
    known: dict[str, KernelPart] = {}
    for name, value in ours.mapping(data.get("nodes")).items():
        one = ours.mapping(value)
        place = _place(context, one.get("frame"))
        known[name] = KernelPart(list(ours.strings(one.get("nodes"))), [] if place is None else [place])
    return [
        FusionDecision(
            compile_id,
            graph,
            _together(known, one.get("first")),
            _together(known, one.get("second")),
            one.get("fused") is True,
            ours.text(one.get("reason")),
            ours.integer(one.get("times")) or 1,
        )
        for one in map(ours.mapping, ours.items(data.get("decisions")))
    ]


def _together(known: dict[str, KernelPart], names: Any) -> KernelPart:
    parts = [known[name] for name in ours.strings(names) if name in known]
    nodes = dict.fromkeys(node for part in parts for node in part.nodes)
    places = dict.fromkeys(place for part in parts for place in part.places)
    return KernelPart(list(nodes), list(places))


def _cudagraph(context: Context, compile_id: str, graph: str | None, data: dict[str, Any]) -> CudaGraph:
    counts = (ours.integer(data.get(key)) for key in ("recordings", "graphs", "pieces"))
    text = ours.text(data.get("reason"))
    frame = context.rules.place(torch_text.frames(text or ""))
    return CudaGraph(
        compile_id,
        graph,
        ours.text(data.get("what")) or "?",
        None if text is None else _FOUND_FROM.split(text, maxsplit=1)[0].strip(),
        next((count for count in counts if count is not None), None),
        list(ours.strings(data.get("sizes"))),
        None if frame is None else Place(frame.file, context.ranges.of(frame)),
    )


def _left_out(context: Context, known: set[str]) -> Iterable[CudaGraph]:
    """Return the CUDA graphs that torch left out, by its metrics (2.6 to 2.14), of compiles that nothing else tells."""
    for one in context.compiles:
        name = context.name(one.where)
        for metrics in (one.metrics, one.backward):
            reason = ours.text((metrics or {}).get("cudagraph_skip_reason"))
            if reason and name not in known:
                yield _cudagraph(context, name, None, {"what": "skip", "reason": _AGAIN.sub("", reason)})


def _measured(recording: Recording, context: Context, kernels: list[Kernel]) -> None:
    """Note choices on their kernels: by the node that they were for, or, when they ran later, by the kernel's name."""
    by_node: dict[tuple[str, str, str], list[Kernel]] = {}
    by_name: dict[tuple[str, str, bool], list[Kernel]] = {}
    for event, graph, data in _events(recording, "compilescope_autotune"):
        if not by_name:
            for one in kernels:
                by_name.setdefault((one.compile_id, one.name, _is_backward(one.graph)), []).append(one)
                for name in one.nodes:
                    by_node.setdefault((one.compile_id, one.graph, name), []).append(one)
        compile_id = compile_of(context, event, graph)
        kernel, node = ours.text(data.get("kernel")), ours.text(data.get("node"))
        if kernel is not None:
            found = by_name.get((compile_id, kernel, _is_backward(graph)), [])
        else:
            every = by_node.get((compile_id, graph, node or ""), [])
            found = [one for one in every if one.kind in ("template", "extern", "fallback")] or every
        for one in found:
            one.autotune = _later(one.autotune, _choices(data))


def _is_backward(graph: str) -> bool:
    return graph.rpartition("/")[2].startswith("backward")


def _later(known: dict[str, Any] | None, choices: dict[str, Any]) -> dict[str, Any]:
    """Return all that was measured for a kernel: a descent begins where the measured choice was."""
    if known is None or not choices["descent"]:
        return choices
    names = {one["name"] for one in known["choices"]}
    more = [one for one in choices["choices"] if one["name"] not in names]
    return {**choices, "choices": [*known["choices"], *more]}


def _choices(data: dict[str, Any]) -> dict[str, Any]:
    choices = [
        {
            "name": ours.text(one.get("name")) or "?",
            "kind": ours.text(one.get("kind")) or "?",
            "ms": ours.duration(one.get("ms")),
            "detail": ours.text(one.get("detail")) or "",
            **{key: ours.integer(one[key]) for key in _FIGURES if key in one},
        }
        for one in map(ours.mapping, ours.items(data.get("choices")))
    ]
    return {
        "name": ours.text(data.get("name")) or "?",
        "winner": ours.text(data.get("winner")),
        "descent": data.get("descent") is True,
        "choices": choices,
    }
