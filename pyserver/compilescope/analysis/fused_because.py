"""Why a kernel's loops are one kernel, where the recording shows it: they go over the same elements."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.graphs import Graphs
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.analysis.snapshots import Node

_TIMES = " × "  # noqa: RUF001 - the sign is meant


class Fusions:
    """The scheduler's nodes of one compile, before and after they were fused."""

    def __init__(self, graphs: Graphs, compile_id: str) -> None:
        self._before: dict[str, dict[str, Node]] = {}
        self._after: dict[str, list[Node]] = {}
        for entry in graphs.stages(compile_id):
            if entry.stage == "scheduler" and entry.snapshot is not None:
                nodes = graphs.nodes(entry.snapshot) or []
                if entry.position == "before":
                    self._before[entry.graph] = {node.name: node for node in nodes}
                else:
                    self._after[entry.graph] = nodes

    def because(self, kernel: Kernel) -> str | None:
        """Return the reason as the end of a sentence; None for a single loop, and where it is not recorded."""
        if len(kernel.parts) < 2:  # noqa: PLR2004
            return None
        wanted = set(kernel.nodes)
        fused = next((one for one in self._after.get(kernel.graph, ()) if set(one.origins) == wanted), None)
        known = self._before.get(kernel.graph, {})
        loops = [known[name].group for name in (fused.parts if fused else ()) if name in known]
        if len(loops) != len(kernel.parts) or not all(loops) or len({group[0] for group in loops}) != 1:
            return None
        sizes = {tuple(size for size in group[1:] if size != "1") for group in loops}
        return _same(sizes, len(loops))


def _same(sizes: set[tuple[str, ...]], count: int) -> str | None:
    loops = "both loops" if count == 2 else f"all {count} loops"  # noqa: PLR2004
    shortest, longest = min(sizes, key=len), max(sizes, key=len)
    if len(sizes) == 1:
        return f"{loops} run over the same {_TIMES.join(longest) or '1'} elements."
    if shortest and all(size == longest[: len(size)] for size in sizes):
        rows, row = _TIMES.join(shortest), _TIMES.join(longest[len(shortest) :])
        return f"{loops} go through the same {rows} rows of {row} elements."
    if not all(size.isdecimal() for each in sizes for size in each):
        return None
    totals = sorted({prod(map(int, each)) for each in sizes})
    if len(totals) == 1:
        return f"{loops} run over the same {totals[0]} elements."
    divided = any(prod(map(int, each[:1])) == totals[0] and prod(map(int, each)) == totals[-1] for each in sizes)
    if len(totals) == 2 and divided:  # noqa: PLR2004
        return f"{loops} go through the same {totals[0]} rows of {totals[1] // totals[0]} elements."
    return None
