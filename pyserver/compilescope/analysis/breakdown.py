"""The run's totals for each function and each file. docs/metrics.md says what each counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from compilescope.analysis import recompile_limits
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.parts import parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled, Frame
    from compilescope.analysis.operations import Counted
    from compilescope.analysis.profile_model import Profile

Key = tuple[str, str, int]


@dataclass
class Share:
    """What one compiled function, or (without `function` and `line`) one file, has of the run's totals.

    `line` counts from 1 and is the function's first, its decorators included.
    """

    file: str
    function: str | None
    line: int | None
    compile_ids: list[str] = field(default_factory=list)
    metrics: dict[str, float | int | None] = field(default_factory=dict)


class Breakdown:
    """The compiles of a recording by what they are of; a piece after a graph break is of its function."""

    def __init__(self, context: Context, counted: Counted, profile: Profile | None) -> None:
        self._context, self._counted = context, counted
        self._ran: dict[str, float] = {}
        for graph in profile.graphs if profile else ():
            compile_id = _compile_of(graph.graph)
            self._ran[compile_id] = self._ran.get(compile_id, 0.0) + graph.seconds
        self._eager = None if profile is None else sum(one.seconds for one in profile.eager)
        self._codes = _codes(context)
        self._starts: dict[tuple[str, str], list[int]] = {}
        for one in context.compiles:
            if one.code is not None and resumed_at(one.resume_name) is None:
                self._starts.setdefault((one.code.file, one.code.function), []).append(one.code.line)

    def by_function(self) -> list[Share]:
        """Return the share of each compiled function, in the order of their first compiles."""
        return [
            self._share(own, file, self._context.sources.qualified(file, line, function), line)
            for (file, function, line), own in self._groups(self._function).items()
        ]

    def by_file(self) -> list[Share]:
        """Return the share of each file with compiled functions."""
        return [self._share(own, file, None, None) for (file, _, _), own in self._groups(_file).items()]

    def _groups(self, key: Callable[[Frame], Key]) -> dict[Key, set[Compiled]]:
        found: dict[Key, set[Compiled]] = {}
        for where, code in self._codes.items():
            found.setdefault(key(code), set()).add(where)
        return found

    def _function(self, code: Frame) -> Key:
        """The function that a compile's code is, or is a piece of: the nearest that starts above."""
        lines = [line for line in self._starts.get((code.file, code.function), ()) if line <= code.line]
        return code.file, code.function, max(lines, default=code.line)

    def _share(self, own: set[Compiled], file: str, function: str | None, line: int | None) -> Share:
        context = self._context
        group = [one for one in context.compiles if one.where in own]
        ids = [context.name(one.where) for one in group]
        operations = self._counted.of(frozenset(ids))
        calls = Counter[int]()
        for one in group:
            calls[one.where.process] += sum(one.calls.values())
        ran = sum(self._ran.get(id_, 0.0) for id_ in ids)
        every = None if self._eager is None else self._eager + sum(self._ran.values())
        facts = context.facts
        return Share(
            file,
            function,
            line,
            ids,
            {
                "compiles": len(group),
                "graphs": _most(one.where for one in group if _has_graph(one)),
                "graph_breaks": _most(
                    one.where for one in facts.breaks if one.kind != "recompile-limit" and one.where in own
                ),
                "recompiles": _most(one.where for one in facts.recompiles if one.where in own),
                "limit_hits": _most(recompile_limits.hits(facts) & own),
                "failures": _most({one.where for one in facts.failures if not recompile_limits.went_on(one)} & own),
                "fallback_ops": operations.fallback,
                "compiled_ops": operations.compiled,
                "total_ops": operations.total,
                "op_coverage": operations.coverage,
                "graph_share": round(ran / every, 6) if every else None,
                "calls": max(calls.values(), default=0),
                **parts(group),
            },
        )


def _codes(context: Context) -> dict[Compiled, Frame]:
    """Return the code of each compile; of one that torch refused to begin, as what happened then says."""
    found = {one.where: one.code for one in context.compiles if one.code is not None}
    facts = context.facts
    told = [(one.where, one.code) for each in (facts.recompiles, facts.breaks, facts.failures) for one in each]
    for where, code in told:
        if code is not None and where.id is not None and where not in found:
            found[where] = replace(code, function=plain_function(code.function))
    return found


def _file(code: Frame) -> Key:
    return code.file, "", 0


def _compile_of(graph: str) -> str:
    return "/".join(graph.split("/")[:-1]).partition("_")[0]


def _has_graph(one: Attempted) -> bool:
    return (
        (one.nodes or 0) > 1
        and not one.empty
        and (one.metrics or {}).get("has_guarded_code") is not False
        and not _failed(one)
    )


def _failed(one: Attempted) -> bool:
    return bool((one.metrics or {}).get("fail_type"))


def _most(where: Iterable[Compiled]) -> int:
    """How many there are in the process with the most."""
    return max(Counter(one.process for one in where).values(), default=0)
