"""Whether a process of this machine still runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether a process exists. One that ended and was not collected counts as gone where that can be seen."""
    if sys.platform == "win32":
        return True  # os.kill would end it there
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except (OSError, IndexError):
        return True
