"""The versions that torch keeps of each frame at the end of a program, and the limits on their number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import ours
from compilescope.analysis.facts import Compiled, Version
from compilescope.analysis.frames import plain_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame, Recompile
    from compilescope.recording.reader import Recording

_LIMITS = ("recompile", "accumulated")
_ANY = 1 << 30


@dataclass
class Versions:
    """One frame's versions. `entries` are those left at the end, most recently used first; None if not recorded.

    `made`: the compiles that became one. `limit` is torch's for versions with the same modules (`recompile_limit`, of
    the configuration or of the `torch.compile` call), `accumulated_limit` that for all versions of the code.
    """

    function: str
    file: str
    line: int
    made: list[str] = field(default_factory=list)
    entries: list[Version] | None = None
    limit: int | None = None
    accumulated_limit: int | None = None


class Kept:
    """The versions of each frame that was compiled."""

    def __init__(self, recording: Recording, context: Context) -> None:
        self._versions = _by_code(recording, context)
        self._made: dict[tuple[int, str, int, str], int] = {}
        for fact in context.facts.recompiles:
            if not fact.refused:
                self._made[_code(fact)] = int(fact.counted.get("recompile", fact.versions)) + 1

    def table(self) -> list[Versions]:
        """Return the versions of each frame, in the order in which it was first compiled."""
        return list(self._versions.values())

    def of(self, facts: Sequence[Recompile]) -> int:
        """Return how many versions the frames that some recompiles are of have at the end, of the one with the most.

        As `recompile_limit` counts them: dead ones, too.
        """
        return max((min(self._made.get(key, 0), self._left(key)) for key in map(_code, facts)), default=0)

    def _left(self, key: tuple[int, str, int, str]) -> int:
        known = self._versions.get(key)
        return _ANY if known is None or known.entries is None else len(known.entries)


def _by_code(recording: Recording, context: Context) -> dict[tuple[int, str, int, str], Versions]:
    found: dict[tuple[int, str, int, str], Versions] = {}
    for one in context.compiles:
        if one.code is None or not (one.metrics or {}).get("has_guarded_code", one.guards is not None):
            continue
        name = one.resume_name or one.code.function
        made = found.setdefault((one.where.process, one.code.file, one.code.line, name), _new(one.code, name))
        made.made.append(context.name(one.where))
    for event in recording.events("compilescope_guards"):
        data = ours.mapping(recording.json(event))
        limits = ours.mapping(data.get("limits"))
        known = found.get((event.process, *_key(ours.frame(data.get("code")))))
        if known is not None and limits:
            known.limit, known.accumulated_limit = (ours.integer(limits.get(name)) for name in _LIMITS)
    for event in recording.events("compilescope_exit"):
        resets = [where.reset for where in context.compiles.by_id if where.process == event.process]
        for left in map(ours.mapping, ours.items(ours.mapping(recording.json(event)).get("entries"))):
            known = found.get((event.process, *_key(ours.frame(left.get("code")))))
            if known is not None:
                known.entries = [
                    Version(context.name(Compiled(event.process, version.id, max(resets, default=0))), version.dead)
                    for version in ours.versions(left.get("entries"))
                ]
    return found


def _new(code: Frame, name: str) -> Versions:
    return Versions(plain_function(name), code.file, code.line)


def _code(fact: Recompile) -> tuple[int, str, int, str]:
    return fact.where.process, fact.code.file, fact.code.line, fact.code.function


def _key(code: Frame | None) -> tuple[str, int, str]:
    return ("", 0, "") if code is None else (code.file, code.line, code.function)
