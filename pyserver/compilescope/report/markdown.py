"""A finding, or a whole run, as Markdown that can be pasted into an issue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope import __version__
from compilescope.report.clean import clean
from compilescope.report.cost import low_coverage
from compilescope.report.counts import counts, met, spent_s, together
from compilescope.report.ending import ending, seconds
from compilescope.report.fixes import IGNORE, diff
from compilescope.report.functions import compiled_functions, timed
from compilescope.report.left_out import left_out
from compilescope.report.marked import block, cell, code, escape, prose, safe_href
from compilescope.report.private import Private
from compilescope.report.recompiles import coming
from compilescope.report.recompiles import table as recompile_table
from compilescope.report.rows import of_log
from compilescope.report.severity import short
from compilescope.report.snippet import snippet
from compilescope.report.style import Style
from compilescope.report.text import by_cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Finding, Fix, Result, StackFrame

_COLUMNS = 110
_MOST = 60
_MOST_FRAMES = 30
_MOST_TEXT = 6000
_MOST_DIFF = 120


def render(result: Result, sources: Mapping[str, str], notes: list[str]) -> str:
    """The whole run: what came of it, the findings, what was compiled, versions. Ends in a newline."""
    found = by_cost(result.findings)
    title = " ".join(map(str, result.run.command[:1])).replace("\\", "/").rpartition("/")[2]
    parts = [f"## torch.compile report{f': {code(title)}' if title else ''}", _totals(result)]
    if end := ending(result):
        parts.append(f"> **{prose(end)}**")
    if not found:
        nothing = "Nothing was found up to then." if end else "Nothing to improve."
        parts.append(nothing if result.compiles else "Nothing was compiled.")
    parts += [_finding(one, result, sources, level=3) for one in found[:_MOST]]
    if len(found) > _MOST:
        parts.append(f"… {len(found) - _MOST} more findings that cost less.")
    parts += [_functions(result), *_notes(result, notes), about(result)]
    return Private.of(result).hide("\n\n".join(filter(None, parts))) + "\n"


def issue(finding: Finding, result: Result, sources: Mapping[str, str]) -> str:
    """One finding, to be pasted into an issue. Ends in a newline."""
    parts = [_finding(finding, result, sources, level=3), about(result)]
    return Private.of(result).hide("\n\n".join(parts)) + "\n"


def body(finding: Finding) -> str:
    """What there is to say of a finding without its code: why, and what to write."""
    parts = [f"**{prose(_flat(finding.title))}**", prose(_cut(_flat(finding.explanation))), *_advice(finding)]
    return "\n\n".join(filter(None, parts))


def about(result: Result) -> str:
    """With what the run was made, as the last line."""
    run = result.run
    platform = [f"torch {run.torch}" if run.torch else "", f"{run.depth} depth" if run.depth else ""]
    versions = ", ".join(filter(None, [*platform, f"Compilescope {__version__}"]))
    return f"<sub>{escape(versions)}</sub>"


def _finding(finding: Finding, result: Result, sources: Mapping[str, str], level: int) -> str:
    style = Style(Path(result.run.cwd or "."))
    parts = [
        f"{'#' * level} {prose(_flat(finding.title))}",
        _facts(finding, style),
        _source(finding, sources, style),
        f"The file is {prose(_flat(of_log(finding)))}." if of_log(finding) else "",
        prose(_cut(_flat(finding.explanation))),
        *_advice(finding),
        _recompiles(finding, style),
        *(_fix(fix, sources, style) for fix in finding.fixes if fix.kind != IGNORE),
        _stack(finding, style),
        _torch(finding),
    ]
    return "\n\n".join(filter(None, parts))


def _flat(text: str) -> str:
    return " ".join(clean(text).split())


def _cut(text: str, most: int = _MOST_TEXT) -> str:
    return text if len(text) <= most else f"{text[:most]} … {len(text) - most:,} more characters"


def _facts(finding: Finding, style: Style) -> str:
    rule = finding.rule if finding.code in {"", finding.rule} else f"{finding.rule}/{finding.code}"
    page = safe_href(finding.href)
    start = finding.range.start
    place = code(f"{style.path(finding.file)}:{start.line + 1}:{start.character + 1}") if finding.file else ""
    ids = ", ".join(code(one) for one in list(dict.fromkeys(finding.compile_ids))[:6])
    facts = [
        place,
        f"**{short(finding.severity)}**",
        f"[{escape(rule)}]({page})" if page else code(rule),
        seconds(finding.cost_s) if finding.cost_s >= 0.005 else "",  # noqa: PLR2004 - would show as 0.00 s
        met(finding),
        f"in {ids}" if ids else "",
    ]
    return " · ".join(filter(None, facts))


def _source(finding: Finding, sources: Mapping[str, str], style: Style) -> str:
    text = sources.get(finding.file or "")
    if not text:
        return ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    label = str(finding.detail.get("label") or "").replace("`", "")
    severity = finding.severity
    shown = snippet(lines, finding.range, label, severity=severity, context=1, columns=_COLUMNS, style=style)
    return block("\n".join(line for line in shown if line.strip(" |")), "python") if shown else ""


def _advice(finding: Finding) -> list[str]:
    detail = finding.detail
    parts = []
    if write := clean(str(detail.get("write") or "")).strip("\n"):
        parts.append(f"**Write instead**\n\n{block(_cut(write, 2000))}")
    elif finding.hints:
        parts.append(
            "**What helps**\n\n" + "\n".join(f"- {prose(_cut(_flat(hint), 800))}" for hint in finding.hints[:5])
        )
    if note := detail.get("note"):
        parts.append(prose(_cut(_flat(str(note)), 1000)))
    return parts


def _recompiles(finding: Finding, style: Style) -> str:
    lines = recompile_table(finding, style)
    if not lines:
        return ""
    next_ = coming(finding.detail)
    after = f"\n\n{prose(next_[:1].upper() + next_[1:])}." if next_ else ""
    return block(clean("\n".join(line[2:] for line in lines)), "text") + after


def _fix(fix: Fix, sources: Mapping[str, str], style: Style) -> str:
    lines = list(diff(fix, sources, style))
    if not lines:
        return ""
    more = [f"… {len(lines) - _MOST_DIFF} more lines"] if len(lines) > _MOST_DIFF else []
    note = f"\n\n{prose(_flat(fix.note))}" if fix.note else ""
    said = f"\n\n{prose(_flat(str(fix.verified['text'])))}" if fix.verified and fix.verified.get("text") else ""
    return _details(f"Fix: {_flat(fix.title)}", block("\n".join([*lines[:_MOST_DIFF], *more]), "diff") + note + said)


def _stack(finding: Finding, style: Style) -> str:
    if len(finding.frames) < 2:  # noqa: PLR2004 - the line itself
        return ""
    lines = [_frame(frame, style) for frame in finding.frames[-_MOST_FRAMES:]]
    return _details("Called from", block("\n".join(lines), "text"))


def _frame(frame: StackFrame, style: Style) -> str:
    return _flat(f"{style.path(frame.file)}:{frame.line} in {frame.function}")[:400]


def _torch(finding: Finding) -> str:
    reason = clean(finding.reason).strip()
    return _details("torch's own words", block(_cut(reason), "text")) if reason else ""


def _details(summary: str, content: str) -> str:
    """A part that GitHub folds; the summary is HTML, so its text is escaped as such."""
    safe = re.sub(r"[&<>@[\]]", lambda match: f"&#{ord(match[0])};", _cut(summary, 300))
    return f"<details>\n<summary>{safe}</summary>\n\n{content}\n\n</details>"


def _totals(result: Result) -> str:
    metrics = result.metrics
    found = counts(result)
    numbers = {
        "graph": found.graphs,
        "graph break": found.breaks,
        "recompile": found.recompiles,
        "fallback": metrics.get("fallback_ops"),
    }
    said = [
        f"{number:,.0f} {name}{'' if number == 1 else 's'}" for name, number in numbers.items() if number is not None
    ]
    spent = spent_s(result)
    if (coverage := metrics.get("op_coverage")) is not None:
        said.append(f"{coverage:.0%} of operations compiled".replace("%", " %"))
    if spent is not None:
        said.append(f"{seconds(spent)} compiling")
    several = f" ({together(result)})" if together(result) else ""
    return f"{', '.join(said)}{several}."


def _functions(result: Result) -> str:
    rows = [
        f"| {cell(code(clean(one.name)[:120]))} | {one.graphs} | {one.breaks} | {one.recompiles} |"
        f" {f'{one.seconds:.2f}' if timed([one]) else '–'} |"
        for one in compiled_functions(result)[:40]
    ]
    return (
        "\n".join(["| function | graphs | breaks | recompiles | seconds |", "|---|--:|--:|--:|--:|", *rows])
        if rows
        else ""
    )


def _notes(result: Result, notes: list[str]) -> list[str]:
    told = [
        *notes,
        *([low_coverage(result)] if low_coverage(result) else []),
        *(
            f"not recorded: {one.get('loses') or one.get('hook')} ({one.get('reason')})"
            for one in result.run.unavailable
        ),
        *([left_out(result.run) or ""] if result.run.left_out else []),
    ]
    return ["\n".join(f"- {prose(_cut(_flat(one), 500))}" for one in told[:20])] if told else []
