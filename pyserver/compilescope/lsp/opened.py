"""A recording that is open in the server. Every method reads files: call them in a thread."""

from __future__ import annotations

import datetime as dt
import gc
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from compilescope import fixes
from compilescope.analysis import analyse, line_nodes, log_lines
from compilescope.analysis.analyse import context_of
from compilescope.analysis.code_view import CodeViews
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.line_nodes import CompileNodes
from compilescope.analysis.line_story import LineStories, LineStory
from compilescope.analysis.load import source_texts
from compilescope.analysis.logs import Logs
from compilescope.analysis.model import Result
from compilescope.analysis.path_guess import Candidate, look
from compilescope.analysis.progress import last_step
from compilescope.analysis.recompile_view import Recompiles
from compilescope.analysis.sources import Sources
from compilescope.analysis.timeline import timeline
from compilescope.analysis.timeline_model import Timeline
from compilescope.lsp.shown import Found
from compilescope.recording import address, jobs
from compilescope.recording.alive import is_alive
from compilescope.recording.error import RecordingError
from compilescope.recording.mapping import PathMapping
from compilescope.recording.reader import Recording
from compilescope.recording.writers import Writers
from compilescope.report.sources import sources

logger = logging.getLogger(__name__)

NODES_KEPT = 64
"""Compiles whose nodes are kept by line."""


class OpenRecording:
    """One recording with what was found in it, brought up to date when its logs grew. Thread-safe.

    One that was closed is opened again when somebody who still has it asks for something.
    """

    def __init__(
        self,
        path: str,
        check: Callable[[], None] | None = None,
        paths: Callable[[], PathMapping] = PathMapping,
    ) -> None:
        """Open `path`. Raises RecordingError when nothing there is a recording, and what `check` raises.

        `paths` returns what paths of other machines are here now.
        """
        self.path = path
        self.paths = paths
        self._lock = threading.RLock()
        self._source = address.source(Path(path))
        with _no_collection():
            self._recording = Recording.open(self._source, check)
        self._closed = False
        self._result: Result | None = None
        self._state: object = None
        self._sources: tuple[Result, dict[str, str]] | None = None
        self._graphs: tuple[Result, Graphs] | None = None
        self._recompiles: tuple[Result, Recompiles] | None = None
        self._stories: tuple[Result, LineStories] | None = None

    def close(self) -> None:
        """Close its files."""
        with self._lock:
            self._closed = True
            self._recording.close()

    def result(self) -> Result:
        """What there is to say now."""
        with self._lock, _no_collection():
            if self._recording.is_stale or self._has_other_logs():
                self.close()
            if self._closed:
                self._recording, self._closed = Recording.open(self._source), False
                self._result = None
            if self._result is not None and not self._is_there():
                return self._result  # its folder went: what was read of it is all there is
            self._recording.refresh()
            self._recording.paths = self.paths()
            state = (self._recording.state(), repr(self._recording.info), self._recording.paths)
            if self._result is None or state != self._state:
                self._result = analyse(self._recording)
                self._state = state
            if self._result.run.status == "running" and self._abandoned():
                self._result.run.status = "killed"
            return self._result

    def _is_there(self) -> bool:
        return os.path.exists(address.place(Path(self.path)))  # noqa: PTH110 - never raises

    def _has_other_logs(self) -> bool:
        """Whether the job has more logs than it had, or fewer."""
        before = self._source
        try:
            self._source = address.source(Path(self.path))
        except RecordingError:
            return False
        return self._source != before

    def _abandoned(self) -> bool:
        """Whether the run was ended together with whoever should have written its end down."""
        pid = (self._recording.info or {}).get("pid")
        return isinstance(pid, int) and not is_alive(pid)

    def sources(self) -> dict[str, str]:
        """The texts of the files that findings point into, as they were traced, by path."""
        with self._lock:
            result = self.result()
            if self._sources is None or self._sources[0] is not result:
                self._sources = (result, sources(self._recording, result))
                _attach(result, self._sources[1])
            return self._sources[1]

    def found(self) -> Found:
        """What there is to put on show now."""
        with self._lock:
            sources = self.sources()
            return Found(self.path, self.result(), sources)

    def guess(self, folders: list[str]) -> list[Candidate]:
        """Where the program may be below `folders`, when it is that of another machine."""
        with self._lock:
            return look(self._recording, self.result().missing, folders)

    def log_source(self, file: str) -> tuple[dict[int, str], str | None]:
        """The lines of a file that the recording has, by number, and the whole text where it has that."""
        with self._lock:
            self.result()
            whole = source_texts(self._recording).get(file)
            if whole is not None:
                return dict(enumerate(whole.split("\n"), 1)), whole
            return log_lines.read(self._recording, {file}).get(file, {}), None

    def began(self) -> str | None:
        """When the first record of its logs was written, in UTC; null where that is not told."""
        with self._lock:
            began = jobs.began(log.path for log in self._recording.logs.values())
        return None if began is None else began.astimezone(dt.timezone.utc).isoformat()

    def processes(self) -> int:
        """How many processes have written logs."""
        with self._lock:
            return len(self._recording.processes())

    def note_writers(self, writers: Writers) -> None:
        """Have `writers` see who writes the recording's logs now."""
        with self._lock:
            writers.see(self._recording)

    def last_step(self) -> str | None:
        """What is being compiled now, `denoise [0/0], code generation`; null while nothing is."""
        with self._lock:
            return last_step(self._recording, self.result())

    def line_story(self, file: str, line: int) -> LineStory | None:
        """What became of a line (from 1, as it was traced) of a compiled function; null for any other."""
        with self._lock:
            sources, result = self.sources(), self.result()
            if self._stories is None or self._stories[0] is not result:
                with self.graphs() as graphs:
                    stages = line_nodes.by_compile(graphs)

                @lru_cache(maxsize=NODES_KEPT)
                def nodes(compile_id: str) -> CompileNodes | None:
                    own = stages.get(compile_id)
                    return line_nodes.read(graphs, own) if own else None

                self._stories = (result, LineStories(result, sources, nodes))
            return self._stories[1].story(file, line)

    @contextmanager
    def graphs(self) -> Iterator[Graphs]:
        """The recording's graphs, for as long as nobody else reads it."""
        with self._lock, _no_collection():
            result = self.result()
            if self._graphs is None or self._graphs[0] is not result:
                self._graphs = (result, Graphs(self._recording, context_of(self._recording)))
            yield self._graphs[1]

    @contextmanager
    def recompiles(self) -> Iterator[Recompiles]:
        """The versions of the compiled functions, for as long as nobody else reads the recording."""
        with self._lock, _no_collection():
            self.sources()  # the fixes are made with them
            result = self.result()
            if self._recompiles is None or self._recompiles[0] is not result:
                self._recompiles = (result, Recompiles(self._recording, context_of(self._recording), result))
            yield self._recompiles[1]

    @contextmanager
    def timeline(self) -> Iterator[tuple[Timeline, Sources]]:
        """The timeline and the program's texts, for as long as nobody else reads the recording."""
        with self._lock, _no_collection():
            result, context = self.result(), context_of(self._recording)
            yield timeline(self._recording, result, context), context.sources

    @contextmanager
    def code_views(self) -> Iterator[CodeViews]:
        """The generated code, for as long as nobody else reads the recording."""
        with self.graphs() as graphs:
            yield CodeViews(self._recording, context_of(self._recording), self.result(), graphs)

    @contextmanager
    def read(self) -> Iterator[Recording]:
        """The recording as it is now, for as long as nobody else reads it."""
        with self._lock, _no_collection():
            self.result()
            yield self._recording

    @contextmanager
    def logs(self) -> Iterator[Logs]:
        """What torch logged in the run, for as long as nobody else reads the recording."""
        with self._lock, _no_collection():
            self.result()
            yield Logs(self._recording, context_of(self._recording))


def _attach(result: Result, sources: dict[str, str]) -> None:
    """Give the findings their fixes; findings without any are better than none."""
    try:
        fixes.attach(result, sources)
    except Exception:
        logger.exception("no fixes are proposed")


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection, which would walk through all of a large result and hold up every other thread.

    What came to be meanwhile is not walked through later either. It is freed by its reference counts.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
