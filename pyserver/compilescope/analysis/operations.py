"""How many operations became generated code, and how many run through the kernels that eager uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis import ours
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Eliminated, Kernel
    from compilescope.recording.reader import Recording


class Operations(NamedTuple):
    """The operations of all graphs after the post-grad passes, and those of them that no code was generated for."""

    total: int | None
    fallback: int | None

    @property
    def compiled(self) -> int | None:
        """Those that are no fallback."""
        return None if self.total is None or self.fallback is None else max(self.total - self.fallback, 0)

    @property
    def coverage(self) -> float | None:
        """The share of those that are no fallback."""
        return None if self.compiled is None or not self.total else round(self.compiled / self.total, 6)


def count(
    recording: Recording, context: Context, graphs: Graphs, kernels: Iterable[Kernel], eliminated: Iterable[Eliminated]
) -> Operations:
    """Count the operations of the graphs whose kernels are recorded; a graph that was made anew counts as it last was.

    None: no kernels are recorded; a total of None: the last state of one of their graphs is not.
    """
    fallbacks: dict[tuple[str, str], int] = {}
    for kernel in kernels:
        key = (kernel.compile_id, kernel.graph)
        fallbacks[key] = fallbacks.get(key, 0) + (kernel.kind == "fallback")
    for one in eliminated:
        fallbacks.setdefault((one.compile_id, one.graph), 0)
    last = {(compile_id, _direction(graph)): (compile_id, graph) for compile_id, graph in fallbacks}
    if not last:
        return Operations(None, None)
    states: dict[tuple[str, str], str | None] = {}
    for event in recording.events("compilescope_stage"):
        data = ours.mapping(recording.json(event))
        if (data.get("stage"), data.get("position")) == ("post_grad", "after"):
            graph = ours.text(data.get("graph")) or ""
            states[compile_of(context, event, graph), graph] = ours.text(data.get("snapshot"))
    counts = [graphs.operations(states.get(key)) for key in last.values()]
    known = [one for one in counts if one is not None]
    return Operations(
        total=sum(known) if len(known) == len(counts) else None, fallback=sum(fallbacks[key] for key in last.values())
    )


def _direction(graph: str) -> str:
    return graph.rpartition("/")[2]
