"""The text of each generated kernel, cut out of the code that Inductor wrote for a graph. Nothing of it is ever run.

Kernels are string literals, `name = async_compile.triton('name', '''...''')` and the like for C++ and other languages
(torch/_inductor/codegen, 2.6 to 2.14), or functions in C++ when the wrapper is C++ itself. At provenance level 1 and 2
a comment above each call has the kernel's name and the number of the call.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.recording.reader import Event, Recording

_DEFINITION = re.compile(r"^[ \t]*(\w+) = (?:async_compile\.(\w+)|(compile_mps_shader))\(", re.MULTILINE)
_QUOTES = re.compile(r"[rR]?('''|\"\"\")")
_FUNCTION = re.compile(r'^(?:template\b[^\n]*\n|extern "C" *)+[^\n;{}]*?\b(\w+)\([^;{}]*\)\s*\{', re.MULTILINE)
_CALL = re.compile(r"\[Provenance debug handles\] (\S+?):(\d+)(?=[\s,]|$)")
_END_OF_FUNCTION = re.compile(r"^\}", re.MULTILINE)
_LANGUAGES = {
    "cpp": "C++",
    "cpp_pybinding": "C++",
    "triton": "Triton",
    "multi_kernel": "Triton",
    "size_hint_multi_kernel": "Triton",
    "cuda": "CUDA",
    "cutlass": "CUDA",
    "rocm": "HIP",
    "halide": "Halide",
    "metal": "Metal",
    "pallas": "Pallas",
    "cutedsl": "CuteDSL",
    "compile_mps_shader": "Metal",
}


@dataclass(frozen=True)
class KernelSource:
    """A kernel's text and the first and last line of that text in the output code, which count from 1."""

    name: str
    language: str
    text: str
    start_line: int
    end_line: int


class OutputCode:
    """What Inductor wrote to `file` for one graph: `kernels` by name, and `calls`, the line of each numbered call."""

    def __init__(self, text: str, file: str = "") -> None:
        self.file = file
        self.kernels: dict[str, KernelSource] = {}
        self.calls: dict[int, int] = {}
        lines = _Lines(text)
        found = list(_DEFINITION.finditer(text))
        for position, match in enumerate(found):
            end = found[position + 1].start() if position + 1 < len(found) else len(text)
            source = _literal(text, match, end, lines)
            if source is not None:
                self.kernels.setdefault(source.name, source)
        if "CppWrapperCodeCache" in text:
            for source in _functions(text):
                self.kernels.setdefault(source.name, source)
        lines = _Lines(text)
        for match in _CALL.finditer(text):
            self.calls[int(match[2][:9])] = lines.number(match.end()) + 1


class OutputCodes:
    """The generated code of a recording, by the name of the file that torch wrote it to."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._read: dict[tuple[int, str], OutputCode] = {}

    @cached_property
    def _events(self) -> dict[tuple[int, str], tuple[Event, str]]:
        found: dict[tuple[int, str], tuple[Event, str]] = {}
        for event in self._recording.events("inductor_output_code"):
            path = event.fields.get("filename")
            if isinstance(path, str) and event.has_payload:
                found.setdefault((event.process, path.replace("\\", "/").rpartition("/")[2]), (event, path))
        return found

    def find(self, process: int, file: str | None) -> OutputCode | None:
        """Return the code that a process's file has; None when it is not in the recording."""
        key = (process, file or "")
        if key not in self._read and key in self._events:
            event, path = self._events[key]
            self._read[key] = OutputCode(self._recording.payload(event), path)
        return self._read.get(key)

    def text(self, kernel: Kernel) -> str | None:
        """Return a kernel's text; None for a library call, and when its code is not in the recording."""
        code = self.find(kernel.process, kernel.code)
        source = code.kernels.get(kernel.name) if code is not None else None
        return None if source is None else source.text


class _Lines:
    """Numbers of lines for places that come in order."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._line = text, 0, 1

    def number(self, place: int) -> int:
        if place < self._place:
            return 1 + self._text.count("\n", 0, place)
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line


def _literal(text: str, match: re.Match[str], end: int, lines: _Lines) -> KernelSource | None:
    kind = match[2] or match[3]
    language = _LANGUAGES.get(kind, kind)
    opening = _QUOTES.search(text, match.end(), end)
    if opening is None:
        return _statement(text, match, end, lines, language)
    start, close = opening.end(), _closing(text, opening.end(), opening[1])
    if close < 0:
        return None
    try:
        value = ast.literal_eval(text[opening.start() : close + 3])
    except (ValueError, SyntaxError, MemoryError):
        return None
    first = start + 1 if text[start : start + 1] == "\n" else start
    last = close - 1 if text[close - 1 : close] == "\n" else close
    return KernelSource(match[1], language, str(value).removeprefix("\n"), lines.number(first), lines.number(last))


def _closing(text: str, start: int, quotes: str) -> int:
    """Where the quotes are that end a literal; -1 when it has no end."""
    while (found := text.find(quotes, start)) >= 0:
        before = text[:found] if found < 64 else text[found - 64 : found]  # noqa: PLR2004 - more than anyone writes
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return found
        start = found + 1
    return -1


def _statement(text: str, match: re.Match[str], end: int, lines: _Lines, language: str) -> KernelSource | None:
    """A definition without a text of its own, such as a choice between kernels."""
    close = text.find("\n\n", match.end(), end)
    piece = text[match.start() : close if close >= 0 else end].strip("\n")
    start = lines.number(match.start())
    return KernelSource(match[1], language, piece + "\n", start, start + piece.count("\n"))


def _functions(text: str) -> list[KernelSource]:
    """The kernels of a wrapper in C++."""
    found = []
    lines = _Lines(text)
    for match in _FUNCTION.finditer(text):
        end = _END_OF_FUNCTION.search(text, match.end())
        if end is not None:
            piece = text[match.start() : end.end()]
            start = lines.number(match.start())
            found.append(KernelSource(match[1], "C++", piece + "\n", start, start + piece.count("\n")))
    return found
