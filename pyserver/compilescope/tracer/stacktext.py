"""The source location in a node's `meta["stack_trace"]`, which is text that Python's traceback module formatted.

The text has carets but no columns, and only for the first line of a range. The ranges that Dynamo's translator had when
it made the text are remembered (`InstructionTranslatorBase.frame_summary`, torch/_dynamo/symbolic_convert.py), and the
caret's start picks the right one. Up to 2.12 there are no carets: then a range is known only if its line has just one.
"""

from __future__ import annotations

import json
import linecache
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from compilescope.tracer.frames import Frame, Frames
    from compilescope.tracer.session import Session
    from compilescope.tracer.sources import Sources

ENTRY = re.compile(
    r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<name>[^\n]+)(?P<rest>(?:\n    [^\n]*)*)', re.MULTILINE
)
LOSES = "columns of graph nodes"


class StackTexts:
    """Turns stack texts into the frame of the user's that is innermost; each text once."""

    def __init__(self, session: Session, frames: Frames, sources: Sources) -> None:
        self._session = session
        self._frames = frames
        self._sources = sources
        self._starts: dict[tuple[str, int], set[int]] = {}
        self._found: dict[str, Frame | None] = {}
        self._json: dict[str, str] = {}

    def install(self) -> None:
        """Remember the exact range of each frame summary that Dynamo makes."""
        spans = self._frames.spans

        def remember(summary: Any, translator: Any) -> None:
            positions = translator.current_instruction.positions
            if positions is None or positions.col_offset is None:
                return
            spans[summary.filename, summary.lineno, positions.col_offset] = (
                positions.end_lineno,
                positions.end_col_offset,
            )
            if getattr(summary, "colno", None) is None:  # up to 2.12: the text will have no carets
                on_line = self._starts.setdefault((summary.filename, summary.lineno), set())
                on_line.add(positions.col_offset)

        def hook(module: ModuleType) -> None:
            note = self._session.hooks.guarded("frame_summary", remember, loses=LOSES)

            def make(original: Callable[..., Any]) -> Callable[..., Any]:
                def frame_summary(self: Any) -> Any:
                    summary = original(self)
                    note(summary, self)
                    return summary

                return frame_summary

            self._session.hooks.wrap(module.InstructionTranslatorBase, "frame_summary", make, loses=LOSES)

        self._session.hooks.after_import("torch._dynamo.symbolic_convert", hook, loses=LOSES)

    def user_frame(self, text: str | None) -> Frame | None:
        """The innermost frame of the user's in `text`, else the innermost of all, else None."""
        if not text:
            return None
        if text not in self._found:
            entries = list(ENTRY.finditer(text))
            chosen = next((entry for entry in reversed(entries) if self._sources.is_user(entry["file"])), None)
            chosen = chosen or (entries[-1] if entries else None)
            self._found[text] = None if chosen is None else self._frame(chosen)
        return self._found[text]

    def user_frame_json(self, text: str | None) -> str:
        """`user_frame` as JSON."""
        if text is None:
            return "null"
        if text not in self._json:
            self._json[text] = json.dumps(self.user_frame(text))
        return self._json[text]

    def _frame(self, entry: re.Match[str]) -> Frame:
        file, line = entry["file"], int(entry["line"])
        end_line, column, end_column = line, None, None
        source = linecache.getline(file, line)
        rest = entry["rest"].split("\n")[1:]
        if source and rest and source.strip() == rest[0].strip():
            indent = len(source) - len(source.lstrip())
            marks = rest[1][4:] if len(rest) > 1 and set(rest[1].strip()) <= {"^", "~"} else ""
            start = indent + len(marks) - len(marks.lstrip())
            column = len(source[:start].encode())
            on_line = self._starts.get((file, line))
            if on_line is not None:
                column = next(iter(on_line)) if len(on_line) == 1 else -1
            span = self._frames.spans.get((file, line, column))
            if span is not None:
                end_line, end_column = span
            elif marks:
                end_column = len(source[: indent + len(marks.rstrip())].encode())
            else:
                column = None
        return self._frames.make(file, (line, end_line, column, end_column), entry["name"])
