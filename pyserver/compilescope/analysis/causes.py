"""Which of the guards that failed made a recompile: each version that did not fit tells only its first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import syntax, torch_text
from compilescope.analysis.facts import Compiled, Failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.facts import Recompile

_STACK_VALUE = re.compile(r"___stack\d+")
_TYPE = re.compile(r"\), type=.*$")
_ON = re.compile(r"^\w+Error on (?P<name>\S+)")
# What guards call, not what they are about.
_MODULES = {"dict", "list", "math", "set", "torch", "utils_device"}


def cause(fact: Recompile, guards: Mapping[Compiled, tuple[str, ...]]) -> Failed:
    """Return the failed guard that most versions name, of several the one of the version that fitted furthest.

    A version whose guard fails last in torch's order (`guards`, by compile) was made for the most similar input;
    where that is not known, the newest counts.
    """
    if not fact.failed:
        return Failed("", "")
    votes: dict[tuple[str, ...], list[Failed]] = {}
    for failed in fact.failed:
        votes.setdefault(_key(failed), []).append(failed)
    most = max(len(group) for group in votes.values())
    leading = [group[0] for group in votes.values() if len(group) == most]
    return max(leading, key=lambda failed: _reached(fact, failed, guards))


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


def _reached(fact: Recompile, failed: Failed, guards: Mapping[Compiled, tuple[str, ...]]) -> int:
    """Return how many of a version's checks stand before the one that failed; -1 if that is not known."""
    made = guards.get(Compiled(fact.where.process, failed.entry, fact.where.reset), ())
    part = torch_text.user_names(failed.part)
    return next((index for index, one in enumerate(made) if torch_text.user_names(one) == part), -1)
