"""The user's cache folder for what can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(kind: str) -> Path:
    """Return where files of a `kind` are kept, for this user; it may not be there yet."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "compilescope" / kind
