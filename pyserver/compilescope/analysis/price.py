"""What recompiles cost: C = guard · calls + recompile · count, as far as the recording says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled, Frame, Recompile

_SHORT = 0.01
_FORWARD = ("forward", "inference", "dynamo")


def calls(context: Context, where: Compiled) -> int | None:
    """Return how often a compile's graph ran, backward graphs not counted; None if that is not recorded."""
    one = context.compiles.by_id.get(where)
    counts = [] if one is None else [one.calls[name] for name in _FORWARD if name in one.calls]
    return sum(counts) if counts else None


class Prices:
    """The prices of recompiles, with the compiles of each frame at hand."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._codes = context.compiles.codes()
        self._compiles: dict[tuple[int, int, Frame], list[Attempted]] = {}
        for one in context.compiles:
            if (key := self._key(one.where)) is not None:
                self._compiles.setdefault(key, []).append(one)

    def of(self, facts: Sequence[Recompile]) -> dict[str, Any]:
        """Return the seconds of some recompiles of a frame, and what checking its versions took.

        `recompile_s`: seconds of these compiles. Where recorded: `calls` of all versions of the frame, `guard_s`: for
        each version its calls times its look-up as torch timed it once, `once`: how many of these compiles made a
        version that ran once.
        """
        context = self._context
        found: dict[str, Any] = {"recompile_s": context.seconds(fact.where for fact in facts)}
        keys = {key for fact in facts if (key := self._key(fact.where)) is not None}
        versions = [one for key in keys for one in self._compiles[key]]
        ran = [(one, count) for one in versions if (count := calls(context, one.where)) is not None]
        if ran:
            found["calls"] = sum(count for _, count in ran)
            checks = [count * one.seconds["guard_check"] for one, count in ran if "guard_check" in one.seconds]
            if len(checks) == len(ran):
                found["guard_s"] = round(sum(checks), 9)
        made = [calls(context, fact.where) for fact in facts]
        if None not in made:
            found["once"] = made.count(1)
        return found

    def _key(self, where: Compiled) -> tuple[int, int, Frame] | None:
        code = self._codes.get(where)
        return None if code is None or where.id is None else (where.process, where.reset, code)


def is_storm(context: Context, facts: Sequence[Recompile]) -> bool:
    """Whether recompiles recur and do not pay: not each of them made a version that was used again."""
    return len(facts) > 1 and not all((calls(context, fact.where) or 0) > 1 for fact in facts)


def told(price: Mapping[str, Any], count: int) -> str:
    """Return a price in words: `4 compiles took 2.12 s, each for a single call. …`; empty for one recompile."""
    spent, once, checks, ran = (price.get(key) for key in ("recompile_s", "once", "guard_s", "calls"))
    if not isinstance(spent, int | float) or count < 2:  # noqa: PLR2004 - one is in the table
        return ""
    used = ""
    if once == count:
        used = ", and none of these versions was used again"
    elif isinstance(once, int) and once:
        used = f", and {once} of these versions {'was' if once == 1 else 'were'} not used again"
    text = f"{count} compiles took {spent:.2f} s{used}."
    if isinstance(checks, int | float) and isinstance(ran, int) and checks > 0:
        text += f" Checking guards took about {_time(checks)} in {ran} calls."
    return text


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= _SHORT else f"{seconds * 1000:.2g} ms"
