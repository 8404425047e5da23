"""How many operations became generated code, and how many run through the kernels that eager uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilescope.analysis import ours
from compilescope.analysis.fallbacks import is_preferred
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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


class Counted:
    """The operations of each graph whose kernels are recorded; of one that was made anew as it last was."""

    def __init__(
        self,
        recording: Recording,
        context: Context,
        graphs: Graphs,
        kernels: Iterable[Kernel],
        eliminated: Iterable[Eliminated],
    ) -> None:
        fallbacks: dict[tuple[str, str], int] = {}
        for kernel in kernels:
            key = (kernel.compile_id, kernel.graph)
            counts = kernel.kind == "fallback" and not is_preferred(kernel)
            fallbacks[key] = fallbacks.get(key, 0) + counts
        for one in eliminated:
            fallbacks.setdefault((one.compile_id, one.graph), 0)
        last = {(compile_id, _direction(graph)): (compile_id, graph) for compile_id, graph in fallbacks}
        states: dict[tuple[str, str], str | None] = {}
        for event in recording.events("compilescope_stage") if last else ():
            data = ours.mapping(recording.json(event))
            if (data.get("stage"), data.get("position")) == ("post_grad", "after"):
                graph = ours.text(data.get("graph")) or ""
                states[compile_of(context, event, graph), graph] = ours.text(data.get("snapshot"))
        self._graphs = [
            (key[0], Operations(graphs.operations(states.get(key)), fallbacks[key])) for key in last.values()
        ]

    def all(self) -> Operations:
        """Return those of all graphs."""
        return _sum(one for _, one in self._graphs)

    def of(self, compile_ids: Collection[str]) -> Operations:
        """Return those of the graphs of some compiles."""
        return _sum(one for id_, one in self._graphs if id_.partition("_")[0] in compile_ids)


def _sum(found: Iterable[Operations]) -> Operations:
    """Return the sum; a total of None where the last state of one graph is not recorded, both None without a graph."""
    every = list(found)
    known = [one.total for one in every if one.total is not None]
    return Operations(
        total=sum(known) if every and len(known) == len(every) else None,
        fallback=sum(one.fallback or 0 for one in every) if every else None,
    )


def _direction(graph: str) -> str:
    return graph.rpartition("/")[2]
