"""Makes fixes in the text of now, through the client, which owns its documents."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from compilescope.analysis.model import Edit
from compilescope.fixes.edits import Edited, edited
from compilescope.lsp import fixing, paths
from compilescope.lsp.fixing import Chosen
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.fixing import FixedFile, FixParams, FixResult

CHANGED = "Not applied: a line that it changes was edited since it was traced. Trace again for what fits now."
REFUSED = "Not applied: the editor did not take the change."


def found(session: Session, params: FixParams) -> list[Chosen] | None:
    """The fixes that the client names; null when one of them is not on show any more."""
    shown = [item for file in session.shown.by_file().values() for item in file if item.recording == params.recording]
    chosen = [fixing.find(shown, one) for one in params.fixes]
    return [one for one in chosen if one is not None] if chosen and None not in chosen else None


async def apply(session: Session, params: FixParams) -> FixResult:
    """Make the fixes that the client names, all or none."""
    chosen = found(session, params)
    return await make(session, chosen) if chosen else FixResult("refused", CHANGED)


async def make(session: Session, chosen: Sequence[Chosen]) -> FixResult:
    """Make fixes, all or none. The message is empty when it went well."""
    edits = session.edits_now(chosen)
    if edits is None:
        return FixResult("refused", CHANGED)
    before = {file: _text(session, file) for file in dict.fromkeys(edit.file for edit in edits)}
    changed, client = edited(before, edits), session.client
    edit = fixing.workspace_edit(edits, session.documents, versioned=client.versioned_edits)
    label = chosen[0].fix.title if len(chosen) == 1 else "Fix findings"
    answer = await session.wire.apply_edit(types.ApplyWorkspaceEditParams(edit=edit, label=label))
    if not answer.applied:
        return FixResult("refused", f"{REFUSED} {answer.failure_reason or ''}".strip())
    files = [FixedFile(file, one.before, one.after, _line(one, edits, file)) for file, one in changed.items()]
    return FixResult("applied", files=files)


def _line(changed: Edited, edits: Sequence[Edit], file: str) -> int:
    """The first line of the last change in a file, in its text afterwards."""
    own = [edit.range for edit in edits if edit.file == file]
    return changed.lines(max(own, key=lambda place: place.start.line))[0]


def _text(session: Session, file: str) -> str:
    return session.documents.text(paths.key(file)) or ""
