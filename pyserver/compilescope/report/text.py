"""The report for a terminal: each finding on its source line, dearest first, then what was compiled."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.report.caches import caches
from compilescope.report.clean import clean, cleaned
from compilescope.report.collectives import collectives_block
from compilescope.report.decisions import decisions
from compilescope.report.exports import exports_block
from compilescope.report.passes import custom_passes
from compilescope.report.ranks import ranks_block
from compilescope.report.rows import rows
from compilescope.report.severity import heading
from compilescope.report.snippet import gutter_width, snippet
from compilescope.report.style import COLUMNS, Style
from compilescope.report.summary import closing
from compilescope.report.triton import triton

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Finding, Result

_LABEL = 7


def render(result: Result, sources: Mapping[str, str], *, style: Style, notes: list[str]) -> str:
    """The report as text that ends in a newline.

    `sources`: texts of files as they were traced, by path. `notes` are shown with those of the run.
    """
    shown = result.run, result.findings, result.compiles, result.triton, result.profile, result.lines
    run, findings, compiles, kernels, profile, lines = cleaned(shown)
    result = replace(
        result, run=run, findings=findings, compiles=compiles, triton=kernels, profile=profile, lines=lines
    )
    sources = {clean(file): text for file, text in sources.items()}
    blocks = [_finding(finding, sources, style) for finding in by_cost(result.findings)]
    if table := triton(result.triton, style):
        blocks.append(table)
    if own := custom_passes(result, style):
        blocks.append(own)
    blocks += decisions(result, style)
    if answers := caches(result.caches, style):
        blocks.append(answers)
    if exported := exports_block(result.exports, style):
        blocks.append(exported)
    if wrong := collectives_block(result.collectives, style):
        blocks.append(wrong)
    if beside := ranks_block(result.ranks, style):
        blocks.append(beside)
    blocks.append(closing(result, style, notes))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def by_cost(findings: list[Finding]) -> list[Finding]:
    """Findings with errors first, then the dearest."""
    return sorted(findings, key=lambda finding: (finding.severity != "error", -finding.cost_s, -finding.count))


def _finding(finding: Finding, sources: Mapping[str, str], style: Style) -> list[str]:
    head = heading(finding)
    title = textwrap.wrap(f"{'x' * len(head)}: {' '.join(finding.title.split())}", COLUMNS, subsequent_indent="  ")
    lines = [style.paint(finding.severity, head) + style.paint("strong", title[0][len(head) :])]
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
