"""What each rank did in which order: collectives, graphs that ran, and what Inductor made of tensors.

Events of torch 2.9 to 2.14 (torch/_inductor/debug.py): `inductor_collective_schedule`, `graph_execution` (of programs
that use `record_and_log_graph_execution_order`) and `inductor_runtime_and_tensor_meta` (with `config.log_tlparse`).
Without a schedule, collectives are those that the graphs name.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from compilescope.analysis import ours
from compilescope.analysis.rank_texts import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from compilescope.recording.reader import Event, Recording

Steps = dict[int, list[str]]
_SCHEDULE = "inductor_collective_schedule"
_OPERATOR = re.compile(r"\b_?c10d_functional\.(?!wait_tensor)(\w+)")


class Sequences:
    """The sequences of some ranks, by `ranks` from the numbers of their logs; `name`: the id of an event's compile."""

    def __init__(self, recording: Recording, ranks: Mapping[int, int], name: Callable[[Event], str]) -> None:
        self._recording, self._ranks, self._name = recording, ranks, name

    def collectives(self) -> Steps:
        """Return the collectives of each rank as `all_reduce_ in 0/0`; empty where none is recorded."""
        counts = self._recording.counts()
        if counts.get(_SCHEDULE):
            return self._steps(_SCHEDULE, self._scheduled)
        stages = (("inductor_post_grad_graph",), STAGES[1:4], STAGES[:1])
        names = next((each for each in stages if any(counts.get(name) for name in each)), ())
        found: Steps = {rank: [] for rank in self._ranks.values()}
        for rank, event in self._events(*names) if names else ():
            text = self._recording.payload(event)
            if "c10d_functional" in text:
                found[rank] += [f"{one} in {self._name(event)}" for one in _OPERATOR.findall(text)]
        return found if any(found.values()) else {}

    def executed(self) -> Steps:
        """Return the graphs that each rank ran, in order."""
        return self._steps("graph_execution", self._ran)

    def tensors(self) -> Steps:
        """Return shape, stride and dtype of what each operation makes, by rank."""
        return self._steps("inductor_runtime_and_tensor_meta", self._made)

    def estimates(self) -> dict[str, dict[int, float]]:
        """Return the seconds that Inductor thinks a compile's graphs run for, by compile and rank."""
        found: dict[str, dict[int, float]] = {}
        for rank, event in self._events("inductor_runtime_and_tensor_meta"):
            data = ours.mapping(self._recording.json(event))
            took = (ours.duration(ours.mapping(one).get("estimated_runtime_ns")) for one in ours.items(data.get("ops")))
            seconds = found.setdefault(self._name(event), {})
            seconds[rank] = seconds.get(rank, 0.0) + sum(one or 0.0 for one in took) * 1e-9
        return found

    def _steps(self, event_name: str, read: Callable[[Event], Iterator[str]]) -> Steps:
        found: Steps = {rank: [] for rank in self._ranks.values()}
        for rank, event in self._events(event_name):
            found[rank] += read(event)
        return found if any(found.values()) else {}

    def _events(self, *names: str) -> Iterator[tuple[int, Event]]:
        for event in self._recording.events(*names):
            if event.process in self._ranks:
                yield self._ranks[event.process], event

    def _scheduled(self, event: Event) -> Iterator[str]:
        for one in ours.items(self._recording.json(event)):
            if "wait_tensor" in str(one):
                continue  # each rank waits by itself: where it does is nothing that the others have to agree with
            operator = str(one).removeprefix("torch.ops._c10d_functional.").removesuffix(".default")
            yield f"{operator} in {self._name(event)}"

    def _ran(self, event: Event) -> Iterator[str]:
        data = ours.mapping(self._recording.json(event))
        for one in ours.items(data.get("graph_execution_order")):
            yield str(ours.mapping(one).get("compile_id") or ours.mapping(one).get("graph") or one)

    def _made(self, event: Event) -> Iterator[str]:
        for one in ours.items(ours.mapping(self._recording.json(event)).get("ops")):
            made = ours.mapping(one)
            yield f"{made.get('name')} in {self._name(event)}: {json.dumps(made.get('outputs'))}"
