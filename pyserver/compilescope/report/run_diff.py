"""Two runs compared, as text, Markdown and JSON (docs/comparing.md)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope.analysis.run_diff_model import DIFF_SCHEMA_VERSION
from compilescope.analysis.to_json import finding_json
from compilescope.recording.address import place
from compilescope.recording.command import read
from compilescope.report import run_diff_rows as rows
from compilescope.report.clean import cleaned
from compilescope.report.marked import cell, code, escape, prose

if TYPE_CHECKING:
    from compilescope.analysis.model import Run
    from compilescope.analysis.run_diff_model import FindingChange, FunctionChange, RunDiff, TimeChange
    from compilescope.report.style import Role, Style

_ROLES: dict[str, Role] = {"new": "warning", "fixed": "hint", "unreached": "dim", "changed": "strong"}


def text(diff: RunDiff, style: Style) -> str:
    """The comparison for a terminal; ends in a newline."""
    diff = cleaned(diff)
    blocks = [[style.paint("strong", line) for line in _head(diff)]]
    for state, head in rows.HEADS.items():
        found = [one for one in diff.findings if one.state == state]
        if found:
            title = style.paint(_ROLES.get(state, "strong"), f"{head} ({len(found)})")
            blocks.append([title, *(f"  {_where(one, style)}" for one in found)])
    blocks += [
        [style.paint("strong", f"{one.name} ({style.path(one.file)})"), *_inside(one)]
        for one in diff.functions
        if one.changed or _is_told(one.time)
    ]
    if totals := rows.metrics(diff):
        blocks.append([style.paint("strong", "Totals"), *(f"  {line}" for line in totals)])
    if diff.times:
        blocks.append(
            [style.paint("strong", "Time"), *(f"  {rows.total(one)}: {rows.time(one)}" for one in diff.times)]
        )
    if diff.notes:
        blocks.append([f"{style.paint('warning', 'note:')} {line}" for line in diff.notes])
    return "\n\n".join("\n".join(block) for block in [*blocks, [rows.summary(diff)]]) + "\n"


def _head(diff: RunDiff) -> list[str]:
    return [f"earlier: {_run(diff.before)}", f"later:   {_run(diff.after)}"]


def _run(runs: list[Run]) -> str:
    first = runs[0]
    command = read(first.command)
    what = command.script or command.module or place(Path(first.recording)).name
    parts = [what, f"torch {first.torch}" if first.torch else "", f"{len(runs)} runs" if len(runs) > 1 else ""]
    return ", ".join(filter(None, [*parts, first.recording]))


def _where(change: FindingChange, style: Style) -> str:
    place = rows.finding(change)
    return f"{style.place(place.file, place.line)}: {place.text}" if place.file else place.text


def _inside(one: FunctionChange) -> list[str]:
    lines = rows.function(one)
    if one.time is not None:
        lines.append(f"compiling: {rows.time(one.time)}")
    return [f"  {line}" for line in lines]


def _is_told(time: TimeChange | None) -> bool:
    """Whether a time is shown even where nothing else changed."""
    return time is not None and time.verdict in {"slower", "faster"}


def markdown(diff: RunDiff) -> str:
    """The comparison as Markdown, in which nothing of a recording is a link or HTML; ends in a newline."""
    diff = cleaned(diff)
    blocks = ["# What changed", prose(rows.summary(diff)), "\n".join(f"- {escape(line)}" for line in _head(diff))]
    blocks += [f"> {escape(note)}" for note in diff.notes]
    for state, head in rows.HEADS.items():
        found = [rows.finding(one) for one in diff.findings if one.state == state]
        if found:
            lines = [f"- {code(f'{_short(one.file, diff)}:{one.line}')} {prose(one.text)}" for one in found]
            blocks.append("\n".join([f"## {head} ({len(found)})", "", *lines]))
    changed = [one for one in diff.functions if one.changed or _is_told(one.time)]
    if changed:
        blocks.append("## Functions")
    for one in changed:
        lines = [f"- {escape(line.strip())}" for line in _inside(one)]
        blocks.append("\n".join([f"### {code(one.name)} in {code(_short(one.file, diff))}", "", *lines]))
    if totals := rows.metrics(diff):
        blocks.append("\n".join(["## Totals", "", *(f"- {escape(line)}" for line in totals)]))
    if diff.times:
        table = [f"| {rows.total(one)} | {cell(escape(rows.time(one)))} |" for one in diff.times]
        blocks.append("\n".join(["## Time", "", "| | |", "|---|---|", *table]))
    return "\n\n".join(blocks) + "\n"


def _short(file: str | None, diff: RunDiff) -> str:
    folder = diff.after[0].cwd or diff.before[0].cwd
    path = Path(file or "?")
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else str(path)


def to_json(diff: RunDiff) -> str:
    """The comparison for programs, schema version 1; ends in a newline."""
    whole = {
        "schema": DIFF_SCHEMA_VERSION,
        "before": [_run_json(one) for one in diff.before],
        "after": [_run_json(one) for one in diff.after],
        "findings": [_finding_json(one) for one in diff.findings],
        "functions": [_function_json(one) for one in diff.functions],
        "metrics": [asdict(one) for one in diff.metrics],
        "times": [asdict(one) for one in diff.times],
        "notes": diff.notes,
    }
    return json.dumps(whole, indent=1) + "\n"


def _run_json(run: Run) -> dict[str, Any]:
    keys = ("recording", "command", "cwd", "torch", "depth", "status", "exit_code", "wall_s", "started")
    return {key: getattr(run, key) for key in keys}


def _finding_json(change: FindingChange) -> dict[str, Any]:
    before, after = (None if one is None else finding_json(one) for one in (change.before, change.after))
    return {"state": change.state, "note": change.note, "before": before, "after": after}


def _function_json(one: FunctionChange) -> dict[str, Any]:
    found = {**asdict(one), "changed": one.changed}
    for key in ("graphs", "nodes", "recompiles"):
        found[key] = dict(zip(("before", "after"), found[key], strict=True))
    return found
