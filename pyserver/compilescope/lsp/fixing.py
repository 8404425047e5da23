"""Fixes in the text of now: their edits are places in the files as they were traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types

from compilescope.analysis.linemap import LineMap, line_map
from compilescope.analysis.model import Edit, Finding, Fix, Position, Range
from compilescope.fixes.edits import merged
from compilescope.lsp import paths
from compilescope.lsp.diagnostics import lsp_range
from compilescope.lsp.documents import Documents
from compilescope.lsp.shapes.fixing import FixChoice
from compilescope.lsp.shown import Shown

IGNORE = "ignore"


@dataclass(frozen=True)
class Chosen:
    """A fix of a finding."""

    shown: Shown
    fix: Fix

    @property
    def choice(self) -> FixChoice:
        """How a client names it."""
        return choice(self.shown.finding, self.fix)


def choice(finding: Finding, fix: Fix) -> FixChoice:
    """How a client names a fix of a finding."""
    start = finding.range.start
    return FixChoice(finding.file or "", start.line, start.character, finding.code, fix.title)


def find(shown: Iterable[Shown], wanted: FixChoice) -> Chosen | None:
    """The fix that a client names, null when nothing on show has it any more."""
    for item in shown:
        for fix in item.finding.fixes:
            if choice(item.finding, fix) == wanted:
                return Chosen(item, fix)
    return None


def best(finding: Finding) -> Fix | None:
    """The fix to take when asked for one: the preferred, else the first that does not only ignore the finding."""
    mending = [fix for fix in finding.fixes if fix.kind != IGNORE]
    return next((fix for fix in mending if fix.preferred), mending[0] if mending else None)


def apart(chosen: Sequence[Chosen]) -> list[Chosen]:
    """Those of `chosen` that can be made together: without the ones that touch what an earlier one changes."""
    kept = {id(fix) for fix in merged(one.fix for one in chosen)[0]}
    return [one for one in chosen if id(one.fix) in kept]


def edits_of(chosen: Iterable[Chosen]) -> list[Edit]:
    """All edits of several fixes that can be made together."""
    return merged(one.fix for one in chosen)[1]


def edits_now(
    edits: Iterable[Edit], sources: Mapping[str, str], text_of: Callable[[str], str | None]
) -> list[Edit] | None:
    """The edits in the text of now; null when a line that one touches was edited since, or a file is not there."""
    found = []
    for edit in edits:
        traced, text = sources.get(edit.file), text_of(edit.file)
        place = None if traced is None or text is None else _range_now(edit.range, line_map(traced, text))
        if place is None:
            return None
        found.append(Edit(edit.file, place, edit.text))
    return found


def workspace_edit(edits: Iterable[Edit], documents: Documents, *, versioned: bool) -> types.WorkspaceEdit:
    """Edits (of the text of now) as the client takes them, in all files at once."""
    by_file: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(types.TextEdit(lsp_range(edit.range), edit.text))
    if not versioned:
        return types.WorkspaceEdit(changes={_uri(documents, file): found for file, found in by_file.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(
                    _uri(documents, file), documents.version(paths.key(file))
                ),
                [*found],
            )
            for file, found in by_file.items()
        ]
    )


def _uri(documents: Documents, file: str) -> str:
    return documents.uri(paths.key(file), file)


def _range_now(place: Range, map_: LineMap) -> Range | None:
    """The range in the text of now; null when a line of it was edited, or they are no longer one after another.

    A range of whole lines ends at the start of the line below, which it does not touch.
    """
    start, end = place.start, place.end
    below = end.character == 0 and end.line > start.line
    lines = [map_.place(line) for line in range(start.line, end.line if below else end.line + 1)]
    first = lines[0]
    if first is None or any(
        at is None or at.changed or at.line != first.line + offset for offset, at in enumerate(lines)
    ):
        return None
    shift = first.line - start.line
    return Range(Position(start.line + shift, start.character), Position(end.line + shift, end.character))
