"""Which of several versions was nearest to a call that none of them fitted: the one that differs least from the new.

Each version that did not fit tells only the first check that failed, and torch moves checks that failed to the front
(torch/csrc/dynamo/guards.cpp, `check_accessors_nopybind`), so their order says little after a few recompiles. What the
new version is checked for says what the call was like; of a compile that failed, which has no guards, the values that
the guards of the versions met.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis.guard_readings import HOLDS, failing, readings
from compilescope.analysis.guards import Trees, each_guard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Recompile
    from compilescope.analysis.guards import GuardTree
    from compilescope.recording.reader import Recording

_MOST_LINES = 200_000
# What stands for more than one value.
_OPEN = re.compile(r"any|[≥≤].*|.*….*|" + HOLDS)

_PRESENT = re.compile(r"'(?P<key>\w+)' in (?P<owner>.+)")


def marked(recording: Recording, context: Context) -> list[Recompile]:
    """Return the recompiles, those whose versions failed on several things with the nearest version of them."""
    trees = Trees(recording, context)
    accepted: dict[str, dict[str, str]] = {}
    left = _MOST_LINES
    found = []
    for fact in context.facts.recompiles:
        nearest = None
        if not fact.refused and len({one.part for one in fact.failed}) > 1:
            names = [context.name(fact.where)]
            names += [context.name(fact.where._replace(id=one.entry)) for one in fact.failed if one.entry]
            for name in names:
                if name not in accepted and left > 0:
                    own = trees.of([name])
                    left -= sum(tree.size for tree in own)
                    accepted[name] = _accepted(own)
            nearest = _nearest(fact, names, accepted)
        found.append(replace(fact, nearest=nearest))
    return found


def _nearest(fact: Recompile, names: list[str], accepted: dict[str, dict[str, str]]) -> str | None:
    """Return the version that differs in the fewest things, what it failed on among them; of several the newest."""
    new = accepted.get(names[0])
    own = [one for one in fact.failed if one.entry]
    if not all(accepted.get(name) for name in names[1:]):
        return None
    new = new or {reading.about: met for reading, met in map(failing, own) if met is not None}
    differ = [
        len(_with(_differing(new, accepted[name]), failing(one)[0].about))
        for name, one in zip(names[1:], own, strict=True)
    ]
    return own[differ.index(min(differ))].entry if differ else None


def _differing(new: dict[str, str], old: dict[str, str]) -> set[str]:
    return {
        about
        for about, value in new.items()
        if about in old and value != old[about] and not _OPEN.fullmatch(value) and not _OPEN.fullmatch(old[about])
    }


def _with(differing: set[str], about: str) -> set[str]:
    """Add what a guard is about; that something is there is no further thing beside its value."""
    present = _PRESENT.fullmatch(about)
    if present and differing & {f"{present['owner']}.{present['key']}", f"{present['owner']}['{present['key']}']"}:
        return differing
    return differing | {about}


def _accepted(trees: Iterable[GuardTree]) -> dict[str, str]:
    return {
        reading.about: reading.object_id or reading.accepts
        for tree in trees
        for guard in each_guard(tree.root)
        for reading in readings(guard.kind, guard.code)
    }
