"""Logs of other machines: where their files are here, as the user set it; else a guess, for the user to confirm."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from compilescope.analysis.log_lines import with_gaps
from compilescope.analysis.path_guess import Candidate
from compilescope.lsp.runs import RunStore
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.elsewhere import LogSourceParams, LogSourceResult, MappedPath, PathCandidate, PathGuess
from compilescope.recording.error import RecordingError
from compilescope.recording.mapping import PathMapping

logger = logging.getLogger(__name__)


class Elsewhere:
    """Paths of other machines in one session. Its methods belong to the event loop's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._looked_for: set[tuple[str, ...]] = set()
        self._tasks: set[asyncio.Future[None]] = set()
        session.on_show.append(self._look)

    async def set(self, mappings: Iterable[MappedPath]) -> bool:
        """Use these mappings from now on, also for what is on show; whether they are others than before."""
        paths = mapping(mappings, self._session.wire.folders())
        if paths == self._session.paths:
            return False
        self._session.paths = paths
        self._looked_for.clear()
        self._session.runs.forget_summaries()
        for recording in list(self._session.shown.results()):
            try:
                opened = await asyncio.to_thread(self._session.runs.open, recording)
                found = await asyncio.to_thread(opened.found)
            except (RecordingError, OSError):
                continue
            self._session.show(found)
        self._session.runs_changed(None)
        return True

    def _look(self) -> None:
        """Look for the files of recordings that came on show, each once."""
        for recording, result in self._session.shown.results().items():
            missing = tuple(result.missing)
            if missing and missing not in self._looked_for and self._session.runs.is_asked_for(recording):
                self._looked_for.add(missing)
                task = asyncio.ensure_future(self._guess(recording))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _guess(self, recording: str) -> None:
        folders = self._session.wire.folders()
        try:
            opened = await asyncio.to_thread(self._session.runs.open, recording)
            found = await asyncio.to_thread(opened.guess, folders)
        except (RecordingError, OSError):
            return
        except Exception:
            logger.exception("the files of %s are not looked for", recording)
            return
        if found:
            self._session.path_guess(PathGuess(recording, [_shape(one) for one in found]))
            self._session.show_message(_told(found), types.MessageType.Info)


def mapping(mappings: Iterable[MappedPath], folders: list[str]) -> PathMapping:
    """The mapping that a setting says; what is not a whole path here is below the first folder of the workspace."""
    home = folders[0] if folders else os.getcwd()  # noqa: PTH109
    here = ((one.there, os.path.normpath(Path(home, Path(one.here).expanduser()))) for one in mappings)
    return PathMapping.of(here)


def log_source(runs: RunStore, params: LogSourceParams) -> LogSourceResult:
    """A file as a recording has it: of those that are open, the one that has most of it. Raises RecordingError."""
    opened = runs.opened() if params.recording is None else [runs.open(params.recording)]
    found = [one.log_source(params.file) for one in opened]
    lines, whole = max(found, key=lambda one: (one[1] is not None, len(one[0])), default=({}, None))
    if whole is not None:
        return LogSourceResult(whole, len(lines), whole=True)
    if not lines:
        return LogSourceResult("# This recording has no line of this file.\n", 0, whole=False)
    text = [*with_gaps(lines), "# what follows is not in the log", ""]
    return LogSourceResult("\n".join(text), len(lines), whole=False)


def _shape(one: Candidate) -> PathCandidate:
    return PathCandidate(one.there, one.here, one.files, one.agree, one.compared)


def _told(found: list[Candidate]) -> str:
    places = " or ".join(f'{{"from": "{one.there}", "to": "{one.here}"}}' for one in found)
    return f"This log is from another machine. To see it on the files here, set the option `pathMappings`: [{places}]"
