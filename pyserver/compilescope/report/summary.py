"""The end of the text report: what was compiled, what was not recorded, how the run ended, and the totals."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from compilescope.recording.files import LEFT_OUT
from compilescope.recording.log import ENDS
from compilescope.recording.redact.redaction import PAYLOADS
from compilescope.report.cost import compile_parts, dearest_lines, low_coverage, profile, tracing_cost
from compilescope.report.counted import counted
from compilescope.report.counts import counts as counts_of
from compilescope.report.counts import together
from compilescope.report.ending import ending, seconds
from compilescope.report.exports import headline
from compilescope.report.functions import CompiledFunction, compiled_functions, timed
from compilescope.report.left_out import left_out
from compilescope.report.style import COLUMNS, Style

if TYPE_CHECKING:
    from compilescope.analysis.model import Result, Run


_LONG = 1.0
SHOWN_DAMAGE = 10
"""Seconds of compiling from which on the report says where they went."""
OUTSIDE = "-"
"""What stands for the compile of what is of none."""


def closing(result: Result, style: Style, notes: list[str]) -> list[str]:
    """The lines after the findings. `notes` are shown before those of the run."""
    functions = compiled_functions(result)
    lines = [_function(function, style) for function in functions]
    for said in [*_spent(result, style), *profile(result.profile)]:
        lines += textwrap.wrap(said, COLUMNS, subsequent_indent="         ")
    lines += [style.paint("warning", "note: ") + line for line in map(_wrapped, [*notes, *_notes(result, style)])]
    lines += [style.paint("dim", line) for line in _about(result, style)]
    if end := ending(result):
        lines += [style.paint("error", line) for line in textwrap.wrap(end, COLUMNS, break_long_words=False)]
    return [*lines, _summary(result, functions, style)]


def _function(function: CompiledFunction, style: Style) -> str:
    parts = [
        counted(function.graphs, "graph"),
        counted(function.breaks, "break") if function.breaks else "",
        counted(function.recompiles, "recompile") if function.recompiles else "",
        "runs in eager" if function.skipped else "",
        f"{counted(function.failed, 'compile')} failed" if function.failed else "",
        f"{counted(function.unfinished, 'compile')} not finished" if function.unfinished else "",
        counted(function.calls, "graph run") if function.calls else "",
        f"{seconds(function.seconds)} compiling" if function.seconds else "",
    ]
    where = style.place(function.file, function.line)
    return f"{style.paint('strong', function.name)} ({where}): {', '.join(filter(None, parts))}"


def _spent(result: Result, style: Style) -> list[str]:
    """Where the time of compiling went, if it was long enough to ask."""
    if sum(compile_.seconds.get("total", 0.0) for compile_ in result.compiles) < _LONG:
        return []
    parts, lines = compile_parts(result.compiles), dearest_lines(result, style.path)
    return [f"time: {parts}"] * bool(parts) + [f"lines: {lines}"] * bool(lines)


def _notes(result: Result, style: Style) -> list[str]:
    run = result.run
    notes = [
        f"not recorded: {entry.get('loses') or entry.get('hook')} ({entry.get('reason')})" for entry in run.unavailable
    ]
    if coverage := low_coverage(result):
        notes.append(coverage)
    notes += [
        f"{style.place(one.file, one.line)}: {one.name} in `compilescope: ignore[...]` is no rule and no code, so it"
        " ignores nothing"
        for one in run.unknown_ignores
    ]
    if run.depth == "capture":
        notes.append("capture depth: no code was generated, so there are no passes, kernels or compiler failures")
    return notes + [note for note in [left_out(run)] if note] + _damage(run)


def _damage(run: Run) -> list[str]:
    """Places that could not be read: the first with how many there are, then some of the rest."""
    places = [f"at byte {one.get('offset')} of {one.get('file')}: {one.get('problem')}" for one in run.damage]
    if not places:
        return []
    notes = [f"{counted(len(places), 'damaged place')} in the recording, the first {places[0]}"]
    notes += [f"damaged {place}" for place in places[1:SHOWN_DAMAGE]]
    if len(places) > SHOWN_DAMAGE:
        notes.append(f"{len(places) - SHOWN_DAMAGE} more damaged places are in run.damage of --format json")
    return notes


def _about(result: Result, style: Style) -> list[str]:
    run = result.run
    parts = [
        f"torch {run.torch}" if run.torch else "" if run.damage or run.silent else "torch was not imported",
        f"{run.depth} depth" if run.depth else "",
        f"graphs, recompiles and seconds are of {several}" if (several := together(result)) else "",
        "graph caches off for this run" if any(compile_.cache == "off" for compile_ in result.compiles) else "",
        tracing_cost(result),
    ]
    recording = style.path(str(style.cwd / run.recording))
    return [", ".join(filter(None, parts)), f"recording: {recording} (`compilescope show` opens it again)"]


def _summary(result: Result, functions: list[CompiledFunction], style: Style) -> str:
    if not result.compiles and not result.findings:
        return nothing(result)
    found = counts_of(result, functions)
    total = sum(function.seconds for function in functions)
    again = sum(function.seconds_again for function in functions)
    counts = [
        counted(found.breaks, "graph break") if found.breaks else "",
        f"{found.skipped} skipped" if found.skipped else "",
        counted(found.recompiles, "recompile") if found.recompiles else "",
    ]
    if not result.compiles and result.exports:
        return f"{_severities(result, style)}: {headline(result.exports)}."
    if not any(counts):
        counts = [counted(found.graphs, "graph")]
    if open_ := sum(function.unfinished for function in functions):
        counts.append(f"{counted(open_, 'compile')} not finished")
    if result.run.ignored:
        counts.append(f"{counted(result.run.ignored, 'finding')} ignored")
    spent = f"{seconds(again)} of {seconds(total)} was compiling again" if again else f"{seconds(total)} compiling"
    spent = f"; {spent}" if timed(functions) else ""
    told = f"{_severities(result, style)}: {', '.join(filter(None, counts))}{spent}."
    return " ".join(filter(None, [told, _incomplete(result.run)]))


def _incomplete(run: Run) -> str:
    """That there may be more than what was found, where a part of the logs can't be read."""
    lost = sum(not str(one.get("problem")).startswith((ENDS, LEFT_OUT)) for one in run.damage)
    return f"This is not all: {counted(lost, 'place')} of the logs can't be read." if lost else ""


def nothing(result: Result) -> str:
    """Why nothing was compiled, as far as the recording says."""
    run = result.run
    if outside(result):
        passes = sum(one.compile_id == OUTSIDE for one in result.passes)
        kernels = sum(one.compile_id == OUTSIDE for one in result.kernels)
        told = f"{counted(passes, 'pass', 'passes')}, {counted(kernels, 'kernel')}"
        return (
            "torch.compile was not called; graphs were compiled without it (AOTInductor, `standalone_compile`): "
            f"{told}. `--format html` shows them, `--extract` writes their code."
        )
    if run.damage:
        return "The recording is damaged: what it still holds shows no compile."
    if PAYLOADS in run.left_out:
        return "No compile is told of: the payloads of the events were left out on request."
    if run.disabled_by:
        why = f"{run.disabled_by}=1 in the environment turns torch.compile off"
    elif run.stance is not None:
        does = "turns torch.compile off" if run.stance == "force_eager" else "was in force at the end"
        why = f'torch.compiler.set_stance("{run.stance}") {does}'
    elif run.torch is None and run.silent:
        why = "at least the recording says nothing of the program"
    elif run.torch is None:
        why = "the program did not import torch"
    else:
        why = "no compiled function was called, or compiling was off (set_stance, disable)"
    return f"Nothing was compiled: {why}."


def outside(result: Result) -> bool:
    """Whether Inductor was given graphs by others than torch.compile: `aoti_compile_and_package`, for instance."""
    kernels, passes = (one.compile_id for one in result.kernels), (one.compile_id for one in result.passes)
    return OUTSIDE in kernels or OUTSIDE in passes


def _severities(result: Result, style: Style) -> str:
    counts = Counter(finding.severity for finding in result.findings)
    if not counts:
        return style.paint("strong", "No findings")
    errors, warnings = counts["error"], counts["warning"]
    remarks = counts.total() - errors - warnings
    parts = [
        style.paint("error", counted(errors, "error")) if errors else "",
        style.paint("warning", counted(warnings, "warning")) if warnings else "",
        counted(remarks, "remark") if remarks else "",
        "no errors" if not errors else "",
    ]
    return ", ".join(filter(None, parts))


def _wrapped(note: str) -> str:
    return "\n      ".join(textwrap.wrap(note, COLUMNS - 6, break_long_words=False))
