"""Which compiles a break caused: of the piece after it, and of the functions that run on their own because of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.syntax import function_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break, Compiled, Frame

_Key = tuple[int, int, str, "int | str | None"]
"""Process, reset, file, and the line or the function."""


class Pieces:
    """The first compiles of all frames, each given to one cause: the last break before it that explains it."""

    def __init__(self, context: Context) -> None:
        self._sources = context.sources
        self._after: dict[_Key, list[Attempted]] = {}
        self._resumed: dict[_Key, list[Attempted]] = {}
        self._alone: dict[_Key, list[Attempted]] = {}
        self._broken: dict[_Key, list[Break]] = {}
        self._causes: dict[Compiled, object] = {}
        self._caused: dict[object, list[Attempted]] = {}
        for one in sorted(context.compiles, key=lambda one: one.order):
            if one.code is None or one.recompiled:
                continue
            key = one.where.process, one.where.reset, one.code.file
            if one.resumed:
                self._after.setdefault((*key, resumed_at(one.resume_name)), []).append(one)
            (self._resumed if one.resumed else self._alone).setdefault((*key, one.code.function), []).append(one)

    def give(self, breaks: Iterable[tuple[object, Break]]) -> None:
        """Give the compiles to the breaks, each told with its cause."""
        ordered = sorted(breaks, key=lambda one: one[1].order)
        for _, fact in ordered:
            for frame in fact.frames[:1] if fact.kind == "break" else ():
                line = fact.where.process, fact.where.reset, frame.file, frame.line
                self._broken.setdefault(line, []).append(fact)
        for cause, fact in ordered:
            for number, frame in enumerate(fact.frames):
                key = fact.where.process, fact.where.reset, frame.file
                if number:
                    alone = self._alone.get((*key, frame.function), ())
                    self._give(cause, fact, [one for one in alone if self._is_around(one, frame)])
                elif fact.kind == "break":
                    given = self._give(cause, fact, self._own_after((*key, frame.line), fact))
                    # In a piece of a function, torch's line is not always that of the source (`tracer.linetable`).
                    if not given and resumed_at(frame.function) is not None:
                        self._give(cause, fact, self._resumed.get((*key, plain_function(frame.function)), ()))

    def of(self, cause: object) -> list[Compiled]:
        """Return the compiles that a cause got, in order."""
        return [one.where for one in sorted(self._caused.get(cause, ()), key=lambda one: one.order)]

    def given(self, where: Compiled) -> bool:
        """Whether some cause got a compile."""
        return where in self._causes

    def _own_after(self, key: _Key, fact: Break) -> list[Attempted]:
        """Return the compiles after a break's line that are not of another function that broke on it since.

        Pieces have the name and the line of their function alone, which two lambdas may have in common.
        """
        others = [one.order for one in self._broken.get(key, ()) if one.order > fact.order and _is_another(one, fact)]
        until = min(others, default=None)
        return [one for one in self._after.get(key, ()) if until is None or one.order < until]

    def _give(self, cause: object, fact: Break, fitting: Iterable[Attempted]) -> bool:
        """Give the first fitting compile after a break that nobody has."""
        for one in fitting:
            if one.order > fact.order and one.where not in self._causes:
                self._causes[one.where] = cause
                self._caused.setdefault(cause, []).append(one)
                return True
        return False

    def _is_around(self, one: Attempted, frame: Frame) -> bool:
        """Whether a frame's line is in the function that a compile is of."""
        if one.code is None or one.code.line > frame.line:
            return False
        function = function_at(self._sources.get(one.code.file), one.code.line, one.code.function)
        return function is None or frame.line <= (function.end_lineno or frame.line)


def _is_another(one: Break, other: Break) -> bool:
    """Whether two breaks are in two functions that begin on the same line: in frames of their own, not in pieces."""
    frames = [(fact.where.id or "").partition("/")[0] for fact in (one, other)]
    codes = [fact.code for fact in (one, other) if fact.code is not None and resumed_at(fact.code.function) is None]
    same = len(codes) == 2 and (codes[0].line, codes[0].function) == (codes[1].line, codes[1].function)  # noqa: PLR2004
    return same and frames[0] != frames[1]
