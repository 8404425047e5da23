"""Waits for a recording to grow: told by the file system where that works, by looking now and then elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import TYPE_CHECKING

from compilescope.recording.files import log_paths

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

# A network file system tells nothing of what another machine writes: look this often at least.
POLL_S = 0.5
# A writer's burst is one change.
SETTLE_S = 0.03


class Tail:
    """Calls `changed` from a thread of its own, once at the start and whenever a recording grew. A context manager."""

    def __init__(self, path: Path, changed: Callable[[], None], *, poll_s: float = POLL_S) -> None:
        self._path, self._changed, self._poll_s = path, changed, poll_s
        self._wake, self._stopped = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="compilescope-tail", daemon=True)

    def __enter__(self) -> Tail:  # noqa: PYI034
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop; `changed` is not called any more once this returns."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        with _observer(self._path, self._wake):
            seen: object = None
            while not self._stopped:
                self._wake.clear()
                state = _state(self._path)
                if state != seen:
                    seen = state
                    self._changed()
                self._wake.wait(self._poll_s)
                if not self._stopped:
                    time.sleep(SETTLE_S)


@contextlib.asynccontextmanager
async def tail(path: Path, changed: Callable[[], None], *, poll_s: float = POLL_S) -> AsyncIterator[None]:
    """Call `changed` in the running event loop whenever the recording at `path` grew."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(changed)

    watcher = Tail(path, wake, poll_s=poll_s)
    watcher.__enter__()
    try:
        yield
    finally:
        await asyncio.to_thread(watcher.stop)


def _state(path: Path) -> object:
    """Return something that differs once a log or `run.json` changed."""
    try:
        paths = [*log_paths(path), *([path / "run.json"] if path.is_dir() else [])]
    except OSError:
        return None
    state = []
    for each in paths:
        with contextlib.suppress(OSError):
            stat = each.stat()
            state.append((each, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return state


@contextlib.contextmanager
def _observer(path: Path, wake: threading.Event) -> Iterator[None]:
    """Set `wake` when the file system tells of a change; do nothing where it can't."""
    try:
        from watchdog.events import FileSystemEvent, FileSystemEventHandler  # noqa: PLC0415
        from watchdog.observers import Observer  # noqa: PLC0415

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in {"created", "modified", "moved", "deleted"}:
                    wake.set()

        observer = Observer()
        observer.schedule(Handler(), str(path if path.is_dir() else path.parent))
        observer.start()
    except (ImportError, OSError, RuntimeError):
        yield
        return
    try:
        yield
    finally:
        observer.stop()
        observer.join()
