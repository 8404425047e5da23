"""Follows folders that jobs elsewhere write to: each of their recordings is one more that grows."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from attrs import evolve
from lsprotocol import types

from compilescope.lsp import paths
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.watching import Watched, WatchedFolder
from compilescope.recording.error import RecordingError
from compilescope.recording.tail import tail
from compilescope.recording.watched import Look, disk_is_full, look
from compilescope.recording.writers import Writers
from compilescope.report.live import ended, progress

LOOK_S = 2.0
"""How often it is seen whether the writers still run."""
SHARE = 3
"""Between two looks at a growing recording pass this many times what the last look took."""


@dataclass
class _Live:
    """Who writes to a folder, and the compile that goes on in what was written to last."""

    writers: Writers = field(default_factory=Writers)
    step: str | None = None
    ended: str | None = None


logger = logging.getLogger(__name__)


class Watching:
    """The folders that are watched. Its methods belong to the event loop's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._folders: dict[str, WatchedFolder] = {}
        self._tasks: dict[str, asyncio.Future[None]] = {}

    def watch(self, path: str) -> Watched:
        """Follow what is written to a folder from now on; one that does not exist yet is waited for."""
        folder = str(Path((paths.to_path(path) if path.startswith("file:") else None) or path).expanduser().absolute())
        if folder not in self._tasks:
            self._say(WatchedFolder(folder, "waiting", "waiting for the first record", None, 0))
            self._tasks[folder] = asyncio.ensure_future(self._follow(folder))
        return self.watched()

    def stop(self, path: str | None) -> int:
        """Watch a folder, or all, no longer; how many those were. What was found stays on show."""
        folders = list(self._tasks) if path is None else [one for one in [str(Path(path))] if one in self._tasks]
        for folder in folders:
            self._tasks.pop(folder).cancel()
            del self._folders[folder]
        if folders:
            self._session.watched(self.watched())
        return len(folders)

    def watched(self) -> Watched:
        """All folders that are watched, with how far each is."""
        return Watched(list(self._folders.values()))

    async def _follow(self, folder: str) -> None:
        grown, before, live = asyncio.Event(), Look(), _Live()
        loop = asyncio.get_running_loop()
        async with tail(Path(folder), grown.set, look=look, deep=True) as told:
            while True:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(grown.wait(), LOOK_S)
                self._say_ended(folder, live)
                if not grown.is_set():
                    continue
                grown.clear()
                began = loop.time()
                now = await asyncio.to_thread(look, Path(folder))
                if now.missing or not now.recordings:
                    self._say_missing(folder, now, before, told.polling)
                else:
                    await self._show(folder, now, before, told.polling, live)
                    before = now
                await asyncio.sleep((loop.time() - began) * SHARE)

    def _say_missing(self, folder: str, now: Look, before: Look, polling: str | None) -> None:
        count, why = len(before.recordings), now.missing or "it has no record"
        if not before.recordings:
            self._say(WatchedFolder(folder, "waiting", f"{why} yet; waiting for it", polling, 0))
        elif self._folders[folder].state != "gone":
            self._say(WatchedFolder(folder, "gone", f"{why} any more; what was found stays on show", polling, count))
            self._session.show_message(
                f"{folder} is watched: {self._folders[folder].words}.", types.MessageType.Warning
            )

    def _say_ended(self, folder: str, live: _Live) -> None:
        """Say which writers have ended; with a message where that was in the middle of a compile."""
        for process in live.writers.ended():
            words = ended(process, live.step)
            if live.step is not None:
                live.ended = words
            if folder in self._folders:
                known = self._folders[folder]
                self._say(evolve(known, words=f"{known.words} · {words}", ended=live.ended))
            if live.step is not None:
                self._session.show_message(f"{folder} is watched: {words}.", types.MessageType.Warning)

    async def _show(self, folder: str, now: Look, before: Look, polling: str | None, live: _Live) -> None:
        """Bring what grew on show; at first only the recording that was written to last."""
        grown = now.grown(before) if before.recordings else [one for one in [now.newest] if one]
        words = await self._bring(grown, live)
        if await asyncio.to_thread(disk_is_full, Path(folder)):
            words = f"its disk is full: logs end in the middle · {words}"
        if folder in self._folders:
            words = words or self._folders[folder].words
            self._say(WatchedFolder(folder, "following", words, polling, len(now.recordings), live.ended))

    async def _bring(self, recordings: Iterable[Path], live: _Live) -> str:
        words = ""
        for path in recordings:
            try:
                opened = await asyncio.to_thread(self._session.runs.open, str(path))
                found = await asyncio.to_thread(opened.found)
            except (RecordingError, OSError):  # it went meanwhile, or is none yet
                continue
            except Exception:
                logger.exception("%s is not shown", path)
                continue
            self._session.runs.ask_for(found.recording)
            self._session.show(found)
            words = progress(found.result, opened.processes())
            await asyncio.to_thread(opened.note_writers, live.writers)
            live.step = await asyncio.to_thread(opened.last_step)
        return words

    def _say(self, folder: WatchedFolder) -> None:
        if self._folders.get(folder.path) != folder:
            self._folders[folder.path] = folder
            self._session.watched(self.watched())
