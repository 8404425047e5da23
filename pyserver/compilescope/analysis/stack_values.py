"""What a break left for the piece after it (torch's `___stack0`, `___stack1`, …), in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import syntax
from compilescope.analysis.frames import resumed_at

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame

_STACK_VALUE = re.compile(r"___stack(\d+)")


def named(context: Context, process: int, code: Frame, text: str) -> str:
    """Return a guard of a piece with words for what the break before it left on the stack."""
    if not _STACK_VALUE.search(text):
        return text
    result, called = f"result of line {resumed_at(code.function) or code.line}", kept(context, process, code)
    first = f"the method {called} kept across the break" if called else result
    return _STACK_VALUE.sub(lambda match: first if match[1] == "0" else result, text)


def kept(context: Context, process: int, code: Frame) -> str | None:
    """Return what the line before a piece calls with what its break produced: it is lowest on the stack until then.

    None where the break is no argument of a call, and where several breaks of the line do not say the same.
    """
    line = resumed_at(code.function)
    found = {
        syntax.called_with(context.sources.get(code.file), fact.frames[0])
        for fact in context.facts.breaks
        if fact.where.process == process
        and fact.frames
        and (fact.frames[0].file, fact.frames[0].line) == (code.file, line)
    }
    return found.pop() if len(found) == 1 else None
