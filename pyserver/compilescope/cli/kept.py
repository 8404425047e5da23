"""Keeps what `show` made of a large log, so that to see it again takes no time.

A report is kept in the user's cache, with everything that it was made from: the log and its index, source files (also
ones that were not there), and the modules of this program. While all of that is as it was, the report is, too. It is
text: what a kept file says is only shown, never run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.recording.cache_folder import cache_folder

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

SMALLEST = 8 << 20
"""Bytes of a log from which on its report is kept; a smaller one is read as quickly."""
_MOST = 32
"""Reports that are kept."""
_LONGEST = 64 << 20
_ENVIRONMENT = ("HOME", "USER", "LOGNAME", "TZ", "LANG", "LC_ALL", "NO_COLOR", "TERM", "PYTHONPATH")

State = list[Any]
"""Of a file what changes when it does; empty when there is none."""


class Report(NamedTuple):
    """A report, the messages on stderr that belong to it, and the hint on paths of another machine that always does."""

    text: str
    messages: list[str]
    hint: str | None = None


def place(options: Namespace) -> Path | None:
    """Return the file for the report that the command line asks for; None when it is not one to keep.

    Only of a log by itself: a recording folder is compared with those beside it, which come and go.
    """
    if len(options.recording) != 1:
        return None
    log = Path(options.recording[0]).absolute()
    try:
        if not log.is_file() or log.stat().st_size < SMALLEST:
            return None
    except OSError:
        return None
    asked = {name: value for name, value in vars(options).items() if name not in ("output", "recording")}
    here = [str(Path.cwd()), sys.version, sys.executable, *(os.environ.get(name) for name in _ENVIRONMENT)]
    key = hashlib.sha256(repr([str(log), sorted(asked.items()), here]).encode(errors="backslashreplace")).hexdigest()
    return cache_folder("reports") / f"{key[:32]}.json"


def read(file: Path) -> Report | None:
    """Return the report in `file` if all that it was made from is as it was; None otherwise."""
    try:
        with file.open(encoding="utf-8", errors="surrogatepass", newline="") as stream:
            head = json.loads(stream.readline())
            if any(_state(path) != state for path, state in head["from"].items()):
                return None
            hint = None if head["hint"] is None else str(head["hint"])
            return Report(stream.read(), [str(message) for message in head["messages"]], hint)
    except (OSError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None


def write(file: Path, report: Report, sources: Iterable[str], before: dict[str, State]) -> None:
    """Keep `report`, made from `sources`, unless one of `before` has changed since: a log that is being written."""
    if len(report.text) > _LONGEST or any(_state(path) != state for path, state in before.items()):
        return
    head = {"messages": report.messages, "hint": report.hint, "from": {path: _state(path) for path in sources} | before}
    new = file.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with new.open("x", encoding="utf-8", errors="surrogatepass", newline="") as stream:
                stream.write(json.dumps(head) + "\n" + report.text)
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)
        for old in sorted(file.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-_MOST]:
            old.unlink()


def states(paths: Iterable[Path]) -> dict[str, State]:
    """Return the state of each of `paths`."""
    return {str(path): _state(str(path)) for path in paths}


@contextlib.contextmanager
def noted() -> Iterator[set[str]]:
    """Yield a set that everything goes into that is opened for reading meanwhile, and each module's file.

    See "Audit events table" in Python's documentation.
    """
    seen: set[str] = set()
    is_on = True

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if is_on and event in ("open", "sqlite3.connect"):
            name = arguments[0]
            changes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            if not changes and isinstance(name, (str, os.PathLike)):
                seen.add(str(Path(name).absolute()))

    sys.addaudithook(note)
    try:
        yield seen
    finally:
        is_on = False
        seen.update(path for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None)))


def _state(path: str) -> State:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return []
    return [found.st_ino, found.st_size, found.st_mtime_ns]
