"""The report for a terminal: each finding on its source line, dearest first, then what was compiled."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.report.clean import clean, cleaned
from compilescope.report.ending import ending, seconds
from compilescope.report.functions import BREAKS, CompiledFunction, compiled_functions
from compilescope.report.rows import rows
from compilescope.report.snippet import gutter_width, snippet
from compilescope.report.style import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Finding, Result

COLUMNS = 100
_LABEL = 7
_SHORT = {"information": "info"}


def render(result: Result, sources: Mapping[str, str], *, style: Style, notes: list[str]) -> str:
    """The report as text that ends in a newline.

    `sources`: texts of files as they were traced, by path. `notes` are shown with those of the run.
    """
    run, findings, compiles = cleaned((result.run, result.findings, result.compiles))
    result = replace(result, run=run, findings=findings, compiles=compiles)
    sources = {clean(file): text for file, text in sources.items()}
    blocks = [_finding(finding, sources, style) for finding in by_cost(result.findings)]
    end = ending(result)
    last = [line for function in compiled_functions(result) for line in _function(function, style)]
    last += [style.paint("warning", "note: ") + line for line in _wrapped(notes)]
    last += [style.paint("warning", "note: ") + line for line in _wrapped(_notes(result))]
    last += [style.paint("dim", line) for line in _about(result, style)]
    if end:
        last += [style.paint("error", line) for line in textwrap.wrap(end, COLUMNS, break_long_words=False)]
    last.append(_summary(result, style))
    return "\n\n".join("\n".join(block) for block in [*blocks, last]) + "\n"


def by_cost(findings: list[Finding]) -> list[Finding]:
    """Findings with errors first, then the dearest."""
    return sorted(findings, key=lambda finding: (finding.severity != "error", -finding.cost_s, -finding.count))


def _finding(finding: Finding, sources: Mapping[str, str], style: Style) -> list[str]:
    code = f"/{finding.code}" if finding.code and finding.code != finding.rule else ""
    head = f"{_SHORT.get(finding.severity, finding.severity)}[{finding.rule}{code}]"
    title = textwrap.wrap(f": {finding.title}", COLUMNS - len(head), subsequent_indent="  ") or [":"]
    lines = [style.paint(finding.severity, head) + style.paint("strong", title[0])]
    lines += [style.paint("strong", line) for line in title[1:]]
    indent = " " * gutter_width(finding.range)
    if finding.file is not None:
        source = _lines(sources.get(finding.file))
        shown = snippet(
            source,
            finding.range,
            str(finding.detail.get("label") or ""),
            severity=finding.severity,
            context=1 if finding.class_ == "control-flow" else 0,
            columns=COLUMNS,
            style=style,
        )
        column = _column(source, finding)
        lines.append(f"{indent}--> {style.place(finding.file, finding.range.start.line + 1, column)}")
        lines += shown or [f"{indent} {style.paint('gutter', '|')}"]
    for row in rows(finding, style):
        dim = row.role == "dim"
        label = style.paint(row.role, row.label.ljust(_LABEL - 1))
        mark = style.paint("gutter", "=")
        for number, text in enumerate(row.render(COLUMNS - len(indent) - _LABEL - 3)):
            start = f"{indent} {mark} {label} " if number == 0 else f"{indent}   {' ' * _LABEL}"
            lines.append((start + (style.paint("dim", text) if dim else text)).rstrip())
    return lines


def _column(source: list[str], finding: Finding) -> int:
    """The column from 1 in characters, as editors and compilers print it."""
    start = finding.range.start
    if start.line >= len(source):
        return start.character + 1
    before = source[start.line].encode("utf-16-le", "surrogatepass")[: 2 * start.character]
    return len(before.decode("utf-16-le", "replace")) + 1


def _lines(text: str | None) -> list[str]:
    """Lines as Python counts them: only LF, CR LF and CR end one."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if text else []


def _function(function: CompiledFunction, style: Style) -> list[str]:
    parts = [
        _counted(function.graphs, "graph"),
        _counted(function.breaks, "break") if function.breaks else "",
        _counted(function.recompiles, "recompile") if function.recompiles else "",
        "runs in eager" if function.skipped else "",
        f"{seconds(function.seconds)} compiling" if function.seconds else "",
    ]
    where = style.place(function.file, function.line)
    return [f"{style.paint('strong', function.name)} ({where}): {', '.join(filter(None, parts))}"]


def _notes(result: Result) -> list[str]:
    run = result.run
    notes = [
        f"not recorded: {entry.get('loses') or entry.get('hook')} ({entry.get('reason')})" for entry in run.unavailable
    ]
    if run.depth == "capture":
        notes.append("capture depth: no code was generated, so there are no passes, kernels or compiler failures")
    if run.damage:
        first = run.damage[0]
        notes.append(
            f"{_counted(len(run.damage), 'damaged place')} in the recording, the first at byte {first.get('offset')}"
            f" of {first.get('log') or first.get('file')}: {first.get('problem')}"
        )
    return notes


def _about(result: Result, style: Style) -> list[str]:
    run = result.run
    parts = [
        f"torch {run.torch}" if run.torch else "torch was not imported",
        f"{run.depth} depth" if run.depth else "",
        f"{len(run.ranks)} ranks" if len(run.ranks) > 1 else "",
        "graph caches off for this run" if any(compile_.cache == "off" for compile_ in result.compiles) else "",
    ]
    recording = style.path(str(style.cwd / run.recording))
    return [", ".join(filter(None, parts)), f"recording: {recording} (`compilescope show` opens it again)"]


def _summary(result: Result, style: Style) -> str:
    if not result.compiles and not result.findings:
        return "Nothing was compiled: no call of a torch.compile'd function was seen."
    errors = sum(finding.severity == "error" for finding in result.findings)
    warnings = sum(finding.severity == "warning" for finding in result.findings)
    others = len(result.findings) - errors - warnings
    if not result.findings:
        head = style.paint("strong", "No findings")
    else:
        parts = []
        if errors:
            parts.append(style.paint("error", _counted(errors, "error")))
        if warnings:
            parts.append(style.paint("warning", _counted(warnings, "warning")))
        if others:
            parts.append(_counted(others, "remark"))
        head = ", ".join(parts) + ("" if errors else ", no errors")
    breaks = sum(finding.rule in BREAKS for finding in result.findings)
    skipped = sum(finding.rule == "frame-skipped" for finding in result.findings)
    recompiles = int(result.metrics.get("recompiles") or 0)
    total = sum(function.seconds for function in compiled_functions(result))
    again = sum(finding.cost_s for finding in result.findings if finding.rule in {"recompile", "recompile-limit"})
    graphs = int(result.metrics.get("graphs") or 0)
    counts = [
        _counted(graphs, "graph") if not result.findings else "",
        _counted(breaks, "graph break") if breaks else "",
        f"{skipped} skipped" if skipped else "",
        _counted(recompiles, "recompile") if recompiles else "",
    ]
    what = ", ".join(filter(None, counts)) or _counted(graphs, "graph")
    spent = f"; {seconds(again)} of {seconds(total)} was compiling again" if again and total else ""
    spent = spent or (f"; {seconds(total)} compiling" if total else "")
    return f"{head}: {what}{spent}."


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _wrapped(notes: list[str]) -> list[str]:
    return ["\n      ".join(textwrap.wrap(note, COLUMNS - 6, break_long_words=False)) for note in notes]
