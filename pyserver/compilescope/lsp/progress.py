"""Work-done progress with Cancel, for clients that show it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.progress import Progress as Tokens

PATIENCE_S = 5

logger = logging.getLogger(__name__)


class Progress:
    """One piece of work's progress. Does nothing where the client shows none."""

    def __init__(self, tokens: Tokens, title: str, *, shown: bool) -> None:
        self._tokens = tokens
        self._title = title
        self._shown = shown
        self._token = str(uuid.uuid4())
        self._last = ""

    async def begin(self, cancel: Callable[[], object]) -> None:
        """Show it, with a button that calls `cancel`."""
        if not self._shown:
            return
        try:
            await asyncio.wait_for(self._tokens.create_async(self._token), PATIENCE_S)
        except (JsonRpcException, TimeoutError, asyncio.TimeoutError):
            logger.warning("the client gave no progress")
            self._shown = False
            return
        self._tokens.begin(self._token, types.WorkDoneProgressBegin(title=self._title, cancellable=True))

        def done(future: Future[object]) -> None:
            if future.cancelled():
                cancel()

        self._tokens.tokens[self._token].add_done_callback(done)

    def report(self, message: str) -> None:
        """Say how far it is; the same words twice are sent once."""
        if self._shown and message != self._last:
            self._last = message
            self._tokens.report(self._token, types.WorkDoneProgressReport(message=message, cancellable=True))

    def end(self) -> None:
        """Take it away."""
        if self._shown and self._token in self._tokens.tokens:
            self._tokens.end(self._token, types.WorkDoneProgressEnd())
            self._tokens.tokens.pop(self._token)
