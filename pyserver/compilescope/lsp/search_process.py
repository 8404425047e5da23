"""The process that searches recordings for the server, so that no search holds up an answer or can't be ended.

A regular expression that is being matched lets no other thread run. Here that is nobody else's loss: the server sees
that no sign of life comes, and ends this process. It reads one request a line from stdin,
`{"id", "recording", "paths", "query"}` or `{"cancel": id}`, and writes `{"id", "hits"}`, then `{"id", "end"}` or
`{"id", "error"}` (`failure` when it is ours); in between `{}` as a sign of life. It ends with its stdin.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilescope.analysis.search import BadPattern, Ended, Hit, Known, Query, grouped, to_json
from compilescope.recording import address
from compilescope.recording.error import RecordingError
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording

if TYPE_CHECKING:
    from typing import TextIO

    from compilescope.recording.reader import Source

TICK_S = 0.1
"""How long a hit waits for others at most."""
BEATS = 5
"""Ticks from one sign of life to the next."""
BATCH = 100
KEPT = 2
"""Recordings that stay open."""

logger = logging.getLogger(__name__)


class _Cancelled(Exception):
    """Nobody wants to know any more."""


class _Outbox:
    """Writes lines, and hits in batches: many at once, few after a moment."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._wait = threading.Event()
        self._hits: list[dict[str, Any]] = []
        self._of = 0
        threading.Thread(target=self._tick, daemon=True).start()

    def hit(self, number: int, found: Hit) -> None:
        """Send a hit, soon."""
        start, end = to_json.utf16(found)
        with self._lock:
            self._of = number
            self._hits.append({**asdict(found), "start": start, "end": end})
            if len(self._hits) >= BATCH:
                self._flush()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, after the hits before it."""
        with self._lock:
            self._flush()
            self._write(message)

    def _flush(self) -> None:
        if self._hits:
            self._write({"id": self._of, "hits": self._hits})
            self._hits = []

    def _write(self, message: dict[str, Any]) -> None:
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()

    def _tick(self) -> None:
        ticks = 0
        while not self._wait.wait(TICK_S):
            ticks += 1
            with self._lock:
                self._flush()
                if ticks % BEATS == 0:
                    self._write({})


class _Searcher:
    """Answers requests one after the other; recordings stay open, with what is known of them."""

    def __init__(self, outbox: _Outbox) -> None:
        self.requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.cancelled: set[int] = set()
        self._outbox = outbox
        self._known: dict[str, tuple[str, Known]] = {}
        self._sources: dict[str, Source] = {}

    def run(self) -> None:
        """Answer for ever."""
        while True:
            request = self.requests.get()
            number = request["id"]
            try:
                self._outbox.send({"id": number, "end": self._answer(number, request)})
            except (BadPattern, RecordingError, OSError) as error:
                self._outbox.send({"id": number, "error": str(error)})
            except _Cancelled:
                self._outbox.send({"id": number, "error": "cancelled"})
            except Exception as error:
                logger.exception("the search failed")
                self._outbox.send({"id": number, "failure": f"{type(error).__name__}: {error}"})
            self.cancelled.discard(number)

    def close(self) -> None:
        """Close all recordings: what was unpacked of them goes."""
        for _, known in list(self._known.values()):
            known.recording.close()

    def _answer(self, number: int, request: dict[str, Any]) -> dict[str, Any]:
        def check() -> None:
            if number in self.cancelled:
                raise _Cancelled

        check()
        for found in grouped(self._of(request["recording"], request["paths"]), Query(**request["query"]), check):
            if isinstance(found, Ended):
                return asdict(found)
            self._outbox.hit(number, found)
        raise AssertionError

    def _of(self, path: str, paths: list[tuple[str, str]]) -> Known:
        """What is known of a recording as it is now."""
        source = address.source(address.current(Path(path)))
        state, known = self._known.pop(path, (None, None))
        if known is not None and source != self._sources.get(path):  # another log came to the job
            known.recording.close()
            known = None
        self._sources[path] = source
        recording = Recording.open(source) if known is None else known.recording
        try:
            recording.refresh()
        except BaseException:
            recording.close()
            raise
        recording.paths = PathMapping.of([(there, here) for there, here in paths])
        now = f"{recording.state()} {recording.info!r} {paths!r}"
        self._known[path] = (now, known if known is not None and state == now else Known(recording))
        for surplus in list(self._known)[:-KEPT]:
            self._known.pop(surplus)[1].recording.close()
        return self._known[path][1]


def _read(searcher: _Searcher) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "cancel" in message:
            searcher.cancelled.add(message["cancel"])
        else:
            searcher.requests.put(message)
    try:
        searcher.close()
    finally:
        os._exit(0)


def main() -> None:
    """Search until stdin ends."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what prints by mistake is no message
    searcher = _Searcher(_Outbox(output))
    threading.Thread(target=_read, args=(searcher,), daemon=True).start()
    searcher.run()


def command() -> list[str]:
    """How the process is started: isolated, like the server, with the server's packages."""
    path = [one for one in sys.path if one and Path(one).exists()]
    start = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from compilescope.lsp import search_process as p"
    return [sys.executable, "-I", "-S", "-c", f"{start}; p.main()", json.dumps(path)]
