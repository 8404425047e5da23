"""Compile coverage of a run's functions, from its compiles, its breaks and the lines that were traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.coverage_model import FunctionCoverage
from compilescope.analysis.covered import Covered, Evidence
from compilescope.analysis.disabled import disabled
from compilescope.analysis.ended import Ended
from compilescope.analysis.reached import Function, first_line, functions, head, says_nothing, statements

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.coverage_model import CoveredLine
    from compilescope.analysis.model import Compile, Finding
    from compilescope.analysis.sources import Source
    from compilescope.analysis.traced_lines import TracedLines


def table(
    context: Context, traced: TracedLines, compiles: Sequence[Compile], findings: Sequence[Finding]
) -> list[FunctionCoverage]:
    """Return the functions of the user's that were compiled, captured within another or kept out of graphs."""
    ended, kept_out = Ended(context, findings), disabled(context)
    files = {file for own in traced.by_compile.values() for file in own}
    files |= {one.file for one in compiles} | {file for file, _ in kept_out}
    found: list[FunctionCoverage] = []
    for file in sorted(files):
        source = context.sources.get(file) if context.rules.in_user_code(file) else None
        if source is not None and source.tree is not None:
            own = {line: ended.of(fact) for (where, line), fact in kept_out.items() if where == file}
            evidence = Evidence(file, traced, compiles, ended, disabled=own, findings=findings)
            found += _functions(evidence, source, source.tree)
    return found


def _functions(evidence: Evidence, source: Source, tree: ast.AST) -> list[FunctionCoverage]:
    """Return the functions of one file that anything is known of, from top to bottom."""
    inner_first = functions(tree)
    compiles: dict[int, list[Compile]] = {}
    for one in evidence.compiles:
        if (function := _around(inner_first, one)) is not None:
            compiles.setdefault(function.lineno, []).append(one)
    runs, names = executable(source), {line: name for line, _, _, name in source.methods}
    found = []
    for function in reversed(inner_first):
        own = [one for one in statements(function) if not says_nothing(one) and runs.intersection(head(one))]
        touched = evidence.touched & {line for one in own for line in head(one)}
        if own and (touched or function.lineno in compiles or function.lineno in evidence.disabled):
            name = names.get(first_line(function), function.name)
            covered = Covered(evidence, function, compiles.get(function.lineno, []))
            last, recorded = function.end_lineno or function.lineno, evidence.recorded
            lines = _each_once([covered.line(one) for one in own])
            found.append(FunctionCoverage(evidence.file, name, function.lineno, last, recorded, lines))
    return found


def _around(inner_first: Sequence[Function], one: Compile) -> Function | None:
    """Return the function that a compile is of, or of a piece of."""
    for function in inner_first:
        if function.name == one.function and first_line(function) <= one.line <= (function.end_lineno or 0):
            return function
    return None


def _each_once(lines: Sequence[CoveredLine]) -> list[CoveredLine]:
    """Return the lines in order; of several statements on a line, the first that is not captured speaks for all."""
    found: dict[int, CoveredLine] = {}
    for one in lines:
        if one.line not in found or found[one.line].state == "captured":
            found[one.line] = one
    return [found[line] for line in sorted(found)]


def executable(source: Source) -> set[int]:
    """Return the lines that Python has instructions for; all where it can't tell."""
    found: set[int] = set()
    try:
        waiting = [compile(source.text, "<source>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return set(range(1, len(source.lines) + 1))
    while waiting:
        code = waiting.pop()
        found.update(line for _, _, line in code.co_lines() if line is not None)
        waiting += [one for one in code.co_consts if isinstance(one, type(code))]
    return found
