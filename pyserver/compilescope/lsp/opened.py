"""A recording that is open in the server. Every method reads files: call them in a thread."""

from __future__ import annotations

import threading

from compilescope.analysis import analyse
from compilescope.analysis.model import Result
from compilescope.recording.reader import Recording
from compilescope.report.sources import sources


class OpenRecording:
    """One recording with what was found in it, brought up to date when its logs grew. Thread-safe."""

    def __init__(self, path: str) -> None:
        """Open `path`. Raises RecordingError when nothing there is a recording."""
        self.path = path
        self._lock = threading.Lock()
        self._recording = Recording.open(path)
        self._result: Result | None = None
        self._state: object = None
        self._sources: tuple[Result, dict[str, str]] | None = None

    def close(self) -> None:
        """Close its files."""
        with self._lock:
            self._recording.close()

    @property
    def known(self) -> Result | None:
        """What was found when somebody last asked; never waits."""
        return self._result

    def result(self) -> Result:
        """What there is to say now."""
        with self._lock:
            self._recording.refresh()
            state = (self._recording.state(), repr(self._recording.info))
            if self._result is None or state != self._state:
                self._result = analyse(self._recording)
                self._state = state
            return self._result

    def sources(self) -> dict[str, str]:
        """The texts of the files that findings point into, as they were traced, by path."""
        result = self.result()
        with self._lock:
            if self._sources is None or self._sources[0] is not result:
                self._sources = (result, sources(self._recording, result))
            return self._sources[1]
