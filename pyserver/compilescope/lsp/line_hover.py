"""The hover on a line without a finding under the cursor, inside a compiled function."""

from __future__ import annotations

import asyncio

from compilescope.analysis.line_story import LineStory
from compilescope.analysis.linemap import line_map
from compilescope.lsp.line_cards import LineCards
from compilescope.lsp.markdown import Style
from compilescope.lsp.session import Session
from compilescope.recording.error import RecordingError

MOST_KEPT = 512

Told = tuple[str, str, LineStory]
"""A recording, the file as it names it, and what became of the line."""


class LineHovers:
    """Looks up lines in the recordings on show, and keeps what it found: the next hover there is answered at once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[str, int], tuple[object, int, Told | None]] = {}
        self._looking: dict[tuple[str, int], asyncio.Task[Told | None]] = {}

    async def card(self, key: str, line: int) -> str | None:
        """The card of a line (from 0) of a file; null where there is nothing to say."""
        told = await self._told(key, line)
        if told is None:
            return None
        recording, file, story = told
        client = self._session.client
        style = Style(trusted=client.vscode and client.markdown)
        return LineCards(style, client.commands, recording, file, lambda *at: self._link(recording, *at)).card(story)

    async def _told(self, key: str, line: int) -> Told | None:
        at, stamp = (key, line), self._session.documents.stamp(key)
        known = self._known.get(at)
        if known is not None and known[:2] == (stamp, self._session.shown.revision):
            return known[2]
        looking = self._looking.get(at) or self._look(at, stamp)
        # While a program is traced its findings come in, and each look may have to wait for the analysis.
        running = any(result.run.status == "running" for result in self._session.shown.results().values())
        if known is not None and known[0] == stamp and running:
            return known[2]
        return await asyncio.shield(looking)

    def _look(self, at: tuple[str, int], stamp: object) -> asyncio.Task[Told | None]:
        revision = self._session.shown.revision
        task = asyncio.ensure_future(asyncio.to_thread(self._read, *at))
        self._looking[at] = task

        def done(task: asyncio.Task[Told | None]) -> None:
            self._looking.pop(at, None)
            if not task.cancelled() and task.exception() is None:
                self._known.pop(at, None)
                self._known[at] = (stamp, revision, task.result())
                for surplus in list(self._known)[:-MOST_KEPT]:
                    del self._known[surplus]

        task.add_done_callback(done)
        return task

    def _read(self, key: str, line: int) -> Told | None:
        """What the newest run that knows the line says about it. Reads files."""
        text = self._session.documents.text(key)
        if text is None:
            return None
        for recording, result in reversed(self._session.shown.results().items()):
            if not result.compiles:
                continue
            sources = self._session.shown.sources(recording)
            file = next((file for file in sources if self._session.shown.key(file) == key), None)
            traced = line_map(sources[file], text).origin(line) if file else None
            if file is None or traced is None:
                continue
            try:
                story = self._session.runs.open(recording).line_story(file, traced + 1)
            except (RecordingError, OSError):
                continue
            if story is not None:
                return recording, file, story
        return None

    def _link(self, recording: str, file: str, line: int) -> tuple[str, int] | None:
        """The address of a traced line (from 1) and its number now."""
        key = self._session.shown.key(file)
        traced, text = (
            self._session.shown.sources(recording).get(file),
            self._session.documents.text(key) if key else None,
        )
        if key is None or text is None:
            return None
        place = line_map(traced, text).place(line - 1) if traced is not None else None
        if traced is not None and place is None:
            return None
        return self._session.documents.uri(key, file), (place.line if place else line - 1) + 1
