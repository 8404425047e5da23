"""Writes a recording as one file to hand on, in a thread, with progress and a way to give up."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compilescope.lsp import problems
from compilescope.lsp.progress import Progress
from compilescope.lsp.shapes.sharing import PackParams, PackResult
from compilescope.recording import address
from compilescope.recording.error import RecordingError
from compilescope.recording.pack import Packed, pack
from compilescope.recording.redact.redaction import Redaction, UnknownKind
from compilescope.report.counted import size
from compilescope.report.left_out import told

logger = logging.getLogger(__name__)


class GivenUp(Exception):
    """The user does not want it any more."""


class Packing:
    """One recording on its way into a file."""

    def __init__(self, params: PackParams, progress: Callable[[str], Progress]) -> None:
        self._params = params
        self._progress = progress(f"Packing {address.place(Path(params.recording)).name}")
        self._given_up = threading.Event()

    async def finish(self) -> PackResult:
        """Write the file. One that is there is replaced only by a whole one."""
        try:
            redaction = Redaction.of(self._params.leave_out)
        except UnknownKind as error:
            return self._failed(str(error))
        work: asyncio.Future[Packed] = asyncio.ensure_future(asyncio.to_thread(self._write, redaction))
        try:
            await self._progress.begin(self._given_up.set)
            packed = await asyncio.shield(work)
        except GivenUp:
            return PackResult(None, "", "", None)
        except asyncio.CancelledError:
            self._given_up.set()
            work.add_done_callback(_seen)
            raise
        except RecordingError as error:
            return self._gone() or self._failed(str(error))
        except OSError as error:
            return self._gone() or self._failed(f"{error.strerror or error}.")
        except Exception as error:
            logger.exception("packing %s failed", self._params.recording)
            return PackResult(None, "", "", problems.internal(error))
        finally:
            self._progress.end()
        left_out = told(redaction, packed.left_out) if packed.left_out is not None else ""
        return PackResult(self._params.file, size(packed.file), left_out, None)

    def _write(self, redaction: Redaction) -> Packed:
        recording = address.source(address.current(Path(self._params.recording)))
        return pack(recording, Path(self._params.file), self._check, redaction)

    def _check(self) -> None:
        if self._given_up.is_set():
            raise GivenUp

    def _gone(self) -> PackResult | None:
        path = self._params.recording
        return None if address.place(Path(path)).exists() else PackResult(None, "", "", problems.gone(path))

    def _failed(self, why: str) -> PackResult:
        return PackResult(None, "", "", problems.unwritable(self._params.file, why))


def _seen(done: asyncio.Future[Any]) -> None:
    """Nobody waits for it any more: what it raised was looked at."""
    if not done.cancelled():
        done.exception()
