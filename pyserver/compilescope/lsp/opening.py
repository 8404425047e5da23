"""Opens recordings that are already there: a recording folder, a TORCH_TRACE log or a folder of them.

A folder with the logs of several jobs stands for the newest; clients that want another ask for the jobs first.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compilescope.lsp import paths, problems
from compilescope.lsp.progress import Progress
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.running import OpenRecordingParams, OpenRecordingResult
from compilescope.lsp.shown import Found
from compilescope.recording import address
from compilescope.recording.error import RecordingError

PATIENCE_S = 1.0
"""After this time there is progress to see, with a button to give up."""

logger = logging.getLogger(__name__)


class GivenUp(Exception):
    """The user does not want it any more."""


class Opening:
    """One recording on its way to the screen."""

    def __init__(self, session: Session, params: OpenRecordingParams, progress: Callable[[str], Progress]) -> None:
        self._session = session
        self._asked = params.path.strip()
        self._path = _path(params.path)
        self._progress = progress(f"Opening {address.place(Path(self._path)).name}")
        self._given_up = threading.Event()
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def finish(self) -> OpenRecordingResult:
        """Put what was found on show. Neither a recording nor a problem comes back when the user gave up."""
        if not self._asked:
            return OpenRecordingResult(None, 0, problems.unreadable("a recording", "No recording is named."))
        work = asyncio.ensure_future(asyncio.to_thread(self._read))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be waiting any more
        ends: set[asyncio.Future[Any]] = {work, self._stop}
        try:
            await asyncio.wait(ends, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await self._progress.begin(self._give_up)
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._give_up()
            raise
        finally:
            self._progress.end()
        return self._result(work)

    def _result(self, work: asyncio.Future[Found]) -> OpenRecordingResult:
        if self._given_up.is_set():
            return OpenRecordingResult(None, 0, None)
        try:
            found = work.result()
        except (RecordingError, OSError) as error:
            return OpenRecordingResult(None, 0, problems.unreadable(self._path, str(error)))
        except Exception as error:
            logger.exception("opening %s failed", self._path)
            return OpenRecordingResult(None, 0, problems.internal(error))
        self._session.runs.ask_for(found.recording)
        self._session.show(found)
        return OpenRecordingResult(found.recording, len(found.result.findings), None)

    def _read(self) -> Found:
        several = address.addressed(Path(self._path))
        path = str(several[-1].address) if several else self._path
        opened = self._session.runs.open(path, self._check)
        self._check()
        found = opened.found()
        self._session.prepare([found])
        return found

    def _check(self) -> None:
        if self._given_up.is_set():
            raise GivenUp

    def _give_up(self) -> None:
        self._given_up.set()
        if not self._stop.done():
            self._stop.set_result(None)


def _path(asked: str) -> str:
    path = (paths.to_path(asked) if asked.startswith("file:") else None) or asked
    return str(Path(path).expanduser().absolute())
