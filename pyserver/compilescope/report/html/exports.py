"""What was exported with torch.export, what stood in its way, and the programs that came out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.report.exports import headline, place, sentence
from compilescope.report.html.markup import EMPTY, Markup, details, prose, row, section, shortened, table, tag

if TYPE_CHECKING:
    from compilescope.analysis.exports_model import Export, ExportIssue, ExportStep
    from compilescope.report.html.material import Material

MOST = 40
MOST_STEPS = 60
_LONGEST_PROGRAM = 20_000


def exports(material: Material) -> Markup:
    """The section; empty where nothing was exported."""
    found = material.result.exports
    if not found:
        return EMPTY
    if len(found) > MOST:
        material.left_out.append(f"{len(found) - MOST:,} of {len(found):,} exports")
    parts = [_export(material, one) for one in found[:MOST]]
    return section("exports", "Exports", headline(found).removeprefix("exports: "), *parts)


def _export(material: Material, one: Export) -> Markup:
    rows = [
        row(
            tag("td", prose(issue.title + place(issue.at), 400), tag("div", prose(issue.reason, 400), class_="dim")),
            tag("td", _code(issue) or prose(" ".join(issue.advice[:1]), 400)),
            tag("td", *_told(issue), class_="mono wrap"),
        )
        for issue in one.issues
    ]
    parts = [tag("h3", sentence(one))]
    if rows:
        parts.append(table(["What", "What to write", "How it came about"], rows, "xt", sentence(one)))
    for title, event in (("Exported program", one.program), ("Graph up to where it failed", one.graph)):
        if event is not None and (text := _payload(material, event)):
            parts.append(details(title, tag("pre", shortened(text, _LONGEST_PROGRAM), class_="ex")))
    return tag("div", *parts)


def _code(issue: ExportIssue) -> Markup | None:
    return tag("pre", shortened(issue.code, 1000)) if issue.code else None


def _told(issue: ExportIssue) -> list[Markup]:
    """Locals, what symbols stand for, and how the expression came about."""
    known = [f"{name} = {value}" for name, value in (*issue.values.items(), *issue.symbols.items())]
    parts = [tag("div", shortened(one, 200)) for one in known]
    if issue.made_by:
        steps = [tag("div", _step(one)) for one in issue.made_by[:MOST_STEPS]]
        parts.append(details(f"how {shortened(issue.expression or 'it', 60)} came about", *steps))
    return parts


def _step(one: ExportStep) -> str:
    made = f"{one.method}({', '.join(one.arguments)})" if one.arguments else one.method
    at = "" if one.at is None else f"  # {one.at.code}{place(one.at)}"
    return shortened(f"{'· ' * one.depth}{one.result} = {made}{at}", 300)


def _payload(material: Material, event: int) -> str:
    recording = material.recording
    if recording is None:
        return ""
    found = next((one for one in recording.events("exported_program", "make_fx_fail_partial") if one.id == event), None)
    return "" if found is None else recording.payload(found)
