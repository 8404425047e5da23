"""A worker that has torch imported already and waits for its job."""

from __future__ import annotations

import os
import subprocess
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.runner.worker import BOOT, Streams, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from compilescope.runner.job import Job
    from compilescope.runner.reaper import Reaper

IDLE_S = 1800


class _Held:
    """What the waiting worker prints (warnings at import), kept until someone is there to read it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: list[bytes] = []
        self._output: Callable[[bytes], None] | None = None

    def __call__(self, piece: bytes) -> None:
        with self._lock:
            if self._output:
                self._output(piece)
            else:
                self._pieces.append(piece)

    def connect(self, output: Callable[[bytes], None]) -> None:
        with self._lock:
            self._output = output
            if self._pieces:
                output(b"".join(self._pieces))


@dataclass
class _Waiting:
    key: tuple[object, ...]
    worker: Worker
    output: _Held
    ready: Future[bool]


class Standby:
    """Keeps at most one waiting worker. It fits one interpreter and one environment, since torch reads both early.

    `prepare` starts it, `take` hands it a job; start the next one after the run. The worker ends by itself after
    `idle_s` seconds, and when we end.
    """

    def __init__(self, reaper: Reaper, idle_s: float = IDLE_S) -> None:
        self._reaper = reaper
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._waiting: _Waiting | None = None

    def prepare(self, python: str, env: Mapping[str, str], cwd: str) -> Future[bool]:
        """Have a worker ready for `python` and `env`; the future says when it is, False if it ended before that.

        Replaces a worker that does not fit. Raises OSError when it can't be started.
        """
        with self._lock:
            key = _key(python, env, cwd)
            if self._waiting and self._waiting.key == key and self._waiting.worker.running:
                return self._waiting.ready
            self._drop()
            ready_fd, write_end = os.pipe()
            output = _Held()
            options = {"ready-fd": write_end, "idle-timeout": self._idle_s, "launcher": os.getpid()}
            words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
            try:
                worker = Worker(
                    [python, BOOT, "--standby", *words],
                    cwd=cwd,
                    env=env,
                    streams=Streams(output=output),
                    reaper=self._reaper,
                    stdin=subprocess.PIPE,
                    pass_fds=(write_end,),
                )
            except OSError:
                os.close(ready_fd)
                raise
            finally:
                os.close(write_end)
            self._waiting = _Waiting(key, worker, output, _ready(ready_fd))
            return self._waiting.ready

    def take(self, job: Job, python: str, env: Mapping[str, str], recording: Path, streams: Streams) -> Worker | None:
        """Hand `job` to the waiting worker, warm or not yet. None when none fits: start one cold."""
        if streams.output is None:  # a waiting worker can't inherit our streams
            return None
        with self._lock:
            waiting = self._waiting
            if not waiting or waiting.key != _key(python, env, job.cwd) or not waiting.worker.running:
                return None
            self._waiting = None
        waiting.output.connect(streams.output)
        try:
            waiting.worker.send(job.message(recording, dict(env)))
        except BrokenPipeError:
            waiting.worker.discard()
            return None
        return waiting.worker

    def close(self) -> None:
        """End the waiting worker, if any."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting:
            waiting.worker.discard()


def _key(python: str, env: Mapping[str, str], cwd: str) -> tuple[object, ...]:
    """What must be equal for a worker to fit. Relative folders in PYTHONPATH are resolved at its start."""
    paths = env.get("PYTHONPATH")
    relative = bool(paths) and not all(map(os.path.isabs, (paths or "").split(os.pathsep)))
    return (python, tuple(sorted(env.items())), cwd if relative else None)


def _ready(fd: int) -> Future[bool]:
    """Whether a line arrives on `fd` before it is closed. Takes over `fd`."""
    future: Future[bool] = Future()

    def read() -> None:
        with os.fdopen(fd, "rb") as pipe:
            future.set_result(pipe.readline() != b"")

    threading.Thread(target=read, daemon=True).start()
    return future
