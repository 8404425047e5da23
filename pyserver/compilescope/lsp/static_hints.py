"""Likely breaks of open files as diagnostics, until a run says what is true of their function. Off unless asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lsprotocol import types

from compilescope.hints import Guess, guesses
from compilescope.lsp import diagnostics
from compilescope.lsp.pages import rule_page
from compilescope.lsp.session import Session

CODE = "guess"
DEBOUNCE_S = 0.15


class StaticHints:
    """Guesses for one session's open documents. Looks at them in a thread and gives the session what it finds.

    `traced_lines`: the lines (from 0) in the text of now at which functions begin that a run on show is about.
    """

    def __init__(self, session: Session, traced_lines: Callable[[str, str], set[int]], *, enabled: bool) -> None:
        self._session = session
        self._traced_lines = traced_lines
        self._enabled = enabled
        self._known: dict[str, tuple[object, list[Guess]]] = {}
        self._open: set[str] = set()
        self._pending: dict[str, asyncio.TimerHandle] = {}
        self._looking: set[asyncio.Future[None]] = set()
        session.on_show.append(self._look_at_all)

    def set_enabled(self, *, enabled: bool) -> int:
        """Show guesses, or no more; how many files that is about."""
        self._enabled = enabled
        self._look_at_all()
        return len(self._open)

    def opened(self, key: str) -> None:
        """A file was opened."""
        self._open.add(key)
        self._look(key)

    def edited(self, key: str) -> None:
        """A file was edited: look at it once the typing pauses."""
        if self._enabled:
            if key in self._pending:
                self._pending.pop(key).cancel()
            self._pending[key] = asyncio.get_running_loop().call_later(DEBOUNCE_S, self._look, key)

    def closed(self, key: str) -> None:
        """A file was closed: its guesses go."""
        self._open.discard(key)
        self._known.pop(key, None)
        self._session.guess(key, [])

    def _look_at_all(self) -> None:
        for key in self._open:
            self._look(key)

    def _look(self, key: str) -> None:
        self._pending.pop(key, None)
        if not self._enabled:
            self._session.guess(key, [])
            return
        task = asyncio.ensure_future(self._find(key))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _find(self, key: str) -> None:
        stamp = self._session.documents.stamp(key)
        text = self._session.documents.text(key)
        if text is None:
            return
        found = await asyncio.to_thread(self._open_guesses, key, text, stamp)
        current = key in self._open and self._session.documents.stamp(key) == stamp
        if current and self._enabled:  # else somebody looks again
            self._session.guess(
                key, [_diagnostic(one, described=self._session.client.code_description) for one in found]
            )

    def _open_guesses(self, key: str, text: str, stamp: object) -> list[Guess]:
        """The guesses that no run on show has an answer to."""
        known = self._known.get(key)
        if known is None or known[0] != stamp:
            try:
                known = (stamp, guesses(text))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                known = (stamp, [])
            self._known[key] = known
        if not known[1]:
            return []
        traced = {line + 1 for line in self._traced_lines(key, text)}
        return [one for one in known[1] if not one.roots & traced]


def _diagnostic(guess: Guess, *, described: bool) -> types.Diagnostic:
    href = rule_page("graph-break") if described else None
    return types.Diagnostic(
        range=diagnostics.lsp_range(guess.range),
        message=f"Likely graph break: {guess.title}. A guess from the text alone; the next trace confirms it or takes "
        "it back.",
        severity=types.DiagnosticSeverity.Hint,
        code=CODE,
        code_description=types.CodeDescription(href=href) if href else None,
        source=diagnostics.SOURCE,
        data={"guess": guess.kind},
    )
