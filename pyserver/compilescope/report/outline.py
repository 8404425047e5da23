"""A run without its times: text that is the same for two runs that compile the same, so that they can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.counted import counted
from compilescope.report.counts import counts
from compilescope.report.functions import CompiledFunction, compiled_functions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Compile, Finding, Pass, Result

Sizes = tuple[int, int]
_COUNTS = ("limit_hits", "failures", "fallback_ops", "total_ops")


def outline(result: Result, captured: Mapping[str, Sizes] | None = None) -> str:
    """Return the run's totals, findings and compiles with their changed passes and kernels, one thing a line.

    `captured`: nodes and edges by compile, for those that do not say. What is not known is left out.
    """
    run = result.run
    known = [f"{name} {value}" for name, value in (("torch", run.torch), ("depth", run.depth)) if value]
    lines = [*known, *_totals(result), ""]
    for function in compiled_functions(result):
        lines += [*_function(function, result, captured or {}), ""]
    elsewhere = [one for one in result.findings if not one.compile_ids]
    if elsewhere:
        lines += ["elsewhere", *(f"  {_finding(one)}" for one in elsewhere), ""]
    return "\n".join(lines)


def _totals(result: Result) -> list[str]:
    found = counts(result)
    own = [f"graphs {found.graphs}", f"graph breaks {found.breaks}", f"recompiles {found.recompiles}"]
    known = [(name, result.metrics.get(name)) for name in _COUNTS]
    return own + [f"{name.replace('_', ' ')} {value:g}" for name, value in known if value is not None]


def _function(function: CompiledFunction, result: Result, captured: Mapping[str, Sizes]) -> list[str]:
    lines = [f"{function.name}{' (a frame of it runs in eager)' if function.skipped else ''}"]
    lines += [f"  {_finding(one)}" for one in sorted(function.findings, key=lambda one: (one.rule, one.title))]
    for compile_ in function.compiles:
        lines += [f"  {line}" for line in _compile(compile_, result, captured)]
    return lines


def _finding(finding: Finding) -> str:
    return f"{finding.rule}: {finding.title}{f' ({finding.count} times)' if finding.count > 1 else ''}"


def _compile(compile_: Compile, result: Result, captured: Mapping[str, Sizes]) -> list[str]:
    graph = compile_.graph
    drawn = captured.get(compile_.id, (0, 0))
    nodes, edges = graph.get("nodes") or drawn[0], graph.get("edges") or drawn[1]
    sizes = [
        counted(nodes, "node") if nodes else "",
        counted(edges, "edge") if edges else "",
        "" if compile_.guards is None else counted(compile_.guards, "guard"),
    ]
    size = ", ".join(filter(None, sizes))
    lines = [f"{compile_.id} {compile_.status}{f': {size}' if size else ''}"]
    own = [one for one in result.passes if one.compile_id == compile_.id and one.kind == "pass"]
    lines += [f"  {one.phase}: {one.name}{_change(one)}" for one in own if one.changed or one.custom]
    lines += [f"  kernel {one.name} ({one.language})" for one in result.kernels if one.compile_id == compile_.id]
    return lines


def _change(step: Pass) -> str:
    if not step.changed:
        return ", no change"
    if step.nodes_before is None or step.nodes_after is None:
        return ""
    return f", {step.nodes_before} → {counted(step.nodes_after, 'node')}"
