"""Which runs had their findings cleared: remembered beside the recordings, so that they stay away after a restart."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from compilescope.recording.files import RUN_FILE
from compilescope.runner.folder import PARENT

MARKER = "cleared"

logger = logging.getLogger(__name__)


class Cleared:
    """What `Clear Findings` took off. Its methods read and write files.

    The marker in a `.compilescope/` is an empty file: runs that ended before it was last written are cleared.
    """

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def clear(self, recordings: Iterable[str], folders: Iterable[str]) -> None:
        """Clear all of `recordings`, and for the sessions to come what the workspace `folders` have so far."""
        self._known = dict.fromkeys(recordings, True)
        for folder in folders:
            parent = Path(folder, PARENT)
            try:
                if parent.is_dir():
                    (parent / MARKER).touch()
            except OSError as error:
                logger.warning("%s is cleared for this session only: %s", parent, error)

    def show_again(self, recording: str) -> None:
        """Its findings are on show again."""
        self._known[recording] = False

    def __contains__(self, recording: str) -> bool:
        known = self._known.get(recording)
        return _ended_before_marker(Path(recording)) if known is None else known


def _ended_before_marker(recording: Path) -> bool:
    try:
        ended = (recording / RUN_FILE).stat().st_mtime_ns
        return ended <= (recording.parent / MARKER).stat().st_mtime_ns
    except OSError:
        return False
