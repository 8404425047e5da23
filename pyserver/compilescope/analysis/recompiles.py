"""Recompiles: `recompile` and `recompile-limit`, on the line that made the guard."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from compilescope.analysis import causes, explain, syntax, torch_text
from compilescope.analysis.context import Context, add_once, stack_of
from compilescope.analysis.facts import Failed, Frame
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.model import Finding, Severity
from compilescope.analysis.rounding import rounded_pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.facts import Recompile
    from compilescope.analysis.symbols import Symbols

_STACK_VALUE = re.compile(r"___stack\d+")
_LIMIT = re.compile(r"(?:recompile|cache_size)_limit\D{0,20}(\d{1,9})|limit reached\D{0,20}(\d{1,9})")
# What of `math` torch has by the same name, for tensors.
_MATH = re.compile(
    r"math\.(?:acosh?|asinh?|atanh?|atan2|ceil|cosh?|erf|exp|expm1|floor|log|log10|log1p|log2|pow|sinh?|sqrt|tanh?|trunc)"
)
_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")
_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:e[-+]?\d+)?|inf)|nan")
# What torch adds to a guard on an integer attribute of a module (torch/_dynamo/guards.py, 2.6 to 2.14).
_MODULE_INTEGER = "integer attributes of the nn.Module"
# A guard's expression that is one thing, with what is asked of it around.
_THING = re.compile(r"(?:len\(|not |'\w+' in )?(?P<thing>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)\)?")


@dataclass
class _Group:
    """The recompiles that one thing on one line caused."""

    place: Frame
    subject: str
    facts: list[Recompile] = field(default_factory=list)


def findings(context: Context, symbols: Symbols) -> list[Finding]:
    """Return one finding for each line and thing that was guarded, and one for each frame at its limit."""
    groups: dict[tuple[str, int, str], _Group] = {}
    remembered: dict[tuple[str, int, str], Frame] = {}
    for fact in context.facts.recompiles:
        first = causes.cause(fact, context.facts.guards)
        subjects = causes.subjects(first)
        subject = subjects[0] if subjects else ""
        place = _place(context, fact, first, subjects, remembered)
        for name in subjects:
            remembered.setdefault((fact.code.file, fact.code.line, name), place)
        group = groups.setdefault((place.file, place.line, subject), _Group(place, subject))
        group.facts.append(fact)
    found = [
        _finding(context, symbols, group) for group in groups.values() if any(not fact.refused for fact in group.facts)
    ]
    return found + _limits(context, symbols, groups.values())


def _place(
    context: Context,
    fact: Recompile,
    failed: Failed,
    subjects: list[str],
    remembered: dict[tuple[str, int, str], Frame],
) -> Frame:
    """Return where the user should look: the guard's line, else where the guarded thing comes from."""
    frame = context.rules.caller(failed.frames)
    known = next(
        (remembered[key] for name in subjects if (key := (fact.code.file, fact.code.line, name)) in remembered), None
    )
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
        return context.rules.caller(fact.above) or code
    line = resumed_at(code.function)
    return _source_of(context, code, subjects, line) or (
        code if line is None else Frame(code.file, line, code.function)
    )


def _source_of(context: Context, code: Frame, subjects: list[str], resumed: int | None) -> Frame | None:
    """Return where a frame gets a guarded thing from: a parameter, else its first use, else the `def` line.

    In a piece that goes on after line `resumed`, its first use after that line.
    """
    source = context.sources.get(code.file)
    function = syntax.function_at(source, code.line, plain_function(code.function))
    if function is None or source is None:
        return None
    for subject in subjects:
        root = re.split(r"[.\[]", subject)[0]
        given = None if resumed else syntax.parameter(function, root, code.file)
        used = syntax.first_use(function, subject, code.file, resumed or 0)
        found = given or used if root == subject or "[" in subject else used or given
        if found is not None:
            return found
    return None if resumed else syntax.definition(function, source, code.file)


def _finding(context: Context, symbols: Symbols, group: _Group) -> Finding:
    facts = [fact for fact in group.facts if not fact.refused]
    failed = [causes.cause(fact, context.facts.guards) for fact in facts]
    follows = all(resumed_at(fact.code.function) is not None for fact in facts) and bool(
        _STACK_VALUE.fullmatch(group.subject)
    )
    place, needs = _needing(context, group)
    guards = []
    for fact, one in zip(facts, failed, strict=True):
        guard = torch_text.user_names(one.part)
        number = _number(context, fact, one) if len(facts) == 1 else {}
        guards.append((guard, {**_values(context, group, facts, one, guard), **number, **needs}))
    words = explain.recompiles(guards)
    if follows:
        words.explanation = explain.after_break()
    function = _function(context, facts[-1].code, place)
    severity: Severity = "warning" if len(facts) > 1 and not follows else "information"
    ids: list[str] = []
    add_once(ids, (context.name(fact.where) for fact in facts))
    times = "once" if len(facts) == 1 else f"{len(facts)} times"
    detail: dict[str, Any] = {
        "label": words.label,
        "function": function,
        "write": words.write,
        "note": words.note,
        "recompiles": [_row(context, symbols, fact) for fact in facts],
        "versions": facts[-1].versions + 1,
        "limit": _limit(context, facts[-1]),
        "follows_break": follows or None,
    }
    hints: list[str] = []
    add_once(hints, words.hints)
    first = failed[0]
    return Finding(
        rule="recompile",
        severity=severity,
        file=place.file,
        range=context.ranges.of(place),
        title=f"`{function}` was recompiled {times}",
        explanation=words.explanation,
        reason=first.reason.strip(),
        class_="guard",
        stage="guard",
        code="recompile",
        href=None,
        compile_ids=ids,
        count=len(facts),
        cost_s=context.seconds(fact.where for fact in facts),
        frames=context.rules.shown(stack_of(facts[0].above, first.frames), context.ranges),
        hints=hints,
        detail={key: value for key, value in detail.items() if value not in (None, "")},
    )


def _function(context: Context, code: Frame, place: Frame) -> str:
    """Return the name of what was compiled: a library's function by what the user's line calls."""
    own = context.function(code)
    if context.rules.in_user_code(code.file):
        return own
    return syntax.called(context.sources.get(place.file), place) or own


def _needing(context: Context, group: _Group) -> tuple[Frame, dict[str, str | None]]:
    """Return the call around a guarded value that needs the exact number, with words about it; else the place as is."""
    source = context.sources.get(group.place.file)
    found = syntax.number_call(source, group.place)
    if found is None or source is None:
        return group.place, {}
    frame, call = found
    line = (source.line(frame.line) or "").strip()
    return frame, {"call": call, "write": line.replace(call, f"torch.{call[5:]}") if _MATH.fullmatch(call) else None}


def _values(
    context: Context, group: _Group, facts: list[Recompile], failed: Failed, guard: str
) -> dict[str, str | None]:
    about = torch_text.mismatch(guard)
    old, new = rounded_pair(failed.old or "", failed.new or "")
    return {
        "name": _thing(group, failed, about is not None),
        "old": old or None,
        "new": new or None,
        "dim": str(about[2]) if about and about[2] is not None else None,
        "what": about[1] if about else None,
        "function": context.function(facts[0].code),
        "count": str(len(facts)),
        "line": str(_line_of(facts[0])),
        "module_integer": "yes" if _MODULE_INTEGER in failed.reason else None,
        "expression": _SIZE.sub(r".shape[\1]", (failed.expression or "").strip("()")) or None,
    }


def _number(context: Context, fact: Recompile, failed: Failed) -> dict[str, str | None]:
    """Return what became of a number that had a second value: torch made it variable, or that is not known."""
    source, equal, _ = torch_text.user_names(failed.part).rpartition(" == ")
    if not equal or not _NUMBER.fullmatch(failed.old or "") or (failed.new and not _NUMBER.fullmatch(failed.new)):
        return {}
    made = context.facts.guards.get(fact.where)
    if made is None:
        return {"number": "yes"}
    fixed = any(torch_text.user_names(one).startswith(f"{source} == ") for one in made)
    return {} if fixed else {"variable": "yes"}


def _thing(group: _Group, failed: Failed, tensor: bool) -> str | None:  # noqa: FBT001
    """Return what a guard is about in the words of the program."""
    match = None if tensor else _THING.fullmatch(torch_text.user_names(failed.expression or ""))
    name = match["thing"] if match else group.subject or failed.expression
    return name and name.removesuffix(".__dict__").removesuffix(".__code__")


def _line_of(fact: Recompile) -> int:
    """Return the line that a piece goes on after, or the one that a function starts at."""
    return resumed_at(fact.code.function) or fact.code.line


def _limit(context: Context, fact: Recompile) -> int | None:
    own = fact.limits.get("recompile")
    return context.compiles.limit(fact.where) if own is None else int(own)


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


def _row(context: Context, symbols: Symbols, fact: Recompile) -> dict[str, Any]:
    failed = causes.cause(fact, context.facts.guards)
    caller = context.rules.caller(fact.above)
    return {
        "compile_id": context.name(fact.where),
        "guard": _guard(fact, failed),
        "expression": failed.expression and _own_words(fact, failed.expression),
        "old": failed.old,
        "new": failed.new,
        "caller": None
        if caller is None
        else {"file": caller.file, "line": caller.line, "function": plain_function(caller.function)},
        "seconds": round(context.compiles.seconds(fact.where), 6),
        "others": [
            {"version": one.entry, "guard": _guard(fact, one), "old": one.old, "new": one.new}
            for one in causes.others(fact, failed)
        ],
        **_kept(symbols, fact),
    }


def _guard(fact: Recompile, failed: Failed) -> str:
    return _own_words(fact, torch_text.user_names(failed.part))


def _own_words(fact: Recompile, text: str) -> str:
    return _STACK_VALUE.sub(f"result of line {_line_of(fact)}", text)


def _limits(context: Context, symbols: Symbols, groups: Iterable[_Group]) -> list[Finding]:
    """Return a finding for each frame that torch compiles no further."""
    found: dict[tuple[str, int, str], Finding] = {}
    placed = {
        (fact.code.file, fact.code.line, fact.code.function): group.place for group in groups for fact in group.facts
    }
    for one in context.facts.breaks:
        if one.kind == "recompile-limit" and (code := one.code or (one.frames[-1] if one.frames else None)):
            key = (code.file, code.line, code.function)
            place = placed.get(key) or _definition(context, code)
            _add_limit(
                context, symbols, found, key, place, one.where, one.reason, one.gb_id, stack_of(one.above, one.frames)
            )
    for fact in context.facts.recompiles:
        key = (fact.code.file, fact.code.line, fact.code.function)
        if fact.refused and key not in found:
            reason = causes.cause(fact, context.facts.guards).reason
            _add_limit(context, symbols, found, key, placed[key], fact.where, reason, None, fact.above, fact.versions)
    return list(found.values())


def _definition(context: Context, code: Frame) -> Frame:
    source = context.sources.get(code.file)
    function = syntax.function_at(source, code.line, plain_function(code.function))
    return code if function is None or source is None else syntax.definition(function, source, code.file)


def _add_limit(  # noqa: PLR0917
    context: Context,
    symbols: Symbols,
    found: dict[tuple[str, int, str], Finding],
    key: tuple[str, int, str],
    place: Frame,
    where: Any,
    reason: str,
    gb_id: str | None,
    stack: tuple[Frame, ...],
    versions: int | None = None,
) -> None:
    if key in found:
        found[key].count += 1
        add_once(found[key].compile_ids, [context.name(where)])
        return
    function = context.function(Frame(*key))
    same = [f for f in context.facts.recompiles if (f.code.file, f.code.line, f.code.function) == key]
    versions = versions or max((fact.versions for fact in same), default=None)
    numbers = _LIMIT.search(reason)
    limit = int(numbers[1] or numbers[2]) if numbers else versions
    found[key] = Finding(
        rule="recompile-limit",
        severity="error",
        file=place.file,
        range=context.ranges.of(place),
        title=f"`{function}` is at the limit of {limit} versions"
        if limit
        else f"`{function}` is at its recompile limit",
        explanation="Each new version costs a compile, so torch stops at the limit: the versions that exist are still "
        "used, and every other input runs in Python.",
        reason=reason.strip(),
        class_="guard",
        stage="guard",
        code=gb_id or "recompile-limit",
        href=None
        if gb_id is None
        else f"https://meta-pytorch.github.io/compile-graph-break-site/gb/{gb_id.lower()}.html",
        compile_ids=[context.name(where)],
        frames=context.rules.shown(stack, context.ranges),
        hints=[
            "Make what changes variable or keep it out of the compiled function; see the recompiles of this function."
        ],
        detail={
            "label": "new inputs run in Python from here on",
            "function": function,
            "recompiles": [_row(context, symbols, fact) for fact in same],
            **({"versions": versions} if versions else {}),
            **({"limit": limit} if limit else {}),
        },
    )
