"""Which of the guards that failed made a recompile: each version that did not fit tells only its first."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis import syntax, torch_text
from compilescope.analysis.facts import Compiled, Failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.facts import Recompile

_STACK_VALUE = re.compile(r"___stack\d+")
_TYPE = re.compile(r"\), type=.*$")
# `tensor 'L['x']' dtype mismatch. …`, and what torch checks before everything else (torch/csrc/dynamo/guards.cpp).
_TENSOR = re.compile(r"tensor '(?P<source>.+)' [\w ]+ mismatch")
_STATE = re.compile(r"GLOBAL_STATE|___check_global_state|___check_torch_function_mode_stack|torch function mode")
_BACKEND = re.compile(r"BACKEND_MATCH")
_SOURCE = re.compile(r"[LG]\['[^']+'\](?:\.\w+|\['[^']*'\]|\[\d+\])*")
_ON = re.compile(r"^(?:\w+Error|CodeGuardAccessor: Not a function) on (?P<name>\S+?)(?:\.__code__)?$")
# What guards call, not what they are about.
_MODULES = {"dict", "list", "math", "set", "torch", "utils_device"}


def cause(fact: Recompile, guards: Mapping[Compiled, tuple[str, ...]]) -> Failed:
    """Return the failed guard of the version that was nearest, if that is known, else of that which fitted furthest.

    Torch checks what a compile guards in one order (`guards`, by compile), a tensor where its source first stands, the
    global state first. Of several that reached as far, and where the order is not known, it is the guard that most
    versions name; of those the newest's. The versions of another `torch.compile` call, with a backend or options of
    its own, are none of these unless there are no others: no call with this backend can use them.
    """
    if not fact.failed:
        return Failed("", "")
    own = [failed for failed in fact.failed if not _BACKEND.match(failed.part)] or list(fact.failed)
    nearest = next((failed for failed in own if failed.entry and failed.entry == fact.nearest), None)
    if nearest is not None:
        return nearest
    order = guards.get(fact.where) or _made(fact, own[0], guards)
    reached = [_reached(failed, order, _made(fact, failed, guards)) for failed in own]
    furthest = max(reached) if min(reached) >= 0 else None
    leading = [failed for failed, place in zip(own, reached, strict=True) if furthest is None or place == furthest]
    votes = Counter(map(_key, own))
    return max(leading, key=lambda failed: votes[_key(failed)])


def others(fact: Recompile, chosen: Failed) -> list[Failed]:
    """Return the first failure of each other kind, newest version first."""
    found: dict[tuple[str, ...], Failed] = {}
    for failed in fact.failed:
        if _key(failed) != _key(chosen):
            found.setdefault(_key(failed), failed)
    return list(found.values())


def subjects(failed: Failed) -> list[str]:
    """Return what a guard is about, in the user's names."""
    guard = torch_text.user_names(failed.part)
    if about := torch_text.mismatch(guard):
        return [about[0]]
    if match := _ON.match(guard):
        return [match["name"]]
    names = syntax.names_in(torch_text.user_names(failed.expression or guard))
    names = names or syntax.names_in(_TYPE.sub(")", guard))
    own = [name.removesuffix("._modules") for name in names if name.partition(".")[0] not in _MODULES]
    return [name for name in own if not name.startswith("___") or _STACK_VALUE.fullmatch(name)]


def _key(failed: Failed) -> tuple[str, ...]:
    about = torch_text.mismatch(torch_text.user_names(failed.part))
    names = tuple(subjects(failed)) or (failed.part,)
    return (*names, about[1]) if about else names


def _made(fact: Recompile, failed: Failed, guards: Mapping[Compiled, tuple[str, ...]]) -> tuple[str, ...]:
    return guards.get(Compiled(fact.where.process, failed.entry, fact.where.reset), ())


def _reached(failed: Failed, order: tuple[str, ...], made: tuple[str, ...]) -> int:
    """Return how many checks of `order` stand before the one that failed, by its source or text; -1 if unknown."""
    if _STATE.match(failed.part):
        return 0
    tensor = _TENSOR.match(failed.part)
    source = tensor["source"] if tensor else _SOURCE.search(failed.part)
    wanted = source if isinstance(source, str) else source[0] if source else failed.part
    for checks in (order, made):
        place = next((index for index, one in enumerate(checks) if wanted in one), -1)
        if place >= 0:
            return place + 1
    return -1
