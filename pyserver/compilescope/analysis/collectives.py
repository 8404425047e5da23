"""Collectives that Inductor scheduled for a graph, beside those that are in the code that it wrote.

From `inductor_collective_schedule` (torch/_inductor/debug.py, 2.9 to 2.14) and the generated code of the same graph. A
collective that is scheduled and not called, or called and never waited for, is a bug of the compiler's or of a pass.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from compilescope.analysis import ours

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Event, Recording

_SCHEDULE, _CODE = "inductor_collective_schedule", "inductor_output_code"
_CALL = re.compile(r"\btorch\.ops\._?c10d_functional\.(\w+)\.default\(")
_SCHEDULED = re.compile(r"_?c10d_functional\.(\w+)")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_WAIT = "wait_tensor"


@dataclass(frozen=True)
class GraphCollectives:
    """The collectives of one graph, by name; waits are not among them. `unwaited`: calls that have no wait."""

    compile_id: str
    rank: int | None
    scheduled: dict[str, int]
    called: dict[str, int]
    unwaited: int

    @property
    def differs(self) -> bool:
        """Whether something is wrong with it."""
        return self.scheduled != self.called or self.unwaited > 0


def table(recording: Recording, context: Context) -> list[GraphCollectives]:
    """Return the graphs that collectives were scheduled for and code was written for, in order."""
    if next(recording.events(_SCHEDULE), None) is None:
        return []
    each: dict[tuple[int, str | None], list[Event]] = {}
    for event in recording.events(_SCHEDULE, _CODE):
        each.setdefault((event.process, event.base_id), []).append(event)
    code_first = _is_code_first(list(each.values()))
    found = []
    for events in each.values():
        for before, after in pairwise(events):
            schedule, code = (after, before) if code_first else (before, after)
            if (schedule.name, code.name) == (_SCHEDULE, _CODE):
                name = context.name(context.compiles.where(code))
                found.append((schedule.id, _compared(recording, schedule, code, name)))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _is_code_first(compiles: list[list[Event]]) -> bool:
    """Whether a torch writes the code before the schedule, as 2.11 does: the other order leaves one of them alone.

    A compile may have graphs without collectives, of which there is code only.
    """
    named = [[event.name for event in events] for events in compiles]
    scheduled = [names for names in named if _SCHEDULE in names]
    return all(names[0] == _CODE for names in scheduled) and any(names[-1] == _SCHEDULE for names in scheduled)


def _compared(recording: Recording, schedule: Event, code: Event, name: str) -> GraphCollectives:
    names = (match[1] for one in ours.items(recording.json(schedule)) if (match := _SCHEDULED.search(str(one))))
    calls = Counter(_CALL.findall(_COMMENT.sub("", recording.payload(code))))
    waits = calls.pop(_WAIT, 0)
    scheduled = Counter(one for one in names if one != _WAIT)
    return GraphCollectives(name, code.rank, dict(scheduled), dict(calls), max(calls.total() - waits, 0))
