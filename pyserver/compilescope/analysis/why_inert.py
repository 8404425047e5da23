"""Why a custom pass found nothing: what of the operators that it looks for its graph has, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.model import Pass

_MOST = 4


@dataclass(frozen=True)
class Sought:
    """An operator that a pass looks for. `here`: how many nodes of its graph are one.

    `until`: the step that took the last one away before; `since`: the step that brought the first one after it;
    `instead`: the operator of the same name that another graph of the compile has, and the phase of that graph.
    """

    operator: str
    here: int
    until: Pass | None = None
    since: Pass | None = None
    instead: tuple[str, str] | None = None


def look_for(graphs: Graphs, passes: Iterable[Pass], step: Pass, operators: Sequence[str]) -> list[Sought]:
    """Return for each operator where in the compile of `step` it was, as far as snapshots were recorded."""
    steps = sorted((one for one in passes if one.compile_id == step.compile_id), key=lambda one: one.order)
    targets = {
        one: _targets(graphs, one) for one in {step.before, *(p.before for p in steps), *(p.after for p in steps)}
    }
    return [_look(targets, steps, step, one) for one in operators[:_MOST]]


def sentences(found: Sequence[Sought]) -> str:
    """Return what was found, one sentence an operator; empty when there is nothing to say."""
    return " ".join(map(_sentence, found))


def _sentence(one: Sought) -> str:
    name = f"`{one.operator}`"
    if one.here:
        nodes = "node of its graph is" if one.here == 1 else "nodes of its graph are"
        return f"It looks for {name}: {one.here} {nodes} one, and it left {'it' if one.here == 1 else 'them'} as found."
    if one.until is not None:
        return f"It looks for {name}: the last one was taken away before, by {_step(one.until)}."
    if one.since is not None:
        return f"It looks for {name}: the first one comes later, with {_step(one.since)}."
    nowhere = f"It looks for {name}, which no graph of this compile has"
    if one.instead is None:
        return f"{nowhere}."
    target, phase = one.instead
    return f"{nowhere}; the {phase} graph has `{target}`."


_PHASES = {"aot_trace": "AOTAutograd's trace", "partition": "the split into forward and backward"}


def _step(step: Pass) -> str:
    name = _PHASES.get(step.name)
    return (
        f"{name} (step {step.order})" if name else f"`{step.name}` ({step.phase.replace('_', '-')}, step {step.order})"
    )


def _look(targets: dict[str | None, list[str]], steps: list[Pass], step: Pass, operator: str) -> Sought:
    def has(snapshot: str | None) -> bool:
        return any(_is(one, operator) for one in targets[snapshot])

    here = sum(_is(one, operator) for one in targets[step.before])
    if here:
        return Sought(operator, here)
    until = next((one for one in reversed(steps) if one.order < step.order and has(one.before)), None)
    since = next((one for one in steps if one.order > step.order and has(one.after)), None)
    if until or since:
        return Sought(operator, 0, until, since)
    name = _base(operator)
    for one in steps:
        for target in targets[one.before]:
            if _base(target) == name:
                return Sought(operator, 0, instead=(target, one.phase.replace("_", "-")))
    return Sought(operator, 0)


def _targets(graphs: Graphs, snapshot: str | None) -> list[str]:
    return (
        [] if snapshot is None else [one.target for one in graphs.nodes(snapshot) or () if one.op.startswith("call_")]
    )


def _is(target: str, operator: str) -> bool:
    """Whether a node's target is this operator, or for one without an overload any of its overloads."""
    if target == operator or target.startswith(f"{operator}."):
        return True
    return operator.startswith("torch.") and target.startswith("torch.") and _last(target) == _last(operator)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _base(name: str) -> str:
    """The bare name: `layer_norm` of `aten.native_layer_norm.default` and of `torch.nn.functional.layer_norm`."""
    parts = name.split(".")
    bare = parts[1] if parts[0] not in {"torch", "_operator"} and len(parts) > 1 else parts[-1]
    return bare.removeprefix("native_").removeprefix("_")
