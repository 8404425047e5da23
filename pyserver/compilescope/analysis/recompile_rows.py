"""The recompiles of a finding as its `detail` lists them (docs/findings.md)."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from compilescope.analysis import causes, torch_text
from compilescope.analysis.changes import change
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.passed import own_names
from compilescope.analysis.price import calls
from compilescope.analysis.stack_values import named

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Failed, Recompile
    from compilescope.analysis.symbols import Symbols

_ITEMS = re.compile(r"<\w+ of (\d+)>")


def row(context: Context, symbols: Symbols, fact: Recompile) -> dict[str, Any]:
    """Return one recompile: what failed, its values, who called, what it took."""
    failed = counted(causes.cause(fact, context.facts.guards))
    caller = context.rules.caller(fact.above)
    own = partial(own_names, context, fact)
    found = {
        "compile_id": context.name(fact.where),
        "guard": own(_guard(context, fact, failed)),
        "check": own(own_words(context, fact, change(failed).check)),
        "expression": failed.expression and own(own_words(context, fact, failed.expression)),
        "old": failed.old,
        "new": failed.new,
        "caller": None
        if caller is None
        else {"file": caller.file, "line": caller.line, "function": plain_function(caller.function)},
        "seconds": round(context.compiles.seconds(fact.where), 6),
        "others": [
            {"version": one.entry, "guard": own(_guard(context, fact, one)), "old": one.old, "new": one.new}
            for one in causes.others(fact, failed)
        ],
        **_kept(symbols, fact),
    }
    ran = None if fact.refused else calls(context, fact.where)
    return found if ran is None else found | {"calls": ran}


def counted(failed: Failed) -> Failed:
    """Return a guard that a container is empty with its length: what it is not, would say nothing."""
    items = _ITEMS.fullmatch(failed.new or "") if failed.part.startswith("not ") else None
    if items is None or failed.old != "False":
        return failed
    return replace(failed, expression=f"len({failed.expression})", old="0", new=items[1])


def own_words(context: Context, fact: Recompile, text: str) -> str:
    """Return a guard with words for what a break left for the piece after it."""
    return named(context, fact.where.process, fact.code, text)


def line_of(fact: Recompile) -> int:
    """Return the line that a piece goes on after, or the one that a function starts at."""
    return resumed_at(fact.code.function) or fact.code.line


def _guard(context: Context, fact: Recompile, failed: Failed) -> str:
    return own_words(context, fact, torch_text.user_names(failed.part))


def _kept(symbols: Symbols, fact: Recompile) -> dict[str, Any]:
    """Return which versions there were, how many count against the limits, and what the new one left open since."""
    versions = [{"version": one.id, "dead": one.dead} for one in fact.kept]
    counted = [
        {"limit": name, "versions": int(count), "most": int(fact.limits[name])}
        for name, count in fact.counted.items()
        if name in fact.limits
    ]
    learned = [asdict(one) for one in symbols.learned(fact.where)]
    found = {"entries": versions, "counted": counted, "region": fact.region, "learned": learned}
    return {key: value for key, value in found.items() if value not in ([], None)}
