"""Hover: the card of the finding under the cursor, else what the line became."""

from __future__ import annotations

from lsprotocol import types

from compilescope.analysis.model import Position, Range
from compilescope.lsp.cards import Cards
from compilescope.lsp.diagnostics import lsp_range
from compilescope.lsp.line_hover import LineHovers
from compilescope.lsp.markdown import Style
from compilescope.lsp.plain import plain_text
from compilescope.lsp.session import Session
from compilescope.lsp.shown import Placed
from compilescope.lsp.wording import outdated

RULER = "\n\n---\n\n"


async def hover(session: Session, lines: LineHovers, params: types.HoverParams) -> types.Hover | None:
    """The cards of all findings at a position, else that of its line; null where there is nothing to say."""
    key = session.documents.key(params.text_document.uri)
    if key is None:
        return None
    at = Position(params.position.line, params.position.character)
    placed = session.placed(key)
    found = [item for item in placed if _contains(item.range, at)]
    if not found and not session.client.vscode:
        found = [item for item in placed if item.range.start.line <= at.line <= item.range.end.line]
    if not found:
        card = await lines.card(key, at.line)
        return _shown(session, [card], None) if card else None
    client = session.client
    made = Cards(Style(trusted=client.vscode and client.markdown), client.commands)
    cards = [made.card(item.shown.finding, item.shown.recording, stale=_stale(item)) for item in found]
    return _shown(session, cards, lsp_range(found[0].range))


def _shown(session: Session, cards: list[str], place: types.Range | None) -> types.Hover:
    if session.client.markdown:
        kind, text = types.MarkupKind.Markdown, RULER.join(cards)
    else:
        kind, text = types.MarkupKind.PlainText, "\n\n".join(map(plain_text, cards))
    return types.Hover(contents=types.MarkupContent(kind=kind, value=text), range=place)


def _stale(placed: Placed) -> str:
    return outdated(placed.shown.finding, placed.shown.started) if placed.stale else ""


def _contains(place: Range, at: Position) -> bool:
    start, end = place.start, place.end
    return (start.line, start.character) <= (at.line, at.character) <= (end.line, end.character)
