"""A run without its times: text that is the same for two runs that compile the same, so that they can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.counts import counts
from compilescope.report.functions import CompiledFunction, compiled_functions

if TYPE_CHECKING:
    from compilescope.analysis.model import Compile, Finding, Result

_COUNTS = ("limit_hits", "failures", "fallback_ops", "total_ops")


def outline(result: Result) -> str:
    """Return the run's totals, findings and compiles with their changed passes and kernels, one thing a line."""
    run = result.run
    lines = [f"torch {run.torch or 'unknown'}", f"depth {run.depth or 'unknown'}", *_totals(result), ""]
    for function in compiled_functions(result):
        lines += [*_function(function, result), ""]
    elsewhere = [one for one in result.findings if not one.compile_ids]
    if elsewhere:
        lines += ["elsewhere", *(f"  {_finding(one)}" for one in elsewhere), ""]
    return "\n".join(lines)


def _totals(result: Result) -> list[str]:
    found = counts(result)
    own = [f"graphs {found.graphs}", f"graph breaks {found.breaks}", f"recompiles {found.recompiles}"]
    return own + [f"{name.replace('_', ' ')} {result.metrics.get(name)}" for name in _COUNTS]


def _function(function: CompiledFunction, result: Result) -> list[str]:
    lines = [f"{function.name}{' (a frame of it runs in eager)' if function.skipped else ''}"]
    lines += [f"  {_finding(one)}" for one in sorted(function.findings, key=lambda one: (one.rule, one.title))]
    for compile_ in function.compiles:
        lines += [f"  {line}" for line in _compile(compile_, result)]
    return lines


def _finding(finding: Finding) -> str:
    return f"{finding.rule}: {finding.title}{f' ({finding.count} times)' if finding.count > 1 else ''}"


def _compile(compile_: Compile, result: Result) -> list[str]:
    graph = compile_.graph
    guards = "" if compile_.guards is None else f", {compile_.guards} guards"
    nodes, edges = graph.get("nodes", 0), graph.get("edges", 0)
    lines = [f"{compile_.id} {compile_.status}: {nodes} nodes, {edges} edges{guards}"]
    for one in result.passes:
        if one.compile_id == compile_.id and one.kind == "pass" and (one.changed or one.custom):
            sizes = f"{one.nodes_before} → {one.nodes_after} nodes" if one.changed else "no change"
            lines.append(f"  {one.phase}: {one.name}, {sizes}")
    lines += [f"  kernel {one.name} ({one.language})" for one in result.kernels if one.compile_id == compile_.id]
    return lines
