"""The source location in a node's `meta["stack_trace"]`, which is text that Python's traceback module formatted.

The text has no columns, and carets (from torch 2.13 on) only for the first line of a range; exact ranges are kept by
`Positions`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.recording.write import to_json
from compilescope.tracer.positions import position_at

if TYPE_CHECKING:
    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.positions import Places, Positions
    from compilescope.tracer.sources import Sources

ENTRY = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<name>[^\n]+)', re.MULTILINE)


class StackTexts:
    """Turns stack texts into the frame of the user's that is innermost; each text and place once."""

    def __init__(self, frames: Frames, sources: Sources, positions: Positions) -> None:
        self._frames = frames
        self._sources = sources
        self._positions = positions
        self._found: dict[tuple[str, Places], Frame | None] = {}
        self._json: dict[str | tuple[str, Places], str] = {}

    def user_frame(self, text: str | None) -> Frame | None:
        """The innermost frame of the user's in `text`, else the innermost of all, else None."""
        if not text:
            return None
        places = self._positions.of_text(text)
        if (text, places) not in self._found:
            self._found[text, places] = self._frame(text, places)
        return self._found[text, places]

    def user_frame_json(self, text: str | None) -> str:
        """`user_frame` as JSON."""
        if text is None:
            return "null"
        key = text if text not in self._positions.differing else (text, self._positions.of_text(text))
        if key not in self._json:
            self._json[key] = to_json(self.user_frame(text))
        return self._json[key]

    def _frame(self, text: str, places: Places) -> Frame | None:
        entries = list(ENTRY.finditer(text))
        chosen = next((entry for entry in reversed(entries) if self._sources.is_user(entry["file"])), None)
        chosen = chosen or (entries[-1] if entries else None)
        if chosen is None:
            return None
        file, line = chosen["file"], int(chosen["line"])
        return self._frames.make(file, position_at(places, file, line) or (line, None, None, None), chosen["name"])
