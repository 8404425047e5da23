"""Steps of graphs: what changed a graph from one state to the next, so that no change goes without a record.

A step is a pass, a phase of the compiler that is no pass (a graph is traced anew, split, lowered), or a gap: a change
between two steps that nothing observed. All are `compilescope_pass` events.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from compilescope.tracer.slots import bare, describe_function
from compilescope.tracer.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.tracer.graphs import Graphs

LONGEST_MESSAGE = 2000
SINCE_1970 = time.time() - time.perf_counter()
"""What to add to `time.perf_counter` for the clock of torch's own spans."""
PLAIN: dict[str, Any] = {"slot": None, "custom": False, "function": None, "file": None, "line": None}


class Steps:
    """Records steps, each in its place in the order of the process."""

    def __init__(self, graphs: Graphs) -> None:
        self.ran: set[tuple[str, int]] = set()
        """Slot and identity of the program's own passes that ran."""
        self._graphs = graphs
        self._count = 0
        self._ended: dict[str, float] = {}
        self._error = 0

    def next(self) -> int:
        """The place of the step that begins now."""
        self._count += 1
        return self._count - 1

    def arrive(self, graph: Any, name: str, phase: str) -> Snapshot:
        """A snapshot of `graph` as it is now; what changed since its last step is recorded as a gap."""
        last = self._graphs.last.get(name)
        now = self.take(graph, last)
        if last is not None and not self._graphs.renderer.same(last, now):
            self.record(name, phase, "", last, now, kind="gap")
        self._graphs.last[name] = now
        return now

    def is_recorded(self, error: BaseException) -> bool:
        """Whether `error`, which is on its way out, is the one that was recorded last."""
        return self._error == id(error)

    def since(self, graph: str) -> float:
        """Seconds since the last step of a graph ended; 0 when it had none."""
        now = time.perf_counter()
        return now - self._ended.get(graph, now)

    def take(self, graph: Any, previous: Snapshot | None) -> Snapshot:
        """A snapshot of `graph` that refers to `previous` when nothing changed."""
        now = Snapshot(graph)
        if previous is not None and now.equals(previous):
            now.same_as = previous
        return now

    def record(
        self,
        graph: str,
        phase: str,
        name: str,
        before: Snapshot,
        after: Snapshot,
        *,
        kind: str,
        order: int | None = None,
        depth: int = 0,
        seconds: float = 0.0,
        started: float | None = None,
        source: str | None = None,
        function: Any = None,
        slot: str | None = None,
        matches: Callable[[], list[dict[str, Any]]] | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Record a step of `graph`. `source`: the graph that `before` is of, when that is another one.

        `started`: when it began, of a pass, on the clock of `time.perf_counter`.
        """
        about = PLAIN if function is None else describe_function(function, slot or name)
        if about["slot"] is not None:
            self.ran.add((about["slot"], id(bare(function))))
        self._ended[graph] = time.perf_counter()
        fixed: dict[str, Any] = {
            "graph": graph,
            "phase": phase,
            "name": name,
            "kind": kind,
            "order": self.next() if order is None else order,
            "depth": depth,
            "seconds": round(seconds, 7),
            "start": None if started is None else round(SINCE_1970 + started, 6),
            "source": source,
            **about,
            "gap": kind == "gap",
            "error": None if error is None else type(error).__name__,
        }
        if error is not None:
            self._error = id(error)
            fixed["message"] = _message(error)

        def body() -> dict[str, Any]:
            first, second = self._graphs.renderer.render(before), self._graphs.renderer.render(after)
            matched = [] if matches is None else matches()
            return {
                **fixed,
                "changed": first.id != second.id,
                "before": first.id,
                "after": second.id,
                "nodes_before": first.nodes,
                "nodes_after": second.nodes,
                "edges_before": first.edges,
                "edges_after": second.edges,
                "matches": len(matched),
                "matched": matched,
            }

        self._graphs.later("pass", body)


def _message(error: BaseException) -> str:
    """The text of an exception when that is its arguments' own, without asking an object of the user's."""
    return " ".join(argument for argument in error.args if isinstance(argument, str))[:LONGEST_MESSAGE]
