"""Where the user should look for a guard that failed: the line that made it, else where the thing comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import syntax, torch_text
from compilescope.analysis.facts import Frame
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.passed import is_inline, passed

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Failed, Recompile


class GuardedAt:
    """The places of guards. Torch names the user's line for the first guard on a thing, and its own for later ones."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._remembered: dict[tuple[str, int, str], Frame] = {}

    def place(self, fact: Recompile, failed: Failed, subjects: list[str]) -> Frame:
        """Return the place of a guard on `subjects`."""
        found = self._find(fact, failed, subjects)
        for name in subjects:
            self._remembered.setdefault((fact.code.file, fact.code.line, name), found)
        return found

    def definition(self, code: Frame) -> Frame:
        """Return the place of a function's name in its `def` line."""
        source = self._context.sources.get(code.file)
        function = syntax.function_at(source, code.line, plain_function(code.function))
        return code if function is None or source is None else syntax.definition(function, source, code.file)

    def _find(self, fact: Recompile, failed: Failed, subjects: list[str]) -> Frame:
        context = self._context
        frame = context.rules.caller(failed.frames)
        keys = ((fact.code.file, fact.code.line, name) for name in subjects)
        known = next((self._remembered[key] for key in keys if key in self._remembered), None)
        if frame is not None:
            same_line = known is not None and (known.file, known.line) == (frame.file, frame.line)
            if same_line and known is not None and frame.col is None:
                return known
            test = syntax.test_on(context.sources.get(frame.file), frame.line, frame.file, frame.function)
            return test if test is not None and frame.col is None else frame
        if known is not None:
            return known
        code = fact.code
        if not context.rules.in_user_code(code.file):
            given = (
                passed(context, fact, torch_text.user_names(failed.expression or failed.part))
                if is_inline(code)
                else None
            )
            return given.place if given is not None else context.rules.caller(fact.above) or code
        line = resumed_at(code.function)
        resumed = code if line is None else Frame(code.file, line, code.function)
        return self._source_of(code, subjects, line, self._lines(fact, failed)) or resumed

    def _lines(self, fact: Recompile, failed: Failed) -> set[int]:
        """Return the lines of a frame's file that its compile went through, else the version that did not fit."""
        names = [self._context.name(fact.where._replace(id=one)) for one in (fact.where.id, failed.entry) if one]
        each = (self._context.lines.by_compile.get(name, {}).get(fact.code.file) for name in names)
        return next(filter(None, each), set())

    def _source_of(self, code: Frame, subjects: list[str], resumed: int | None, lines: set[int]) -> Frame | None:
        """Return where a frame gets a guarded thing from: a parameter, else its first use, else the `def` line.

        In a piece that goes on after line `resumed`, its first use after that line; on `lines` where it has one there.
        """
        source = self._context.sources.get(code.file)
        function = syntax.function_at(source, code.line, plain_function(code.function))
        if function is None or source is None:
            return None
        for subject in subjects:
            root = re.split(r"[.\[]", subject)[0]
            given = None if resumed else syntax.parameter(function, root, code.file)
            each = (syntax.first_use(function, subject, code.file, resumed or 0, own) for own in (lines, None))
            used = next(filter(None, each), None)
            found = given or used if root == subject or "[" in subject else used or given
            if found is not None:
                return found
        return None if resumed else syntax.definition(function, source, code.file)
