"""`fallback-op`: operators without a lowering, which run through the kernel that eager uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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

_SHOWN = 4
_OVERLOAD = re.compile(r"^(?:torch\.ops\.)?(\w+\.\w+)")


class Fallback(NamedTuple):
    """A kernel for want of a lowering, and the frames of its nodes.

    `is_complex`: whether it is on complex numbers; None where the recorded graphs say it.
    """

    kernel: Kernel
    frames: tuple[Frame, ...]
    is_complex: bool | None = None


@dataclass
class _Group:
    """The kernels of one operator on one line; of a kind that is told by the line, those of all its operators."""

    kind: dict[str, Any]
    place: Frame
    kernels: list[Kernel] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: dict[str, Any]) -> None:
        """Take another kernel's kind: the one that stands first in the data gives the words."""
        order = load("fallbacks")["kinds"]
        known = sorted([self.kind, *self.others, kind], key=order.index)
        self.kind, self.others = known[0], [one for one in known[1:] if one != known[0]]

    @property
    def hints(self) -> list[str]:
        """The hints of the first kind, then the first of another one that has more to do than to move numbers."""
        moves = next((one["moves"] for one in self.others if "moves" in one), None)
        busy = [one for one in self.operators if kind_of(one, is_complex=True) != self.kind]
        busy = [one for one in busy if moves is None or not re.fullmatch(moves, _name(one))]
        return [*self.kind["hints"], *(one["hints"][0] for one in self.others[:1] if busy)]

    @property
    def operators(self) -> list[str]:
        return list(dict.fromkeys(_operator(kernel) for kernel in self.kernels))


def findings(recording: Recording, context: Context, graphs: Graphs, fallbacks: Iterable[Fallback]) -> list[Finding]:
    """Return one finding for each operator on each line, those left out that Inductor normally leaves to a library.

    Operators on complex numbers are one finding for each line: one change of the program is the remedy for all. With a
    Fourier transform among them it is about that.
    """
    groups: dict[tuple[str, int, str], _Group] = {}
    types = _Types(recording, context, graphs)
    for kernel, frames, is_complex in sorted(fallbacks, key=lambda one: _is_backward(one.kernel)):
        place = next((frame for frame in frames if context.rules.in_user_code(frame.file)), None)
        place = place or (frames[0] if frames else None)
        if place is None:
            continue
        operator = _operator(kernel)
        kind = kind_of(operator, is_complex=types.complex(kernel) if is_complex is None else is_complex)
        if not kind.get("silent"):
            key = (place.file, place.line, kind.get("line") or operator)
            group = groups.setdefault(key, _Group(kind, place))
            group.kernels.append(kernel)
            group.add(kind)
    return [_finding(context, group) for group in groups.values()]


def is_preferred(kernel: Kernel) -> bool:
    """Whether a kernel for want of a lowering is what Inductor normally uses (attention, convolutions, sorting)."""
    return kernel.kind == "fallback" and kind_of(_operator(kernel), is_complex=False).get("silent", False)


def kind_of(operator: str, *, is_complex: bool) -> dict[str, Any]:
    """Return the kind of an operator, as `data/fallbacks.json` has it."""
    name = _name(operator)
    return next(
        dict(one)
        for one in load("fallbacks")["kinds"]
        if re.fullmatch(one["operators"], name, re.DOTALL) and (is_complex or not one.get("complex"))
    )


def _name(operator: str) -> str:
    match = _OVERLOAD.match(operator)
    return match[1] if match else operator


def _finding(context: Context, group: _Group) -> Finding:
    kind, operators, first = group.kind, group.operators, group.kernels[0]
    ids: list[str] = []
    add_once(ids, (kernel.compile_id for kernel in group.kernels))
    title = kind["title"].replace("{operator}", operators[0])
    if len(operators) > 1:
        title = kind["many"].replace("{count}", str(len(operators))).replace("{operators}", _listed(operators))
    return Finding(
        rule="fallback-op",
        severity="hint",
        file=group.place.file,
        range=context.ranges.of(group.place),
        title=title,
        explanation=kind["explanation"],
        reason=f"FallbackKernel: {', '.join(operators)}",
        class_="backend-operator",
        stage="compile",
        code="fallback-op",
        href=None,
        compile_ids=ids,
        count=len(group.kernels),
        frames=context.rules.shown((group.place,), context.ranges),
        hints=group.hints,
        detail={
            "label": _label(group.kernels),
            "operator": operators[0],
            "operators": operators,
            "kernel": first.name,
        },
    )


def _label(kernels: list[Kernel]) -> str:
    """Return what follows from kernels of their own; also which of them are in the backward graph."""
    backward = sum(map(_is_backward, kernels))
    if backward == len(kernels):
        return "not fused with its neighbours in the backward graph"
    more = f"; {backward} of {len(kernels)} kernels in the backward graph" if backward else ""
    return f"not fused with its neighbours{more}"


def _listed(operators: list[str]) -> str:
    shown = [f"`{one}`" for one in operators[:_SHOWN]]
    left = len(operators) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def _operator(kernel: Kernel) -> str:
    return kernel.operator or kernel.name


def _is_backward(kernel: Kernel) -> bool:
    return kernel.graph.rpartition("/")[2].startswith("backward")


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
