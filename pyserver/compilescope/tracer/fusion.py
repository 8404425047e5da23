"""Why the scheduler fused two nodes or did not, collected only when it is asked for: it considers every pair.

Relies on what Inductor tells its log `fusion` (torch/_inductor/scheduler.py, 2.6 to 2.14): `WhyNoFuse` objects, with
`name1`, `name2`, `reason` and `args`, and the words "fusing %s with %s".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.tracer.artifact_logs import ArtifactLogs
    from compilescope.tracer.frames import Frame
    from compilescope.tracer.graphs import Graphs
    from compilescope.tracer.lowering import Lowered, Lowering
    from compilescope.tracer.session import Session

LONGEST = 400
MOST = 20_000


class Fusion:
    """Records `compilescope_fusion` for each graph if the session asks for it."""

    def __init__(self, session: Session, graphs: Graphs, lowering: Lowering) -> None:
        self._session = session
        self._graphs = graphs
        self._lowering = lowering
        lowering.done.append(session.hooks.guarded("fusions of a graph", self._done, loses="fusion decisions"))

    def install(self, logs: ArtifactLogs) -> None:
        """Listen from the start of the program on, if asked to."""

        def start() -> None:
            if self._session.fusion:
                logs.listen("fusion", "debug", self._heard)

        self._session.at_start.append(start)

    def _heard(self, message: Any, arguments: tuple[Any, ...]) -> None:
        if isinstance(message, str):
            if message == "fusing %s with %s":
                self._decided(str(arguments[0]), str(arguments[1]), "")
        elif hasattr(message, "name1"):
            self._decided(message.name1, message.name2, message.reason, message.args)

    def _decided(self, first: str, second: str, reason: str, arguments: tuple[Any, ...] = ()) -> None:
        lowered = self._lowering.here()
        if lowered is None:
            return
        known = lowered.decisions.get((first, second, reason))
        if known is None:
            text = reason % arguments if arguments else reason
            lowered.decisions[first, second, reason] = [text[:LONGEST], 1]
        else:
            known[1] += 1

    def _done(self, lowered: Lowered) -> None:
        if lowered.decisions:
            described = self._described(lowered)
            self._graphs.later("fusion", lambda: described)

    def _described(self, lowered: Lowered) -> dict[str, Any]:
        decisions = [
            {
                "first": _leaves(first, lowered),
                "second": _leaves(second, lowered),
                "fused": not reason,
                "reason": text or None,
                "times": times,
            }
            for (first, second, reason), (text, times) in lowered.decisions.items()
        ]
        kept = decisions[:MOST]
        named = {name for one in kept for name in (*one["first"], *one["second"])}
        nodes = {
            name: {"nodes": [origin.name for origin in origins], "frame": self._frame(origins)}
            for name, origins in lowered.leaves.items()
            if name in named
        }
        return {"graph": lowered.name, "nodes": nodes, "decisions": kept, "dropped": len(decisions) - len(kept)}

    def _frame(self, origins: list[Any]) -> Frame | None:
        """The place of the last node: it is the operation itself, the others lead to it."""
        texts = [origin.meta["stack_trace"] for origin in origins if "stack_trace" in origin.meta]
        return self._graphs.stacks.user_frame(texts[-1]) if texts else None


def _leaves(name: str, lowered: Lowered) -> list[str]:
    """The scheduler nodes in `name`: that of a fused one is theirs, joined by `_`."""
    return [name] if name in lowered.leaves else name.split("_")
