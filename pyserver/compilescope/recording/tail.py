"""Waits for a recording, or a folder of them, to grow: told by the file system (watchdog) where that works.

On a network share, where no watch can be had and for what is not there yet it looks now and then instead: at the sizes
of the logs alone, which asks less of a server than watchdog's own polling of every file.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import TYPE_CHECKING

from compilescope.recording.files import RUN_FILE, log_paths
from compilescope.recording.mounts import shared_file_system

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from watchdog.events import FileSystemEvent

# A network file system tells nothing of what another machine writes: look this often at least.
POLL_S = 0.5
# A writer's burst is one change.
SETTLE_S = 0.03
# Between two looks pass this many times what the last one took: a huge folder must not keep a core busy.
SHARE = 3
# A share whose server is gone may keep a thread for ever.
PATIENCE_S = 2.0


class Tail:
    """Calls `changed` from a thread of its own, once at the start and whenever a recording grew. A context manager.

    `look`: returns something that differs once it did, asked at every turn. `deep`: with all folders below `path`.
    """

    def __init__(
        self,
        path: Path,
        changed: Callable[[], None],
        *,
        poll_s: float = POLL_S,
        look: Callable[[Path], object] | None = None,
        deep: bool = False,
    ) -> None:
        self._path, self._changed, self._poll_s = path, changed, poll_s
        self._look, self._deep = look or _state, deep
        self._wake, self._stopped = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="compilescope-tail", daemon=True)
        self.polling: str | None = None
        """Why it only looks now and then: `nfs4`, `inotify watch limit reached`; None where it is told. For `deep`."""

    def __enter__(self) -> Tail:  # noqa: PYI034
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop; `changed` is not called any more once this returns. A share that hangs does not hold it up."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        if self._deep:
            self.polling = shared_file_system(self._path)
        with contextlib.nullcontext() if self.polling else self._observer():
            seen: object = None
            while not self._stopped:
                self._wake.clear()
                began = time.monotonic()
                state = self._look(self._path)
                took = time.monotonic() - began
                if state != seen and not self._stopped:
                    seen = state
                    self._changed()
                self._wake.wait(max(self._poll_s, took * SHARE))
                if not self._stopped:
                    time.sleep(max(SETTLE_S, min(took * SHARE, self._poll_s)))

    @contextlib.contextmanager
    def _observer(self) -> Iterator[None]:
        """Be woken when the file system tells of a change; only note why where it can't."""
        try:
            from watchdog.events import FileSystemEventHandler  # noqa: PLC0415
            from watchdog.observers import Observer  # noqa: PLC0415

            wake = self._wake

            class Handler(FileSystemEventHandler):
                def on_any_event(self, event: FileSystemEvent) -> None:
                    if event.event_type in {"created", "modified", "moved", "deleted"} and _matters(event):
                        wake.set()

            observer = Observer()
            place = self._path if self._path.is_dir() else self._path.parent
            observer.schedule(Handler(), str(place), recursive=self._deep and place == self._path)
            observer.start()
        except (ImportError, OSError, RuntimeError) as error:
            self.polling = getattr(error, "strerror", None) or str(error) or type(error).__name__
            yield
            return
        try:
            yield
        finally:
            observer.stop()
            observer.join(PATIENCE_S)


def _matters(event: FileSystemEvent) -> bool:
    """Whether a change may be one of a recording: other programs may write much beside the logs."""
    names = (str(event.src_path), str(event.dest_path or ""))
    return event.is_directory or any(".log" in name or name.endswith(RUN_FILE) for name in names)


@contextlib.asynccontextmanager
async def tail(
    path: Path,
    changed: Callable[[], None],
    *,
    poll_s: float = POLL_S,
    look: Callable[[Path], object] | None = None,
    deep: bool = False,
) -> AsyncIterator[Tail]:
    """Call `changed` in the running event loop whenever the recording at `path` grew; as `Tail` does."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed
            loop.call_soon_threadsafe(changed)

    watcher = Tail(path, wake, poll_s=poll_s, look=look, deep=deep)
    watcher.__enter__()
    try:
        yield watcher
    finally:
        await asyncio.to_thread(watcher.stop)


def _state(path: Path) -> object:
    """Return something that differs once a log or `run.json` changed."""
    try:
        paths = [*log_paths(path), *([path / RUN_FILE] if path.is_dir() else [])]
    except OSError:
        return None
    state = []
    for each in paths:
        with contextlib.suppress(OSError):
            stat = each.stat()
            state.append((each, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return state
