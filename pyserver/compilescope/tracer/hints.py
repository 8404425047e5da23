"""Inductor's performance hints, as `TORCH_LOGS=perf_hints` prints them, with the node that it was lowering."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.tracer.artifact_logs import ArtifactLogs
    from compilescope.tracer.inductor import Inductor
    from compilescope.tracer.session import Session
    from compilescope.tracer.stacktext import StackTexts

LONGEST = 1000


class Hints:
    """Records `compilescope_hint`, each text once for each node of a graph."""

    def __init__(self, session: Session, inductor: Inductor, stacks: StackTexts) -> None:
        self._session = session
        self._inductor = inductor
        self._stacks = stacks
        self._told: set[tuple[str, str | None]] = set()
        inductor.entered.append(lambda _graph: self._told.clear())

    def install(self, logs: ArtifactLogs) -> None:
        """Listen to the hints."""
        logs.listen("perf_hints", "info", self._hint)

    def _hint(self, message: Any, arguments: tuple[Any, ...]) -> None:
        text = " ".join((str(message) % arguments if arguments else str(message)).split())[:LONGEST]
        node: Any = getattr(sys.modules["torch._inductor.virtualized"].V.graph, "current_node", None)
        name = getattr(node, "name", None)
        if (text, name) in self._told:
            return
        self._told.add((text, name))
        stack = node.meta.get("stack_trace") if name is not None else None
        graph = self._inductor.current
        self._session.emit(
            "hint", {"graph": graph, "text": text, "node": name, "frame": self._stacks.user_frame(stack)}
        )
