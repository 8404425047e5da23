"""Recompiles: `recompile`, on the line that made the guard, and `recompile-limit`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compilescope.analysis import causes, recompile_limits, recompile_values, recompile_words, syntax
from compilescope.analysis.context import Context, add_once, stack_of
from compilescope.analysis.frames import resumed_at
from compilescope.analysis.guarded_at import GuardedAt
from compilescope.analysis.model import Finding, Severity
from compilescope.analysis.price import Prices, is_storm
from compilescope.analysis.recompile_rows import row

if TYPE_CHECKING:
    from compilescope.analysis.explain import Words
    from compilescope.analysis.facts import Frame, Recompile
    from compilescope.analysis.recompile_words import Values
    from compilescope.analysis.symbols import Symbols
    from compilescope.analysis.versions import Kept

# Kinds that may be of a number which a call needs exactly.
NUMBERS = {"number", "module-integer", "global", "closure", "attribute", "value"}
_STACK_VALUE = re.compile(r"___stack\d+")


@dataclass
class _Group:
    """The recompiles that one thing on one line caused."""

    place: Frame
    subject: str
    facts: list[Recompile] = field(default_factory=list)


def findings(context: Context, symbols: Symbols, kept: Kept) -> list[Finding]:
    """Return one finding for each line and thing that was guarded, and one for each frame at its limit.

    `kept`: how many versions each frame has at the end.
    """
    groups: dict[tuple[str, int, str], _Group] = {}
    places = GuardedAt(context)
    for fact in context.facts.recompiles:
        first = causes.cause(fact, context.facts.guards)
        subjects = causes.subjects(first)
        subject = subjects[0] if subjects else ""
        place = places.place(fact, first, subjects)
        group = groups.setdefault((place.file, place.line, subject), _Group(place, subject))
        group.facts.append(fact)
    prices = Prices(context)
    found = [
        _finding(context, symbols, kept, prices, group)
        for group in groups.values()
        if any(not fact.refused for fact in group.facts)
    ]
    placed = {
        (fact.code.file, fact.code.line, fact.code.function): group.place
        for group in groups.values()
        for fact in group.facts
    }
    return found + recompile_limits.findings(context, symbols, placed, places)


def _finding(context: Context, symbols: Symbols, kept: Kept, prices: Prices, group: _Group) -> Finding:
    every = [fact for fact in group.facts if not fact.refused]
    facts, times = _of_one(context, every)
    failed = [causes.cause(fact, context.facts.guards) for fact in facts]
    follows = all(resumed_at(fact.code.function) is not None for fact in facts) and bool(
        _STACK_VALUE.fullmatch(group.subject)
    )
    each = [recompile_values.kind_of(context, fact, one) for fact, one in zip(facts, failed, strict=True)]
    kinds = set(each)
    place, needs = recompile_values.needing(context, group.place) if kinds <= NUMBERS else (group.place, {})
    changed: list[tuple[str, Values]] = []
    for kind, fact, one in zip(each, facts, failed, strict=True):
        known = recompile_values.values(context, symbols, fact, one, group.subject, len(facts))
        changed.append((kind, {**known, **needs}))
    settled = recompile_values.settled(context, facts, failed)
    expected = follows or settled or recompile_values.grown(context, symbols, facts, kinds)
    storm = is_storm(context, facts) and not expected
    words = _words(changed, follows=follows, storm=storm)
    if settled and not follows:
        words = recompile_words.settled(changed[0][1], changed[-1][1])
    function = _function(context, facts, place)
    severity: Severity = "warning" if storm else "information"
    ids: list[str] = []
    add_once(ids, (context.name(fact.where) for fact in every))
    detail: dict[str, Any] = {
        "label": words.label,
        "function": function,
        "write": words.write,
        "note": words.note,
        "change": kinds.pop() if len(kinds) == 1 else "mixed",
        "recompiles": [row(context, symbols, fact) for fact in every],
        "price": prices.of(every),
        "versions": kept.of(every),
        "limit": _limit(context, facts[-1]),
        "follows_break": follows or None,
        "raises": facts[-1].at_limit.startswith("raises") or None,
    }
    first = failed[0]
    return Finding(
        rule="recompile",
        severity=severity,
        file=place.file,
        range=context.ranges.of(place),
        title=f"{_within(context, facts[-1].code, place)}`{function}` was recompiled {times}",
        explanation=words.explanation,
        reason=first.reason.strip(),
        class_="guard",
        stage="guard",
        code="recompile",
        href=None,
        compile_ids=ids,
        count=len(every),
        cost_s=context.seconds(fact.where for fact in every),
        frames=context.rules.shown(stack_of(facts[0].above, first.frames), context.ranges),
        hints=list(dict.fromkeys(words.hints)),
        detail={key: value for key, value in detail.items() if value not in (None, "")},
    )


def _of_one(context: Context, facts: list[Recompile]) -> tuple[list[Recompile], str]:
    """Return the recompiles of the process that has most, and how often that is: ranks of a job do the same each."""
    by_process: dict[int, list[Recompile]] = {}
    for fact in facts:
        by_process.setdefault(fact.where.process, []).append(fact)
    most = max(by_process.values(), key=len)
    times = "once" if len(most) == 1 else f"{len(most)} times"
    if len(by_process) == 1:
        return most, times
    processes = context.facts.processes
    ranks = {processes[one].rank if one in processes else None for one in by_process}
    what = f"{len(by_process)} {'processes' if None in ranks or len(ranks) < len(by_process) else 'ranks'}"
    same = len({len(each) for each in by_process.values()}) == 1
    return (
        most,
        f"{times} on each of {what}" if same else f"up to {times} on {what}",
    )


def _words(changed: list[tuple[str, Values]], *, follows: bool, storm: bool) -> Words:
    found = recompile_words.words(changed)
    if follows:
        found.explanation = recompile_words.after_break()
    if storm and len(found.hints) < 2:  # noqa: PLR2004 - few of the kind's own
        found.hints.append(recompile_words.storm())
    return found


def _function(context: Context, facts: list[Recompile], place: Frame) -> str:
    """Return the name of what was compiled: a library's by what the user's line calls, where that is it."""
    code = facts[-1].code
    names = {context.compiled(fact.where, fact.code) for fact in facts}
    own = names.pop() if len(names) == 1 else context.function(code)
    if context.rules.in_user_code(code.file) or own != context.function(code) or _within(context, code, place):
        return own
    if place.file == code.file:  # the call that led to it is not in the log
        return own
    return syntax.called(context.sources.get(place.file), place) or own


def _within(context: Context, code: Frame, place: Frame) -> str:
    """Return what stands before the name of a library's method, where the user's line calls something around it."""
    call, own = syntax.called(context.sources.get(place.file), place), context.function(code)
    if not call or context.rules.in_user_code(code.file) or "." not in own:
        return ""
    return "" if call.rpartition(".")[2] == own.rpartition(".")[2] else f"inside `{call}`, "


def _limit(context: Context, fact: Recompile) -> int | None:
    own = fact.limits.get("recompile")
    return context.compiles.limit(fact.where) if own is None else int(own)
