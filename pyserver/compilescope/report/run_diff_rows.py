"""What differs between two runs, as sections of plain lines that the text and the Markdown report both show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis.rounding import rounded_pair
from compilescope.report.ending import seconds

if TYPE_CHECKING:
    from compilescope.analysis.model import Finding
    from compilescope.analysis.run_diff_model import (
        FindingChange,
        FunctionChange,
        KernelChange,
        PassChange,
        RunDiff,
        State,
        TimeChange,
    )

HEADS: dict[State, str] = {
    "new": "New",
    "fixed": "Fixed",
    "unreached": "Not reached",
    "changed": "Changed",
    "moved": "Moved",
    "same": "As before",
}
_PASS = {
    "new": "ran in the later run only",
    "gone": "ran in the earlier run only",
    "takes-effect": "changes the graph now",
    "inert": "no longer changes the graph",
    "changed": "changes the graph otherwise",
}
_KERNEL = {"new": "new", "gone": "gone", "changed": "other code"}
_VERDICT = {
    "slower": "slower",
    "faster": "faster",
    "within-noise": "within noise",
    "undecided": "no verdict",
}
_STAGE = {"dynamo": "captured", "post_grad": "after passes"}
_METRIC = {"op_coverage": "share of operations compiled"}


@dataclass(frozen=True)
class Place:
    """A line of a file, from 1, and what is said of it."""

    file: str | None
    line: int
    text: str


def summary(diff: RunDiff) -> str:
    """`2 fixed, 1 new, 3 moved, 4 as before; 1 function changed`."""
    states = [one.state for one in diff.findings]
    parts = [f"{count} {HEADS[state].lower()}" for state in HEADS if (count := states.count(state))]
    functions = sum(one.changed for one in diff.functions)
    what = (
        f"{functions} {'function' if functions == 1 else 'functions'} changed" if functions else "no function changed"
    )
    return f"{', '.join(parts) or 'no findings'}; {what}"


def finding(change: FindingChange) -> Place:
    """Where it is now, or was, and what became of it."""
    shown = change.after or change.before
    assert shown is not None
    text = f"{shown.rule}: {' '.join(shown.title.split())}"
    if change.before is not None and change.after is not None and _line(change.before) != _line(change.after):
        text += f" (line {_line(change.before)} before)"
    return Place(shown.file, _line(shown), text + (f" [{change.note}]" if change.note else ""))


def _line(one: Finding) -> int:
    return one.range.start.line + 1


def function(change: FunctionChange) -> list[str]:
    """What changed in a function, a line each; its time comes with `time`."""
    if change.state != "both":
        return [f"compiled in the {'earlier' if change.state == 'before' else 'later'} run only"]
    lines = []
    pairs = (("graphs", change.graphs), ("recompiles", change.recompiles))
    lines += [f"{name}: {old} → {new}" for name, (old, new) in pairs if old != new]
    if change.nodes[0] != change.nodes[1]:
        lines.append(f"nodes of its graphs: {_numbers(change.nodes[0])} → {_numbers(change.nodes[1])}")
    for stage, label in _STAGE.items():
        here = [one for one in change.operators if one.stage == stage]
        if here:
            lines.append(f"operators, {label}: {', '.join(f'{one.name} {one.before} → {one.after}' for one in here)}")
    lines += [_pass(one) for one in change.passes]
    return lines + [_kernel(one) for one in change.kernels or ()]


def _numbers(values: list[int]) -> str:
    return ", ".join(map(str, values)) or "none"


def _pass(one: PassChange) -> str:
    delta = f" (Δ {_known(one.before)} → {_known(one.after)})"
    if one.before == one.after:
        delta = ""
    elif one.state in {"new", "gone"}:
        own = one.after if one.state == "new" else one.before
        delta = f" (Δ {own})" if own else ""
    return f"pass {one.phase}: {one.name} {_PASS[one.state]}{delta}"


def _kernel(one: KernelChange) -> str:
    calls = "" if one.before == one.after else f" ({one.before} → {one.after})"
    return f"kernel {one.name}: {_KERNEL[one.state]}{calls}"


def time(one: TimeChange) -> str:
    """`2.10 s → 1.40 s: faster (p = 0.029, 4 and 4 runs)`."""
    return f"{_times(one.before)} → {_times(one.after)}: {_VERDICT[one.verdict]} ({one.note})"


def _times(values: list[float]) -> str:
    ordered = sorted(values)
    if len(ordered) == 1:
        return seconds(ordered[0])
    return f"{seconds(ordered[0])} to {seconds(ordered[-1])}"


def metrics(diff: RunDiff) -> list[str]:
    """Totals that differ, a line each."""
    return [
        f"{_METRIC.get(one.name, one.name.replace('_', ' '))}: {' → '.join(_pair(one.before, one.after))}"
        for one in diff.metrics
    ]


def _pair(old: float | None, new: float | None) -> tuple[str, str]:
    return rounded_pair(_known(old), _known(new))


def _known(value: float | None) -> str:
    return "unknown" if value is None else str(value)


def total(one: TimeChange) -> str:
    """What a total is called."""
    names = {"wall_s": "whole run", "capture_s": "capture", "compile_s": "compile", "guard_s": "guards"}
    return names.get(one.name, "execution")
