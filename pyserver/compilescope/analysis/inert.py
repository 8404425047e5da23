"""`pass-inert`: custom passes that never ran, or that ran and changed nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis.context import add_once
from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Finding
from compilescope.analysis.sought import sought
from compilescope.analysis.syntax import definition, function_at
from compilescope.analysis.why_inert import Sought, look_for, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.model import Pass, UnrunPass

# Why a pass did not run that says nothing about the pass: the run or the compile did not get that far.
_NOT_ITS_FAULT = {"capture", "failed"}
_HINTS = {
    "backend": "Inductor runs passes, the default backend. Another backend has to call them itself.",
    "cache": "The code in the cache was made with the passes of that time. `trace` without `--keep-caches` runs them.",
    "inference": "Call it with an input that requires a gradient, or register it in a slot that every graph passes.",
    "no-compile": "Register it before the first call of what is compiled.",
}
_ATEN = (
    "At this point the graph has ATen operators, after decomposition: compare `node.target` with what is listed here,"
    " `torch.ops.aten.….default`, not with the functions that the program calls."
)
_MOST_OPERATORS = 6
_CONNECTED = ("call_function", "call_method", "call_module")


class Own(NamedTuple):
    """A pass of the program's: by function, slot and place, so that one in two slots is two."""

    function: str
    slot: str | None
    file: str
    line: int


def findings(context: Context, graphs: Graphs, passes: Iterable[Pass], unrun: Iterable[UnrunPass]) -> list[Finding]:
    """Return one finding for each custom pass in the user's files that no graph is different for."""
    every = list(passes)
    ran: dict[Own, list[Pass]] = {}
    left_out: dict[Own, list[UnrunPass]] = {}
    for step in every:
        if step.custom and step.file and step.line:
            ran.setdefault(Own(step.function or step.name, step.slot, step.file, step.line), []).append(step)
    for one in unrun:
        if one.file and one.line and one.cause not in _NOT_ITS_FAULT:
            left_out.setdefault(Own(one.function, one.slot, one.file, one.line), []).append(one)
    found = []
    for own in dict.fromkeys([*ran, *left_out]):
        steps = ran.get(own, [])
        if context.rules.in_user_code(own.file) and not any(one.changed or one.error for one in steps):
            sought_for = look_for(graphs, every, steps[0], _sought(context, own)) if steps else []
            found.append(
                _ran(context, graphs, own, steps, sought_for) if steps else _never(context, own, left_out[own])
            )
    return found


def _sought(context: Context, own: Own) -> list[str]:
    source = context.sources.get(own.file)
    functions = (function_at(source, own.line, name) for name in (_name(own), "__call__", "<lambda>"))
    return sought(source, next((one for one in functions if one is not None), None))


def _ran(context: Context, graphs: Graphs, own: Own, steps: list[Pass], sought_for: list[Sought]) -> Finding:
    first = steps[0]
    times = "once" if len(steps) == 1 else f"{len(steps)} times"
    operators = _operators(graphs, steps)
    shown = ", ".join(f"`{one}`" for one in operators[:_MOST_OPERATORS])
    more = " and more" if len(operators) > _MOST_OPERATORS else ""
    saw = f" It saw: {shown}{more}." if shown else ""
    return _finding(
        context,
        own,
        title=f"the custom pass `{_name(own)}` ran {times} and changed nothing",
        explanation=f"Every graph that it was given came out as it went in. {sentences(sought_for)}".strip() + saw,
        reason=f"unchanged: {own.slot or first.phase} {own.function}",
        ids=[one.compile_id for one in steps],
        hints=[_ATEN] if any(one.startswith("aten.") for one in operators) else [],
        label="never changed a graph",
        more={
            "ran": len(steps),
            "order": first.order,
            "phase": first.phase,
            "sought": [_told(one) for one in sought_for],
            "graphs": [
                {"compile_id": one.compile_id, "graph": one.graph, "order": one.order, "nodes": one.nodes_before}
                for one in steps
            ],
        },
    )


def _told(one: Sought) -> dict[str, Any]:
    steps = {"until": one.until, "since": one.since}
    return {
        "operator": one.operator,
        "here": one.here,
        **{key: None if step is None else {"order": step.order, "name": step.name} for key, step in steps.items()},
        "instead": None if one.instead is None else one.instead[0],
    }


def _never(context: Context, own: Own, unrun: list[UnrunPass]) -> Finding:
    reasons = list(dict.fromkeys(one.reason for one in unrun))
    causes = dict.fromkeys(one.cause for one in unrun if one.cause)
    return _finding(
        context,
        own,
        title=f"the custom pass `{_name(own)}` never ran",
        explanation=f"It is registered as `{own.slot}`. {' '.join(reasons)}",
        reason=" ".join(reasons),
        ids=[one.compile_id for one in unrun if one.compile_id],
        hints=[_HINTS[cause] for cause in causes if cause in _HINTS],
        label="never ran",
        more={
            "ran": 0,
            "unrun": [{"compile_id": one.compile_id, "cause": one.cause, "reason": one.reason} for one in unrun],
        },
    )


def _finding(
    context: Context,
    own: Own,
    *,
    title: str,
    explanation: str,
    reason: str,
    ids: list[str],
    hints: list[str],
    label: str,
    more: dict[str, Any],
) -> Finding:
    place = _place(context, own)
    compile_ids: list[str] = []
    add_once(compile_ids, ids)
    return Finding(
        rule="pass-inert",
        severity="information",
        file=place.file,
        range=context.ranges.of(place),
        title=title,
        explanation=explanation,
        reason=reason,
        class_="configuration",
        stage="compile",
        code="pass-inert",
        href=None,
        compile_ids=compile_ids,
        count=max(len(compile_ids), 1),
        frames=context.rules.shown((place,), context.ranges),
        hints=hints,
        detail={"label": label, "pass": _name(own), "slot": own.slot, **more},
    )


def _place(context: Context, own: Own) -> Frame:
    """Return the name in the pass's `def` line; for an object that of its `__call__`."""
    source = context.sources.get(own.file)
    for name in (_name(own), "__call__", "<lambda>"):
        function = function_at(source, own.line, name)
        if function is not None and source is not None:
            return definition(function, source, own.file)
    return Frame(own.file, own.line, _name(own))


def _operators(graphs: Graphs, steps: list[Pass]) -> list[str]:
    """Return the operators of the graphs that a pass was given, in order of their first use."""
    found: dict[str, None] = {}
    for snapshot in dict.fromkeys(one.before for one in steps if one.before):
        found.update(dict.fromkeys(one.target for one in graphs.nodes(snapshot) or () if one.op in _CONNECTED))
    return list(found)


def _name(own: Own) -> str:
    return own.function.rpartition(".")[2]
