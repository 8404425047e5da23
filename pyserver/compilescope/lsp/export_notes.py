"""The exports of a run, as the runs view lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lsp.shapes.runs import ExportIssueNote, ExportNote
from compilescope.report.clean import clean
from compilescope.report.exports import sentence

if TYPE_CHECKING:
    from compilescope.analysis.exports_model import ExportIssue
    from compilescope.lsp.opened import OpenRecording

MOST = 200


def export_notes(opened: OpenRecording) -> list[ExportNote]:
    """One for each export with its issues, and where its program is in the log."""
    exports = opened.result().exports[:MOST]
    if not exports:
        return []
    with opened.read() as recording:
        texts = {event.id: event.raw() for event in recording.events("exported_program", "make_fx_fail_partial")}
        names = {number: log.name for number, log in recording.logs.items()}
    notes = []
    for one in exports:
        row = next((texts[number] for number in (one.program, one.graph) if number in texts), None)
        notes.append(
            ExportNote(
                title=clean(sentence(one)),
                failed=one.status == "failed",
                issues=[_issue(issue) for issue in one.issues],
                log=None if row is None else names.get(row.log),
                offset=None if row is None else row.envelope_offset,
            )
        )
    return notes


def _issue(issue: ExportIssue) -> ExportIssueNote:
    at = issue.at
    known = at is not None and at.file is not None
    return ExportIssueNote(
        title=clean(issue.title),
        file=at.file if at is not None and known else None,
        line=at.line - 1 if at is not None and known else None,
    )
