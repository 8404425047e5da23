"""Which compiles a break caused: of the piece after it, and of the functions that run on their own because of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.syntax import function_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break, Compiled, Frame


class Pieces:
    """The first compiles of all frames, each given to one cause: the last break before it that explains it."""

    def __init__(self, context: Context) -> None:
        self._sources = context.sources
        self._free = sorted(
            (one for one in context.compiles if one.code is not None and not one.recompiled), key=lambda one: one.order
        )
        self._causes: dict[Compiled, object] = {}

    def give(self, breaks: Iterable[tuple[object, Break]]) -> None:
        """Give the compiles to the breaks, each told with its cause."""
        for cause, fact in sorted(breaks, key=lambda one: one[1].order):
            for number, frame in enumerate(fact.frames):
                if number:
                    self._give(cause, fact, frame, self._alone)
                elif fact.kind == "break":
                    # In a piece of a function, torch's line is not always that of the source (`tracer.linetable`).
                    shifted = resumed_at(frame.function) is not None
                    _ = self._give(cause, fact, frame, _after) or (
                        shifted and self._give(cause, fact, frame, _in_same_function)
                    )

    def of(self, cause: object) -> list[Compiled]:
        """Return the compiles that a cause got."""
        return [one.where for one in self._free if self._causes.get(one.where) == cause]

    def given(self, where: Compiled) -> bool:
        """Whether some cause got a compile."""
        return where in self._causes

    def _give(self, cause: object, fact: Break, frame: Frame, fits: Callable[[Attempted, Frame], bool]) -> bool:
        for one in self._free:
            same = (one.where.process, one.where.reset) == (fact.where.process, fact.where.reset)
            if same and one.order > fact.order and one.where not in self._causes and fits(one, frame):
                self._causes[one.where] = cause
                return True
        return False

    def _alone(self, one: Attempted, frame: Frame) -> bool:
        """Whether a compile is of a frame's function."""
        code = one.code
        if one.resumed or code is None or (code.file, code.function) != (frame.file, frame.function):
            return False
        function = function_at(self._sources.get(code.file), code.line, code.function)
        return code.line <= frame.line and (function is None or frame.line <= (function.end_lineno or frame.line))


def _after(one: Attempted, frame: Frame) -> bool:
    """Whether a compile is of what comes after a frame's line."""
    return one.code is not None and one.code.file == frame.file and resumed_at(one.resume_name) == frame.line


def _in_same_function(one: Attempted, frame: Frame) -> bool:
    """Whether a compile is of a piece of a frame's function."""
    code = one.code
    return (
        one.resumed and code is not None and (code.file, code.function) == (frame.file, plain_function(frame.function))
    )
