"""What tracing cost, and where the program's own time went, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compilescope.report.counted import counted
from compilescope.report.ending import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.analysis.model import Compile, Result
    from compilescope.analysis.profile_model import Profile

_LEAST = 0.001
_WORTH = 0.05
_COVERED = 0.9
_PARTS = {
    "capture": "capture",
    "guards": "guards",
    "aot": "AOTAutograd",
    "passes": "passes",
    "lowering": "lowering",
    "scheduling": "scheduling",
    "kernel_code": "kernel code",
    "kernel_compile": "C++ or Triton compiler",
}
_PASSES = ("pre_grad", "joint", "post_grad")
_SHOWN = 6


def tracing_cost(result: Result) -> str:
    """`tracing cost 0.8 %` (of the program's time without it); empty where the recording does not say."""
    share = result.metrics.get("tracing_overhead")
    if share is None:
        return ""
    return f"tracing cost {f'{share:.1%}'.replace('%', ' %') if share >= _LEAST else 'less than 0.1 %'}"


def low_coverage(result: Result) -> str:
    """Advice when less than nine of ten operations became generated code or a library call that Inductor prefers."""
    coverage, total = result.metrics.get("op_coverage"), result.metrics.get("total_ops")
    if coverage is None or not total or coverage >= _COVERED:
        return ""
    found = (one.detail for one in result.findings if one.rule == "fallback-op")
    own = Counter(str(name) for one in found for name in one.get("operators") or [one.get("operator")])
    named = [name for name, _ in own.most_common(_SHOWN)]
    most = f": {', '.join(named)}" if named else ""
    return (
        f"op coverage is {coverage:.0%}, below {_COVERED:.0%}: {result.metrics['fallback_ops']} of {total} operations"
        f" run through kernels of their own{most}. Each one cuts what could be fused in two; start with those"
        " between cheap operations"
    )


def compile_parts(compiles: Iterable[Compile]) -> str:
    """Where the time of these compiles went, backward graphs included: each part that took a twentieth or more.

    `capture 0.45 s, passes 0.83 s, kernel code 1.20 s`; empty where torch's own timing of the parts is not recorded.
    """
    spent = dict.fromkeys(_PARTS, 0.0)
    total = 0.0
    for one in compiles:
        total += one.seconds.get("total", 0.0)
        for prefix in ("", "backward_"):
            spent["passes"] += sum(one.seconds.get(prefix + name, 0.0) for name in _PASSES)
            for name in _PARTS:
                spent[name] += one.seconds.get(prefix + name, 0.0)
    if not spent["lowering"]:
        return ""
    return ", ".join(f"{_PARTS[name]} {seconds(value)}" for name, value in spent.items() if value > _WORTH * total)


def dearest_lines(result: Result, path: Callable[[str], str]) -> str:
    """`train.py:12 1.20 s, :31 0.85 s; net.py:4 0.80 s`: the lines that took a twentieth of all compiling or more."""
    total = sum(line.seconds.get("total", 0.0) for line in result.lines)
    dear = [line for line in result.lines if line.seconds.get("total", 0.0) > _WORTH * total][:_SHOWN]
    files: dict[str, list[str]] = {}
    for line in dear:
        files.setdefault(path(line.file), []).append(f":{line.line} {seconds(line.seconds['total'])}")
    return "; ".join(f"{file}{', '.join(said)}" for file, said in files.items())


def profile(found: Profile | None) -> list[str]:
    """What ran in eager and what in compiled graphs, one thing a line; nothing for a run without `--profile`."""
    if found is None:
        return []
    compiled = found.compiled_operations
    ran = "" if compiled is None else f", {counted(compiled, 'operation')} in compiled graphs"
    share = "" if found.graph_share is None else f" ({found.graph_share:.0%} of the time)".replace("%", " %")
    guards = f"{counted(found.lookups, 'look-up')} of guards, {found.guard_s * 1000:.2f} ms"
    said = [f"profile: {counted(found.eager_operations, 'operator')} in eager{ran}{share}; {guards}"]
    if found.eager:
        most = ", ".join(f"{one.operator} {one.calls}" for one in found.eager[:_SHOWN])
        said.append(f"profile: most time in eager: {most}")
    if found.ended:
        said.append(f"profile: {found.ended}")
    return said
