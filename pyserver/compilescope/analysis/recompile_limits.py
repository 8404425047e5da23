"""`recompile-limit`: one finding for each frame that torch compiles no further."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import causes, recompile_values, recompile_words
from compilescope.analysis.context import add_once, stack_of
from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Finding
from compilescope.analysis.passed import is_inline
from compilescope.analysis.recompile_rows import row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Compiled, Facts, Failure, Recompile
    from compilescope.analysis.guarded_at import GuardedAt
    from compilescope.analysis.symbols import Symbols

_LIMIT = re.compile(r"(?:recompile|cache_size)_limit\D{0,50}(\d{1,9})|limit reached\D{0,20}(\d{1,9})")
_MOST_HINTS = 2
_EXCEEDED, _RAISED = "RecompileLimitExceeded", "FailOnRecompileLimitHit"
_RAISES = "Each new version costs a compile, so torch stops at the limit, and a call that needs another one raises: "
_BY_FULLGRAPH = "with `fullgraph=True` it may not run in eager instead."
_BY_CONFIG = "`torch._dynamo.config.fail_on_recompile_limit_hit` is on, so it does not run in eager instead."

Key = tuple[str, int, str]


@dataclass(frozen=True)
class _Hit:
    """Torch refused to compile a frame again."""

    where: Compiled
    reason: str
    gb_id: str | None
    stack: tuple[Frame, ...]
    versions: int | None = None


def hits(facts: Facts) -> set[Compiled]:
    """Return the compiles that torch refused at a limit: as a break (2.13 and newer), or by an exception of its own."""
    found = {one.where for one in facts.breaks if one.kind == "recompile-limit"}
    found |= {one.where for one in facts.recompiles if one.refused}
    return found | {one.where for one in facts.failures if one.chain and _name(one) in {_EXCEEDED, _RAISED}}


def went_on(failure: Failure) -> bool:
    """Whether a failure is a refusal at a limit after which the call ran in eager (torch 2.6 to 2.12)."""
    return bool(failure.chain) and _name(failure) == _EXCEEDED


def _name(failure: Failure) -> str:
    return failure.chain[0][0].rpartition(".")[2]


def findings(context: Context, symbols: Symbols, placed: Mapping[Key, Frame], places: GuardedAt) -> list[Finding]:
    """Return a finding for each frame at its limit. `placed`: where the recompiles of each frame's code are."""
    hits: dict[Key, list[_Hit]] = {}
    refused = {fact.where: fact for fact in context.facts.recompiles if fact.refused}
    for one in (one for one in context.facts.breaks if one.kind == "recompile-limit"):
        fact = refused.get(one.where)
        code = one.code or (one.frames[-1] if one.frames else None) or (fact.code if fact else None)
        if code is not None:
            stack = stack_of(one.above, one.frames) or (fact.above if fact else ())
            hits.setdefault((code.file, code.line, code.function), []).append(
                _Hit(one.where, one.reason, one.gb_id, stack)
            )
    told = set(hits)
    for fact in refused.values():
        key = (fact.code.file, fact.code.line, fact.code.function)
        if key not in told:
            reason = causes.cause(fact, context.facts.guards).reason
            hits.setdefault(key, []).append(_Hit(fact.where, reason, None, fact.above, fact.versions))
    return [
        _finding(context, symbols, key, placed.get(key) or places.definition(Frame(*key)), found)
        for key, found in hits.items()
    ]


def _finding(context: Context, symbols: Symbols, key: Key, place: Frame, hits: list[_Hit]) -> Finding:
    first = hits[0]
    function = context.function(Frame(*key))
    same = [fact for fact in context.facts.recompiles if (fact.code.file, fact.code.line, fact.code.function) == key]
    versions = first.versions or max((fact.versions for fact in same), default=None)
    numbers = _LIMIT.search(first.reason)
    limit = int(numbers[1] or numbers[2]) if numbers else versions
    name = "the wrapper that modules of `torch.nn` share" if is_inline(Frame(*key)) else f"`{function}`"
    ids: list[str] = []
    add_once(ids, (context.name(hit.where) for hit in hits))
    found = Finding(
        rule="recompile-limit",
        severity="error",
        file=place.file,
        range=context.ranges.of(place),
        title=f"{name} is at the limit of {limit} versions" if limit else f"{name} is at its recompile limit",
        explanation="Each new version costs a compile, so torch stops at the limit: the versions that exist are still "
        "used, and every other input runs in Python.",
        reason=first.reason.strip(),
        class_="guard",
        stage="guard",
        code=first.gb_id or "recompile-limit",
        href=None
        if first.gb_id is None
        else f"https://meta-pytorch.github.io/compile-graph-break-site/gb/{first.gb_id.lower()}.html",
        compile_ids=ids,
        count=len(hits),
        frames=context.rules.shown(first.stack, context.ranges),
        hints=_hints(context, symbols, same, limit),
        detail={
            "label": "new inputs run in Python from here on",
            "function": function,
            "recompiles": [row(context, symbols, fact) for fact in same],
            **({"versions": versions} if versions else {}),
            **({"limit": limit} if limit else {}),
        },
    )
    ways = {fact.at_limit for fact in same if fact.refused} - {"", "eager"}
    if ways:
        raise_at(found, by_config="raises by config" in ways)
    return found


def raise_at(limit: Finding, *, by_config: bool) -> None:
    """Have a finding say that a call raises at the limit: by the configuration, else by `fullgraph=True`."""
    limit.detail |= {"raises": True, "label": "a call that needs a further version raises from here on"}
    limit.explanation = _RAISES + (_BY_CONFIG if by_config else _BY_FULLGRAPH)


def tell(found: Iterable[Finding]) -> None:
    """Tell the recompiles of a frame that raises at its limit (`fullgraph=True`) that it does."""
    told = list(found)
    raising = {
        _frame_id(id_)
        for one in told
        if one.rule == "recompile-limit" and one.detail.get("raises")
        for id_ in one.compile_ids
    }
    for one in told:
        if one.rule == "recompile" and one.compile_ids and {_frame_id(id_) for id_ in one.compile_ids} <= raising:
            one.detail["raises"] = True


def _frame_id(compile_id: str) -> str:
    return compile_id.rpartition("/")[0]


def _hints(context: Context, symbols: Symbols, facts: list[Recompile], limit: int | None) -> list[str]:
    """Return what helps against what changed most often, then what raises the limit."""
    kinds: dict[str, list[tuple[str, recompile_words.Values]]] = {}
    for fact in reversed(facts):  # of several kinds that came as often, the last one is told
        failed = causes.cause(fact, context.facts.guards)
        subject = next(iter(causes.subjects(failed)), "")
        kind = recompile_values.kind_of(context, fact, failed)
        values = recompile_values.values(context, symbols, fact, failed, subject, len(facts))
        kinds.setdefault(kind, []).append((kind, values))
    most = max(kinds.values(), key=len, default=[])
    found = recompile_words.words(most).hints[:_MOST_HINTS] if most else []
    found = found or ["Make what changes variable or keep it out of the compiled function."]
    return [*found, recompile_words.raised(2 * limit if limit else 16, context.compiles.limit_setting())]
