"""Which line of a Triton kernel each line of what Triton made of it comes from, and which lines are only debug data.

Triton's own debug information says it: `loc` in TTIR and TTGIR, `!dbg` in LLVM IR, `.loc` in assembly. What was inlined
is followed out to the kernel itself. Lines count from 1; 0 is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEFINED = re.compile(
    r'^(#loc\d*) = loc\((?:"[^"\n]*"\(\s*)?(?:"(?P<file>[^"\n]*)":(?P<line>\d{1,9}):\d+|(?P<of>.*?))\)+\s*$'
)
_REFERENCE = re.compile(r"#loc\d*")
_USED = re.compile(r"loc\((#loc\d*)\)\s*$")
_USED_FILE = re.compile(r'loc\("(?P<file>[^"\n]*)":(?P<line>\d{1,9}):\d+\)\s*$')
_NUMBERED = re.compile(r"^!(\d{1,9}) = (?:distinct )?!DILocation\(line: (\d{1,9}),.*?(?:inlinedAt: !(\d{1,9}))?\)")
_DEBUG = re.compile(r"!dbg !(\d{1,9})")
_PTX = re.compile(r"^\s*\.loc\s+(\d{1,9}) (\d{1,9}) \d+(.*)")
_INLINED = re.compile(r"inlined_at (\d{1,9}) (\d{1,9}) ")
_OUTERMOST = re.compile(r"@\[ \S+:(\d{1,9}):\d+ \](?: \])*\s*$")
_ASM_CODE = re.compile(r"^\s*(?:[@a-z%]|//)")
_MOST_STEPS = 64


@dataclass(frozen=True)
class Debug:
    """For each line of a text the kernel's line, and the ranges (first and last, from 1) of lines of debug data."""

    lines: list[int]
    data: list[tuple[int, int]]


def lines(stage: str, text: str) -> Debug:
    """Return what the debug information of a stage's text says."""
    every = text.split("\n")
    read = {"ttir": _mlir, "ttgir": _mlir, "llir": _llvm, "ptx": _assembly, "amdgcn": _assembly}.get(stage)
    return Debug([0] * len(every), []) if read is None else read(every)


def _mlir(every: list[str]) -> Debug:
    places: dict[str, tuple[str, int]] = {}
    calls: dict[str, str] = {}
    data = []
    for number, line in enumerate(every, start=1):
        match = _DEFINED.match(line)
        if match is None:
            continue
        data.append(number)
        if match["file"] is not None:
            places[match[1]] = (match["file"], int(match["line"]))
        elif references := _REFERENCE.findall(match["of"] or ""):
            calls[match[1]] = references[-1]  # of `callsite(callee at caller)` the caller
    own = next(iter(places.values()), ("", 0))[0]

    def place(name: str) -> int:
        for _ in range(_MOST_STEPS):
            if name in places:
                return places[name][1] if places[name][0] == own else 0
            if name not in calls:
                return 0
            name = calls[name]
        return 0

    found = []
    for line in every:
        used, direct = _USED.search(line), _USED_FILE.search(line)
        given = 0 if direct is None or line.startswith("#") else int(direct["line"])
        found.append(place(used[1]) if used and not line.startswith("#") else given)
    return Debug(found, _ranges(data))


def _llvm(every: list[str]) -> Debug:
    places: dict[str, tuple[int, str | None]] = {}
    data = []
    for number, line in enumerate(every, start=1):
        if line.startswith("!"):
            data.append(number)
            if match := _NUMBERED.match(line):
                places[match[1]] = (int(match[2]), match[3])

    def place(name: str) -> int:
        line = 0
        for _ in range(_MOST_STEPS):
            line, caller = places.get(name, (0, None))
            if caller is None:
                return line
            name = caller
        return line

    found = [0 if line.startswith("!") or not (used := _DEBUG.search(line)) else place(used[1]) for line in every]
    return Debug(found, _ranges(data))


def _assembly(every: list[str]) -> Debug:
    found, now, own = [], 0, ""
    sections = 0
    for number, line in enumerate(every, start=1):
        match = _PTX.match(line)
        if match is not None:
            inlined, said = _INLINED.findall(match[3]), _OUTERMOST.search(match[3])
            file, at = inlined[-1] if inlined else (own, said[1]) if said else (match[1], match[2])
            own = own or file
            now = int(at) if file == own else 0
        if sections == 0 and line.strip().startswith((".section", ".file")) and now:
            sections, now = number, 0
        found.append(now if _ASM_CODE.match(line) or match is not None else 0)
    return Debug(found, [(sections, len(every))] if sections else [])


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
