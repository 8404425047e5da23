"""From a line or a node to the kernels that compute it, and from there to what else they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.kernel_model import Eliminated, Kernel
    from compilescope.analysis.model import Result


class KernelLines:
    """Which kernels there are for each line and node of a result. Lines count from 1."""

    def __init__(self, result: Result) -> None:
        self._lines: dict[tuple[str, int], list[Kernel]] = {}
        self._nodes: dict[tuple[str, str, str], list[Kernel]] = {}
        self._eliminated = {(one.compile_id, one.graph, one.node): one for one in result.eliminated}
        for kernel in result.kernels:
            for line in dict.fromkeys(_lines(kernel)):
                self._lines.setdefault(line, []).append(kernel)
            for node in kernel.nodes:
                self._nodes.setdefault((kernel.compile_id, kernel.graph, node), []).append(kernel)

    def of_line(self, file: str, line: int) -> list[Kernel]:
        """Return the kernels that compute something of a line, in the order in which they were generated."""
        return list(self._lines.get((file, line), ()))

    def of_node(self, compile_id: str, graph: str, node: str) -> list[Kernel]:
        """Return the kernels that a node after the last pass is in."""
        return list(self._nodes.get((compile_id, graph, node), ()))

    def why_none(self, compile_id: str, graph: str, node: str) -> Eliminated | None:
        """Return why a node after the last pass is in no kernel; None when it is in one, or not recorded."""
        return self._eliminated.get((compile_id, graph, node))

    def fused_with(self, file: str, line: int) -> list[tuple[str, int]]:
        """Return the other lines that are in generated kernels together with a line."""
        kernels = [one for one in self.of_line(file, line) if one.kind in ("cpp", "triton", "template", "other")]
        found = dict.fromkeys(place for kernel in kernels for place in _lines(kernel))
        return [place for place in found if place != (file, line)]


def _lines(kernel: Kernel) -> list[tuple[str, int]]:
    return [
        (place.file, line + 1)
        for place in kernel.places
        for line in range(place.range.start.line, place.range.end.line + 1)
    ]
