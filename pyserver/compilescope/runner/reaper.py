"""A process of its own that kills what we started when we are gone.

A process that is killed with SIGKILL can't clean up after itself, and the user's program is not ours to change. So a
small helper holds the reading end of a pipe from us. We tell it which process groups to watch; when the pipe closes,
for whatever reason, it kills those that are left and ends.

Run as a script (`python -I -S reaper.py`) this file is that helper: it reads lines `+<group>` and `-<group>`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Reaper:
    """Our end of the pipe; `close` ends the helper and what it still watches."""

    def __init__(self) -> None:
        self._helper: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the helper, if it does not run yet."""
        with self._lock:
            if self._helper is None:
                self._helper = subprocess.Popen(  # noqa: S603 - our own interpreter, our own file
                    [sys.executable, "-I", "-S", __file__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    cwd="/",
                )

    def watch(self, group: int) -> None:
        """Kill process group `group` when we are gone."""
        self.start()
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """`group` has ended: its number may be another's soon."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Kill the groups that are still watched and end the helper."""
        helper, self._helper = self._helper, None
        if helper is not None and helper.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                helper.stdin.close()
            helper.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _tell(self, line: str) -> None:
        if self._helper is not None and self._helper.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # someone killed the helper: the run itself is not affected
                os.write(self._helper.stdin.fileno(), line.encode())


def kill_family(group: int) -> None:
    """Kill process group `group` and what its leader's descendants are, those that left the group included.

    `torch.distributed.run` gives each of its ranks a session of its own. They are found through /proc; where there is
    none, only the group is killed.
    """
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc/self") else []:  # noqa: PTH112, PTH208 - a small process
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(entry)}/stat", "rb") as stat:  # noqa: PTH123
                parent = int(stat.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry))
    family = [group]
    for member in family:
        family += children.get(member, [])
    for member in family[1:]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(member, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _serve() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        kill_family(group)


if __name__ == "__main__":
    _serve()
