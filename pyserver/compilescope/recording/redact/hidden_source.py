"""Leaves the program's text out: where torch and the tracer write it, and every line of it wherever else it stands."""

from __future__ import annotations

import re
from pathlib import Path

from compilescope.recording.redact.spelled import any_of, spellings

LEFT_OUT = "<left out>"
SHORTEST = 8
"""Characters of a line that is told from other text wherever it stands."""
_LARGEST = 1 << 20
_AT_ONCE = 10_000
"""Lines in a pattern: one with all lines of a large program would take long to make."""
# What a line must have to be more than a name (which guards and graphs have, too) or torch's own import.
_SAYS = re.compile(r"[^\w.]")
_IMPORT = re.compile(r"(?:import|from) torch\b[\w., ]*")
# `# File: /a.py:12 in forward, code: return x`; `# return x  # a.py:12 in forward`
_CODE = re.compile(r'(:\d+ in [^\n,"]{1,300}, code: )([^\n]+)')
_PLACE = re.compile(r":\d+ in ")
_FRAME = re.compile(r'^(?P<indent>[ |]*)File "[^"\n]*", line \d+(?:, in [^\n]*)?\n', re.MULTILINE)
# A file of Inductor's generated code, by its hash (torch/_inductor/codecache.py, 2.6 to 2.14): it may be here still.
_GENERATED = re.compile(r".*[\\/]c[a-z2-7]{51}\.py")
# Events whose payload is a program's text, or its bytecode, which is as good.
_OF_PROGRAM = re.compile(r"dump_file|.*_(?:ORIGINAL|MODIFIED)_BYTECODE")


def is_program(event: str) -> bool:
    """Whether the payload of an event of this name is the text of a file, or of a function's bytecode."""
    return _OF_PROGRAM.fullmatch(event) is not None


class SourceText:
    """The lines of a program's files, as far as a recording or the disk has them."""

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self._files: set[str] = set()
        self._patterns: list[re.Pattern[str]] = []

    def take(self, text: str) -> None:
        """Note the lines of a program's text."""
        for line in map(str.strip, text.splitlines()):
            if len(line) >= SHORTEST and _SAYS.search(line) and not _IMPORT.fullmatch(line):
                self.lines.add(line)

    def take_file(self, file: str) -> None:
        """Note the lines of a file that is here, unless it is an installed one, or one of generated code."""
        if file in self._files or _GENERATED.fullmatch(file):
            return
        if re.search(r"[\\/](?:lib(?:64)?[\\/]python\d|(?:site|dist)-packages[\\/])", file):
            return
        self._files.add(file)
        path = Path(file)
        try:
            if path.is_absolute() and path.suffix == ".py" and path.is_file() and path.stat().st_size <= _LARGEST:
                self.take(path.read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):
            return

    def take_quoted(self, text: str) -> None:
        """Note the lines that comments of a graph and tracebacks quote."""
        if ", code: " in text:
            for match in _CODE.finditer(text):
                self.take(match[2])
        if "  # " in text:
            for start, end in _remarks(text):
                self.take(text[start:end])
        if 'File "' in text:
            for start, end in _quoted(text):
                self.take(text[start:end])

    def ready(self) -> None:
        """Make the pattern of all that was noted."""
        spelled = sorted({one for line in self.lines for one in spellings(line)}, key=len, reverse=True)
        parts = (any_of(spelled[start : start + _AT_ONCE]) for start in range(0, len(spelled), _AT_ONCE))
        self._patterns = [re.compile(pattern) for pattern in parts if pattern]

    def hide(self, text: str) -> str:
        """Return `text` without the lines of the program."""
        if len(text) < SHORTEST:
            return text
        if ", code: " in text:
            text = _CODE.sub(lambda match: match[1].rstrip(), text)
        if "  # " in text:
            text = _without(text, _remarks(text), LEFT_OUT)
        if 'File "' in text:
            text = _without(text, _quoted(text))
        for pattern in self._patterns:
            text = pattern.sub(LEFT_OUT, text)
        return text

    @property
    def sought(self) -> list[re.Pattern[str]]:
        """What finds a line of the program."""
        return self._patterns


def _quoted(text: str) -> list[tuple[int, int]]:
    """Return where in `text` the lines stand that a traceback shows under its frames: those that are indented more."""
    found = []
    for match in _FRAME.finditer(text):
        indent = match["indent"] + " "
        start = at = match.end()
        while text.startswith(indent, at) and not _FRAME.match(text, at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1
        if at > start:
            found.append((start, at))
    return found


def _remarks(text: str) -> list[tuple[int, int]]:
    """Return where in `text` the lines stand that guards have in a comment: `# return x  # a.py:12 in forward`."""
    found, at = [], 0
    for line in text.split("\n"):
        place = _PLACE.search(line)
        if place is not None:
            start, end = line.find("# "), line.rfind("  # ", 0, place.start())
            if 0 <= start < end - 1:
                found.append((at + start + 2, at + end))
        at += len(line) + 1
    return found


def _without(text: str, places: list[tuple[int, int]], instead: str = "") -> str:
    kept, last = [], 0
    for start, end in places:
        kept += [text[last:start], instead]
        last = end
    return "".join([*kept, text[last:]])
