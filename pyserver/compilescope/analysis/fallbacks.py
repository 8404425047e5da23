"""`fallback-op`: operators without a lowering, which run through the kernel that eager uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import ours
from compilescope.analysis.context import add_once
from compilescope.analysis.data import load
from compilescope.analysis.model import Finding
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.recording.reader import Recording

_OVERLOAD = re.compile(r"^(?:torch\.ops\.)?(\w+\.\w+)")


class Fallback(NamedTuple):
    """A kernel for want of a lowering, and the frames of its nodes."""

    kernel: Kernel
    frames: tuple[Frame, ...]


def findings(recording: Recording, context: Context, graphs: Graphs, fallbacks: Iterable[Fallback]) -> list[Finding]:
    """Return one finding for each operator on each line, those left out that Inductor normally leaves to a library."""
    found: dict[tuple[str, int, str], Finding] = {}
    types = _Types(recording, context, graphs)
    for kernel, frames in fallbacks:
        operator = kernel.operator or kernel.name
        place = next((frame for frame in frames if context.rules.in_user_code(frame.file)), None)
        place = place or (frames[0] if frames else None)
        if place is None:
            continue
        key = (place.file, place.line, operator)
        if key in found:
            found[key].count += 1
            add_once(found[key].compile_ids, [kernel.compile_id])
            continue
        kind = kind_of(operator, is_complex=types.complex(kernel))
        if not kind.get("silent"):
            found[key] = _finding(context, kernel, operator, place, kind)
    return list(found.values())


def is_preferred(kernel: Kernel) -> bool:
    """Whether a kernel for want of a lowering is what Inductor normally uses (attention, convolutions, sorting)."""
    return kernel.kind == "fallback" and kind_of(kernel.operator or kernel.name, is_complex=False).get("silent", False)


def kind_of(operator: str, *, is_complex: bool) -> dict[str, Any]:
    """Return the kind of an operator, as `data/fallbacks.json` has it."""
    match = _OVERLOAD.match(operator)
    name = match[1] if match else operator
    return next(
        dict(one)
        for one in load("fallbacks")["kinds"]
        if re.fullmatch(one["operators"], name, re.DOTALL) and (is_complex or not one.get("complex"))
    )


def _finding(context: Context, kernel: Kernel, operator: str, place: Frame, kind: dict[str, Any]) -> Finding:
    return Finding(
        rule="fallback-op",
        severity="hint",
        file=place.file,
        range=context.ranges.of(place),
        title=kind["title"].replace("{operator}", operator),
        explanation=kind["explanation"],
        reason=f"FallbackKernel: {operator}",
        class_="backend-operator",
        stage="compile",
        code="fallback-op",
        href=None,
        compile_ids=[kernel.compile_id],
        frames=context.rules.shown((place,), context.ranges),
        hints=list(kind["hints"]),
        detail={"label": "not fused with its neighbours", "operator": operator, "kernel": kernel.name},
    )


class _Types:
    """The types of what fallbacks take and give, by the graphs after the last pass; read when first asked for."""

    def __init__(self, recording: Recording, context: Context, graphs: Graphs) -> None:
        self._recording, self._context, self._graphs = recording, context, graphs
        self._snapshots: dict[tuple[str, str], str] | None = None
        self._complex: dict[str, set[str]] = {}

    def complex(self, kernel: Kernel) -> bool:
        """Whether one of the nodes of a kernel takes or gives complex numbers."""
        if self._snapshots is None:
            self._snapshots = dict(self._last())
        snapshot = self._snapshots.get((kernel.compile_id, kernel.graph))
        if snapshot is None:
            return False
        if snapshot not in self._complex:
            nodes = self._graphs.nodes(snapshot) or []
            own = {number for number, node in enumerate(nodes) if node.dtype.startswith("complex")}
            self._complex[snapshot] = {
                node.name for number, node in enumerate(nodes) if number in own or own.intersection(node.inputs)
            }
        return not self._complex[snapshot].isdisjoint(kernel.nodes[:1])

    def _last(self) -> Iterable[tuple[tuple[str, str], str]]:
        for event in self._recording.events("compilescope_stage"):
            data = ours.mapping(self._recording.json(event))
            graph, snapshot = ours.text(data.get("graph")) or "", ours.text(data.get("snapshot"))
            if (data.get("stage"), data.get("position")) == ("post_grad", "after") and snapshot:
                yield (compile_of(self._context, event, graph), graph), snapshot
