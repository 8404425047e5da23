"""`compilescope watch`: follow the logs of a job that runs, here or elsewhere, and show what comes."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.keys import keys
from compilescope.cli.mapping import hint, mapping
from compilescope.cli.streams import say
from compilescope.recording.address import log_of, place, source
from compilescope.recording.error import RecordingError
from compilescope.recording.files import check, log_paths
from compilescope.recording.reader import Recording
from compilescope.recording.watched import Look, disk_is_full, look
from compilescope.recording.writers import Writers
from compilescope.report.clean import clean
from compilescope.report.live import Seen, age, compile_line, ended, finding_line, progress
from compilescope.report.live_view import cut, finding_rows, parts, wrapped
from compilescope.report.style import Style

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType

    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Source

REDRAW_S = 1.0
NEWEST = 8
"""Findings that the view has room for."""


class Watch:
    """A watched folder as it is told: line by line, or on a terminal in one place."""

    def __init__(self, folder: Path, *, redraws: bool, paths: PathMapping) -> None:
        self.folder, self.redraws = folder, redraws
        self._paths = paths
        self._looked_for: list[str] = []
        self.polling: str | None = None
        self.current: Path | None = None
        self._look = Look()
        self._seen: dict[Path, Seen] = {}
        self._open: dict[Path, Recording] = {}
        self._sources: dict[Path, Source] = {}
        self._writers = Writers()
        self._notes: list[str] = []
        self._drawn = 0
        self._style = Style.of(sys.stdout, Path.cwd())

    def update(self) -> None:
        """Look at the folder and read what is new. At the first time only the recording that was written to last."""
        now = look(self.folder)
        if now.missing and now.missing != self._look.missing:
            kept = " What it held is shown as it was." if self._seen else " Waiting for it."
            self._note(f"{self.folder}: {now.missing}.{kept}")
        if self._look.missing and now.recordings:
            self._note(f"{self.folder} is there again.")
        self._follow_jobs(now)
        grown = now.grown(self._look) if self._seen else [now.newest] if now.newest else []
        if now.recordings or now.missing:
            self._look = now if now.recordings else Look(self._look.recordings, now.missing)
        for path in grown:
            with contextlib.suppress(OSError, RecordingError):  # it went meanwhile, or is no recording yet
                self._read(path)
        if now.recordings and disk_is_full(self.folder):
            self._note(f"The disk of {self.folder} is full: logs end in the middle.")

    def _read(self, path: Path) -> None:
        from compilescope.analysis import analyse  # noqa: PLC0415 - only once there is something to analyse
        from compilescope.analysis.progress import last_step  # noqa: PLC0415

        recording = self._opened(path)
        result = analyse(recording)
        if result.missing and result.missing != self._looked_for:
            self._looked_for = result.missing
            if words := hint(recording, result):
                self._note(words[0].upper() + words[1:])
        seen = self._seen.setdefault(path, Seen())
        compiled, found = seen.update(result, last_step(recording, result))
        if path != self.current:
            self.current = path
            self._line(self._named(path))
        self._writers.see(recording)
        for one in compiled:
            self._line(compile_line(one))
        for finding in found:
            self._line(finding_line(finding, self._style))
        self._line(self._progress(path))

    def _opened(self, path: Path) -> Recording:
        """Return a recording as it is now, read anew where another log came to the job that it is of."""
        logs = source(path)
        if path in self._open and logs != self._sources[path]:
            self._open.pop(path).close()
        if path not in self._open:
            self._open[path] = Recording.open(logs)
            self._sources[path] = logs
        self._open[path].paths = self._paths
        self._open[path].refresh()
        return self._open[path]

    def _follow_jobs(self, now: Look) -> None:
        """Have what was seen of a folder with one job be that of its first, once another began there."""
        for folder in [one for one in self._seen if one not in now.recordings]:
            first = next((one for one in now.recordings if place(one) == folder), None)
            if first is not None:
                self._seen[first] = self._seen.pop(folder)
                self._open.pop(folder).close()
                self.current = first if self.current == folder else self.current

    @staticmethod
    def _named(path: Path) -> str:
        """`FOLDER` or, for one of several jobs in it, `FOLDER, job with LOG`."""
        return f"{path}" if place(path) == path else f"{place(path)}, the job that began with {log_of(path)}"

    def check(self) -> None:
        """Raise RecordingError when there are files, but none that can be read as a log."""
        if not self._seen and log_paths(self.folder):
            check(self.folder)

    def tell_other_files(self) -> None:
        """Say of a file that is no log that it is none so far."""
        if not self._seen and self.folder.is_file():
            self._note(f"{self.folder} is no TORCH_TRACE log so far. Waiting for it to become one.")

    def check_processes(self) -> None:
        """Say which writers of this machine have ended since they were seen to run."""
        for process in self._writers.ended():
            step = self._seen[self.current].step if self.current else None
            self._note(f"{ended(process, step)}.")

    def draw(self) -> None:
        """On a terminal: write the view over the one before."""
        if not self.redraws:
            return
        size = shutil.get_terminal_size()
        columns, rows = size.columns, max(size.lines - 1, 1)
        folder = f"{self.folder}" + (f"  (looked at now and then: {self.polling})" if self.polling else "")
        lines, last = wrapped(folder, columns), ["q or Ctrl+C ends this."]
        last = [row for note in self._notes[-3:] for row in wrapped(note, columns)] + last
        if self.current is None:
            lines.append("waiting for the first record")
        else:
            seen = self._seen[self.current]
            lines += wrapped(self._named(self.current), columns) if self.current != self.folder else []
            lines += parts(self._with_age(self.current), columns)
            lines += [cut(clean(f"compiling {seen.step}"), columns)] if seen.step else []
            for one in seen.findings[: -NEWEST - 1 : -1]:
                found = finding_rows(one, self._style, columns)
                if len(lines) + len(found) + len(last) <= rows:  # never half a finding, nor one for the last row
                    lines += found
        with _no_wrapping():
            up = f"\x1b[{self._drawn}A" if self._drawn else ""
            lines = [*lines, *last][:rows]
            sys.stdout.write(up + "\r" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        self._drawn = len(lines)

    def summary(self) -> None:
        """Say what all came to."""
        for path, seen in self._seen.items():
            if seen.result is not None:
                _out(f"{self._named(path)}: {self._with_age(path)}")
                _out(f"To see all of it: compilescope show {shlex.quote(str(path))}")
        if not self._seen:
            _out(f"{self.folder}: nothing was recorded.")

    def close(self) -> None:
        """Close the recordings."""
        for one in self._open.values():
            one.close()

    def _progress(self, path: Path) -> str:
        result, opened = self._seen[path].result, self._open.get(path)
        return progress(result, len(opened.processes())) if result and opened else ""

    def _with_age(self, path: Path) -> str:
        """How far a recording is and, where it is still there, how long ago it was written to."""
        there = path in self._look.recordings
        return self._progress(path) + (f" · last event {age(self._look.changed(path))}" if there else "")

    def _note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)
            self._line(text)

    def _line(self, text: str) -> None:
        if not self.redraws:
            _out(f"{time.strftime('%H:%M:%S')}  {text}")


class _Ended(BaseException):
    """Somebody asked for the end; the signal's number."""


def run(options: Namespace) -> int:
    """Follow the folder until the end that is asked for; return the exit code."""
    folder = Path(options.folder).absolute()
    missing = look(folder).missing
    if options.once and missing:
        say(f"Can't look at {folder}: {missing}.")
        return 2
    redraws = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not options.once
    watch = Watch(folder, redraws=redraws, paths=mapping(options))
    code = 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names that are no UTF-8
    try:
        with _ended_by_signals():
            if options.once:
                watch.update()
                watch.check()
            else:
                _follow(watch, options.for_s)
    except RecordingError as error:
        say(str(error))
        code = 2
    except _Ended as ended:
        code = 0 if ended.args[0] == signal.SIGINT else 128 + int(ended.args[0])
    finally:
        with contextlib.suppress(OSError):
            if code != 2:  # noqa: PLR2004
                watch.summary()
        watch.close()
    return code


def _follow(watch: Watch, for_s: float | None) -> None:
    from compilescope.recording.tail import Tail  # noqa: PLC0415 - needs asyncio, which other commands do not

    wake = threading.Event()
    end = None if for_s is None else time.monotonic() + for_s
    with _pressed(watch) as pressed, Tail(watch.folder, wake.set, look=look, deep=True) as tail:
        while (end is None or time.monotonic() < end) and "q" not in pressed():
            woken = wake.wait(REDRAW_S if end is None else max(min(REDRAW_S, end - time.monotonic()), 0))
            wake.clear()
            watch.polling = tail.polling
            if woken:
                watch.update()
                watch.tell_other_files()
            watch.check_processes()
            watch.draw()
    watch.update()  # what came while the last was read
    watch.draw()


def _pressed(watch: Watch) -> AbstractContextManager[Callable[[], str]]:
    """The keys that are pressed where the view is drawn; nobody's elsewhere."""
    return keys() if watch.redraws else contextlib.nullcontext(lambda: "")


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Raise _Ended when we are asked to end, also in the middle of reading a large log."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise _Ended(number)

    numbers = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


@contextlib.contextmanager
def _no_wrapping() -> Iterator[None]:
    """Lines that are too long are cut by the terminal, so that the view has the height that was counted."""
    sys.stdout.write("\x1b[?7l")
    try:
        yield
    finally:
        sys.stdout.write("\x1b[?7h")
        sys.stdout.flush()


def _out(text: str) -> None:
    print(text, flush=True)
