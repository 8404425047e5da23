"""Searches of the client: asked of a process of our own, hits handed on as they come."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams

from compilescope.lsp import search_process
from compilescope.lsp.shapes.search import SearchHit, SearchParams, SearchResult

SILENCE_S = 10.0
"""Without a sign of life for so long the process is stuck in a regular expression."""
PATIENCE_S = 1.5
"""The same, when a search that nobody wants any more keeps another one waiting."""
IDLE_S = 120.0
LONGEST_LINE = 64 << 20

logger = logging.getLogger(__name__)


class Searching:
    """One search at a time; the process that makes them starts with the first and ends when it is idle for long."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._number = 0
        self._unfinished = 0
        self._idle: asyncio.TimerHandle | None = None

    async def search(
        self, params: SearchParams, paths: list[tuple[str, str]], report: Callable[[list[SearchHit]], None] | None
    ) -> SearchResult:
        """Search; hits go to `report`, or into the result. Raises JsonRpcInvalidParams. To end it, cancel the task."""
        async with self._lock:
            await self._settled()
            process = await self._started()
            self._number += 1
            self._unfinished = number = self._number
            query = {name: getattr(params, name) for name in ("text", "regex", "case", "limit", "per_kind")}
            query |= {"kinds": params.kinds} if params.kinds else {}
            self._tell(process, {"id": number, "recording": params.recording, "paths": paths, "query": query})
            try:
                return await self._answer(number, report)
            except asyncio.CancelledError:
                self._tell(process, {"cancel": number})
                raise
            finally:
                loop = asyncio.get_running_loop()
                self._idle = loop.call_later(IDLE_S, self.close)

    def close(self) -> None:
        """Have the process end: it does so, and cleans up, when its stdin is closed."""
        process, self._process, self._unfinished = self._process, None, 0
        if process is not None and process.stdin is not None:
            process.stdin.close()

    def _kill(self) -> None:
        """End the process, whatever it is in."""
        process, self._process, self._unfinished = self._process, None, 0
        if process is not None and process.returncode is None:
            process.kill()

    async def _answer(self, number: int, report: Callable[[list[SearchHit]], None] | None) -> SearchResult:
        hits: list[SearchHit] = []
        count = 0
        while True:
            message = await self._message(SILENCE_S)
            if message is None:
                return SearchResult(hits, count, "too-slow", [], None, {})
            if message.get("id") != number:
                continue
            if "hits" in message:
                found = [SearchHit(**one) for one in message["hits"]]
                count += len(found)
                if report is None:
                    hits += found
                else:
                    report(found)
                continue
            self._unfinished = 0
            if "error" in message:
                raise JsonRpcInvalidParams(message["error"])
            if "failure" in message:
                raise JsonRpcInternalError(f"The search failed: {message['failure']}")
            end = message["end"]
            return SearchResult(hits, end["hits"], end["stopped"], list(end["cut"]), end["at"], end["left_out"])

    async def _settled(self) -> None:
        """Wait until the search before, which was cancelled, has ended; or end its process."""
        if self._idle is not None:
            self._idle.cancel()
        while self._unfinished:
            message = await self._message(PATIENCE_S)
            if message is not None and message.get("id") == self._unfinished and not message.keys() & {"hits"}:
                self._unfinished = 0

    async def _message(self, silence_s: float) -> dict[str, Any] | None:
        """The next message; None when none came in time, and the process was ended. Raises JsonRpcInternalError."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), silence_s)
        except (TimeoutError, asyncio.TimeoutError):
            self._kill()
            return None
        if not line:
            code = await self._process.wait()
            self.close()
            raise JsonRpcInternalError(f"The search ended unexpectedly (exit code {code}).")
        message: dict[str, Any] = json.loads(line)
        return message

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *search_process.command(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
            )
        return self._process

    @staticmethod
    def _tell(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
