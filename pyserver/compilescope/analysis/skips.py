"""Frames that were given up: which break it was, and what kept torch from going on after it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis import syntax
from compilescope.analysis.facts import Frame
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.passed import is_inline
from compilescope.analysis.surroundings import around

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Break, Compiled

_SKIPPED_FRAME = re.compile(r"frame skipped: (?P<name>\S+) \((?P<file>.+) line (?P<line>\d{1,9})\)")
# A generator function that `torch.compile` was given: no compile of it begins.
_GENERATOR = "Attempt to trace generator"
# Torch 2.6 to 2.8 tell only of the block, and not of the break in it.
_IN_BLOCK = "Graph break under GenericContextWrappingVariable"
# An async generator is one by its first instruction (Python 3.11), or by an intrinsic function.
_ASYNC = "ASYNC_GEN_WRAP"
_ASYNC_GENERATOR = "Attempt to trace async generator"
# Torch then keeps the graph up to the last statement that it could resume from.
_PARTLY = "Encountered graph break that we cannot resume from"


def joined(breaks: Iterable[Break]) -> list[Break]:
    """Return the breaks, with one that torch could not go on after and the skip that came of it as one.

    Torch tells first of the break, then, when it has compiled anew up to there, of what keeps it from going on.
    """
    found: list[Break] = []
    for fact in breaks:
        cause = _cause(fact, found) if fact.kind == "frame-skipped" and fact.skip_type is None else None
        if cause is None:
            found.append(fact)
            continue
        found[found.index(cause)] = replace(
            cause, kind="frame-skipped", reason=fact.reason, skip_type=fact.gb_type, skip_id=fact.gb_id, code=fact.code
        )
    return found


def _cause(skip: Break, before: list[Break]) -> Break | None:
    """Return the break that a skip came of: the last one that its compile met, in the same statement of the frame."""
    for one in reversed(before):
        if one.where == skip.where and one.kind == "break":
            same = one.gb_type != skip.gb_type and one.frames and skip.frames
            return one if same and _meet(one.frames[0], skip.frames[0]) else None
    return None


def _meet(one: Frame, other: Frame) -> bool:
    """Whether two places are in the same file and have a line in common."""
    ends = one.end_line or one.line, other.end_line or other.line
    return one.file == other.file and one.line <= ends[1] and other.line <= ends[0]


def frame_of(context: Context, fact: Break, place: Frame) -> dict[str, str | int | bool]:
    """Return the frame that runs in eager: the one that torch was compiling; `rest`: only from the break on.

    `versions`: how many of it were compiled before.
    """
    named = _SKIPPED_FRAME.search(fact.reason)
    code = fact.code or place
    if named is not None:
        code = Frame(named["file"], int(named["line"]), named["name"])
    found: dict[str, str | int | bool] = {
        "function": context.compiled(fact.where, code, fact.frames),
        "file": code.file,
        "line": code.line,
    }
    if is_inline(code) and found["function"] == code.function:  # torch's wrapper, of which no more is known
        found["function"] = syntax.called(context.sources.get(place.file), place) or code.function
    partly = fact.reason.startswith(_PARTLY) and context.compiles.has_graph(fact.where)
    if partly or _goes_on(context, fact.where, code):
        found["rest"] = True
    if versions := _earlier(context, fact.where, code):
        found["versions"] = versions
    return found


def _goes_on(context: Context, where: Compiled, code: Frame) -> bool:
    """Whether a frame is the piece after an earlier break, and there is a graph of what comes before."""
    own = context.compiles.by_id.get(where)
    if own is None or resumed_at(code.function) is None:
        return False
    return any(
        bool(one.nodes)
        and one.order < own.order
        and (one.where.process, one.where.reset) == (where.process, where.reset)
        and one.code is not None
        and (one.code.file, one.code.function) == (code.file, plain_function(code.function))
        and one.code.line <= code.line
        for one in context.compiles
    )


def _earlier(context: Context, where: Compiled, code: Frame) -> int:
    """Return how many versions of a frame there were already.

    Torch marks the code that it gives up, so that no call of it looks for a version again (`ConvertFrame.__call__` in
    torch/_dynamo/convert_frame.py and `dynamo__custom_eval_frame` in eval_frame_cpp.cpp, 2.6 to 2.14).
    """
    own = context.compiles.by_id.get(where)
    return sum(
        (one.metrics or {}).get("has_guarded_code") is True and bool(one.nodes)
        for one in context.compiles
        if own is not None
        and one.order < own.order
        and (one.where.process, one.where.reset) == (where.process, where.reset)
        and one.code is not None
        and (one.code.file, one.code.line, one.resume_name) == (code.file, code.line, code.function)
    )


def reason(fact: Break) -> str:
    """Return torch's name of what kept it from going on; empty when it is the break itself."""
    own = fact.gb_type or ""
    if _ASYNC in fact.context:
        return _ASYNC_GENERATOR
    return fact.skip_type or (own if "skip_frame" in own or own in {_GENERATOR, _IN_BLOCK} else "")


def spot(context: Context, fact: Break) -> str:
    """Return what the frame was in the middle of, as `surroundings.around` names it: torch can't go on from there.

    `property`: an attribute that runs code of its own.
    """
    root = fact.frames[0] if fact.frames else None
    found = None if root is None else around(context.sources.get(root.file), root)
    return "property" if found == "attribute" and len(fact.frames) > 1 else found or ""


def block(context: Context, fact: Break) -> str:
    """Return which block around the line it is in that torch can't go on in: `loop`, `with`, `try`; else nothing."""
    if "loop" in reason(fact):
        return "loop"
    if "GenericContextWrappingVariable" in reason(fact):
        return "with"
    return "try" if spot(context, fact) == "try" else ""
