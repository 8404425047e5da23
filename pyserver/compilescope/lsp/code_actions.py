"""Code actions: the fixes of the findings on a line, to ignore a finding there, and to read about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import attrs
from lsprotocol import types

from compilescope.analysis.model import Finding
from compilescope.lsp import fixing
from compilescope.lsp.client import Client
from compilescope.lsp.diagnostics import SOURCE, lsp_range
from compilescope.lsp.fixing import IGNORE, Chosen
from compilescope.lsp.markdown import safe_href
from compilescope.lsp.pages import rule_page
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.fixing import FixParams
from compilescope.lsp.shapes.runs import FindingPlace
from compilescope.lsp.shown import Placed
from compilescope.report.counted import counted

Action = types.CodeAction | types.Command

VERIFY = "Fix and verify: "


def code_actions(session: Session, params: types.CodeActionParams) -> list[Action]:
    """What can be done about the findings on the lines of a range, in the order in which it is offered."""
    key = session.documents.key(params.text_document.uri)
    if key is None:
        return []
    placed = session.placed(key)
    here = [item for item in placed if _on_lines(item, params.range)]
    offer = _Offer(session, params.context)
    made = [action for item in here for action in offer.mending(item)]
    made += offer.all_of_file(placed, here[0]) if here else []
    made += [action for item in here for action in offer.ignoring(item)]
    return made + [action for item in here for action in offer.explaining(item)]


@dataclass(frozen=True)
class _Offer:
    """Makes the actions of one request."""

    session: Session
    context: types.CodeActionContext

    def mending(self, item: Placed) -> Iterator[Action]:
        """Fix and verify, then each fix alone."""
        possible = [one for one in self._possible(item) if one.fix.kind != IGNORE]
        best = fixing.best(item.shown.finding)
        proven = next((one for one in possible if one.fix is best), None)
        verified = proven is not None and self._client.can("fixAndVerify")
        if verified and proven is not None and self._wanted(types.CodeActionKind.QuickFix):
            title = VERIFY + _lower(proven.fix.title)
            yield self._command(title, "fixAndVerify", [proven], item, preferred=True)
        for one in possible:
            preferred = one.fix.preferred and not verified
            yield from self._edit(one, item, preferred=preferred)

    def all_of_file(self, placed: Sequence[Placed], first: Placed) -> Iterator[Action]:
        """All findings of the file in one go, each by its best fix, where several can be mended together.

        `first`: the finding that it is offered at. VS Code shows actions without a finding behind all others.
        """
        if not self._client.can("fixAndVerify") or not self._wanted(types.CodeActionKind.QuickFix):
            return
        bests = [one for item in placed for one in self._possible(item) if one.fix is fixing.best(item.shown.finding)]
        newest = [one for one in bests if one.shown.recording == bests[-1].shown.recording]
        together = fixing.apart(newest)
        if len(together) > 1:
            title = f"Fix and verify all {counted(len(together), 'finding')} in this file"
            yield self._command(title, "fixAndVerify", together, first)

    def ignoring(self, item: Placed) -> Iterator[Action]:
        """The comment that takes the finding off."""
        for one in self._possible(item):
            if one.fix.kind == IGNORE:
                yield from self._edit(one, item, preferred=False)

    def explaining(self, item: Placed) -> Iterator[Action]:
        """The page about it, and the finding as text for an issue."""
        if not self._wanted(types.CodeActionKind.Empty):
            return
        finding = item.shown.finding
        href = _page(finding)
        if href is not None and self._client.can("explain"):
            command = self._client.command("explain", f"Explain {finding.code}", {"href": href})
            yield from self._running(command, item)
        if self._client.can("copyMarkdown"):
            start = finding.range.start
            place = FindingPlace(finding.rule, finding.file, start.line, start.character)
            argument = {"recording": item.shown.recording, "finding": attrs.asdict(place)}
            yield from self._running(self._client.command("copyMarkdown", "Copy as Markdown", argument), item)

    def _running(self, command: types.Command, item: Placed) -> Iterator[Action]:
        if not self._client.action_literals:
            yield command
            return
        yield types.CodeAction(
            title=command.title,
            kind=types.CodeActionKind.Empty,
            diagnostics=self._diagnostics(item),
            command=command,
        )

    @property
    def _client(self) -> Client:
        return self.session.client

    def _possible(self, item: Placed) -> list[Chosen]:
        """The fixes whose lines are still as they were traced."""
        chosen = [Chosen(item.shown, fix) for fix in item.shown.finding.fixes]
        return [one for one in chosen if self.session.edits_now([one]) is not None]

    def _edit(self, one: Chosen, item: Placed, *, preferred: bool) -> Iterator[Action]:
        edits = self.session.edits_now([one])
        if edits is None or not self._wanted(types.CodeActionKind.QuickFix):
            return
        if not self._client.action_literals:
            if self._client.can("applyFix"):
                yield self._client.command("applyFix", one.fix.title, _argument([one]))
            return
        yield types.CodeAction(
            title=one.fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._diagnostics(item),
            is_preferred=preferred or None,
            edit=fixing.workspace_edit(edits, self.session.documents, versioned=self._client.versioned_edits),
        )

    def _command(
        self, title: str, name: str, chosen: Sequence[Chosen], item: Placed, *, preferred: bool = False
    ) -> Action:
        command = self._client.command(name, title, _argument(chosen))
        if not self._client.action_literals:
            return command
        return types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._diagnostics(item),
            is_preferred=preferred or None,
            command=command,
        )

    def _diagnostics(self, item: Placed) -> list[types.Diagnostic] | None:
        """The client's own diagnostics of a finding."""
        place, code = lsp_range(item.range), item.shown.finding.code
        own = [one for one in self.context.diagnostics if one.source == SOURCE and one.range == place]
        return [one for one in own if one.code == code] or None

    def _wanted(self, kind: types.CodeActionKind) -> bool:
        """Whether the client asked for this kind, or for no kind in particular."""
        return self.context.only is None or any(_within(kind.value, _value(one)) for one in self.context.only)


def _argument(chosen: Iterable[Chosen]) -> dict[str, Any]:
    """`FixParams` as they travel."""
    each = list(chosen)
    return attrs.asdict(FixParams(each[0].shown.recording, [one.choice for one in each]))


def _page(finding: Finding) -> str | None:
    """Torch's page about the finding, else ours about its rule."""
    return safe_href(finding.href) or rule_page(finding.rule)


def _on_lines(item: Placed, place: types.Range) -> bool:
    return item.range.start.line <= place.end.line and place.start.line <= item.range.end.line


def _lower(title: str) -> str:
    """`Always clamp` as it goes on after a colon; a name with capitals of its own stays."""
    first = re.match(r"\w+", title)
    return title[:1].lower() + title[1:] if first and first[0] == first[0].capitalize() else title


def _within(kind: str, asked: str) -> bool:
    return not asked or kind == asked or kind.startswith(f"{asked}.")


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else str(kind)
