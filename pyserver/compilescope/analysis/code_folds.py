"""What of generated code can be folded to one line: everything but the kernels and what `call` does with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DEFINED = re.compile(r"^(\s*)def (?:call|partition_\d+|\w*subgraph\w*)\(")
_COMMENT = re.compile(r"^\s*#")
_SIGNATURE = re.compile(r"^(?:def |@triton\.jit)")
_BODY = re.compile(r"^\s+(?:_?tmp\w* |_tmp|for |tl\.store|acc )")
_CHECK = re.compile(r"^\s*assert_")
_FREED = re.compile(r"^\s*(?:del |args\.clear)")
_LEAST = 2


@dataclass(frozen=True)
class Fold:
    """Lines (first and last, from 1) that can be shown as one. `kind`: `kernel` or `other`; `label` says what it is."""

    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True)
class Placed:
    """Where a kernel's text is (lines from 1), and its name and language."""

    name: str
    language: str
    start: int
    end: int


def folds(lines: Sequence[str], kernels: Iterable[Placed], calls: Iterable[int]) -> list[Fold]:
    """Return the folds of generated code in order; those of a kernel's text are followed by those inside of it."""
    placed = sorted((one for one in kernels if 1 <= one.start <= one.end <= len(lines)), key=lambda one: one.start)
    found: list[Fold] = []
    done = 0
    for one in placed:
        if one.start <= done:
            continue
        start = _first(lines, one, done)
        end = one.end + 1 if one.end < len(lines) and _closes(lines[one.end]) else one.end
        while end < len(lines) and not lines[end].strip():
            end += 1
        found += _between(lines, done + 1, start - 1, calls)
        found.append(Fold(start, end, "kernel", one.name))
        found += _inside(lines, one, start)
        done = end
    return [*found, *_between(lines, done + 1, len(lines), calls)]


def _closes(line: str) -> bool:
    return line.startswith(("''')", '"""', "''', ", '""", '))


def _first(lines: Sequence[str], kernel: Placed, done: int) -> int:
    """The first line of a kernel with its definition and the comments above it."""
    start = kernel.start
    while start - 1 > done and (f"{kernel.name} = " in lines[start - 2] or _COMMENT.match(lines[start - 2])):
        start -= 1
    return start


def _inside(lines: Sequence[str], kernel: Placed, start: int) -> list[Fold]:
    """The comment above a kernel, and of Triton the imports and the set-up of its indices."""
    found = []
    comments = [number for number in range(start, kernel.start) if _COMMENT.match(lines[number - 1])]
    if len(comments) >= _LEAST:
        found.append(Fold(comments[0], comments[-1], "other", "the nodes that it is made from"))
    if kernel.language != "Triton":
        return found
    text = range(kernel.start, kernel.end + 1)
    signature = next((number for number in text if _SIGNATURE.match(lines[number - 1])), 0)
    if signature - kernel.start >= _LEAST:
        found.append(Fold(kernel.start, signature - 1, "other", "imports and heuristics"))
    define = next((number for number in text if number >= signature and lines[number - 1].startswith("def ")), 0)
    body = next((number for number in text if number > define and _BODY.match(lines[number - 1])), 0)
    if define and body - define > _LEAST:
        found.append(Fold(define + 1, body - 1, "other", "sizes and indices"))
    return found


def _between(lines: Sequence[str], first: int, last: int, calls: Iterable[int]) -> list[Fold]:
    """What is outside of the kernels: `call` with its buffers folded, and all the rest."""
    called = set(calls)
    found: list[Fold] = []
    at = first
    for number in range(first, last + 1):
        match = _DEFINED.match(lines[number - 1])
        if match is None or number < at:
            continue
        found += _rest(at, number - 1, "imports and set-up" if first == 1 and not found else "set-up")
        end = number
        while end < last and (not lines[end].strip() or lines[end].startswith(match[1] + " ")):
            end += 1
        while not lines[end - 1].strip():
            end -= 1
        found += _calls(lines, number + 1, end, called)
        at = end + 1
    return found + _rest(
        at, last, "imports and set-up" if at == 1 and first == 1 else "the rest of the file" if found else "set-up"
    )


def _rest(first: int, last: int, label: str) -> list[Fold]:
    return [Fold(first, last, "other", label)] if last - first + 1 >= _LEAST else []


def _calls(lines: Sequence[str], first: int, last: int, called: set[int]) -> list[Fold]:
    """What stands between the calls of kernels."""
    found: list[Fold] = []
    start = first
    for number in range(first, last + 2):
        shown = number > last or number in called or lines[number - 1].lstrip().startswith(("return", "with ", "if "))
        if shown:
            if number - start >= _LEAST:
                found.append(Fold(start, number - 1, "other", _named(lines[start - 1 : number - 1])))
            start = number + 1
    return found


def _named(lines: Sequence[str]) -> str:
    words = [
        *(["buffers"] if any("empty_strided" in one or "reuse" in one or _FREED.match(one) for one in lines) else []),
        *(["checks"] if any(_CHECK.match(one) for one in lines) else []),
    ]
    return " and ".join(words) or "set-up"
