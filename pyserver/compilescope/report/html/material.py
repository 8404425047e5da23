"""What the sections of the report are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.analysis.analyse import context_of
from compilescope.analysis.graphs import Graphs
from compilescope.report.html.source import Excerpts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Result
    from compilescope.analysis.snapshots import Node
    from compilescope.recording.reader import Recording


_MOST_KEPT = 16


class KeptGraphs(Graphs):
    """Graphs whose nodes are kept for a while: a report looks at the same ones again and again."""

    def __init__(self, recording: Recording, context: Context) -> None:
        super().__init__(recording, context)
        self._kept: dict[str, list[Node] | None] = {}

    def nodes(self, snapshot: str) -> list[Node] | None:
        """Return the nodes of a snapshot; None when the recording has no such snapshot."""
        if snapshot not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[snapshot] = super().nodes(snapshot)
        return self._kept[snapshot]


@dataclass
class Material:
    """A result with the texts that go with it; `recording`, if given, is open. `notes` are shown with the run's own.

    `left_out`: what the sections did not show, because it would have been too much.
    """

    result: Result
    sources: Mapping[str, str]
    recording: Recording | None = None
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @cached_property
    def excerpts(self) -> Excerpts:
        """Cuts out of the sources."""
        return Excerpts(self.sources)

    @cached_property
    def context(self) -> Context:
        """What the recording says happened; there must be one."""
        assert self.recording is not None
        return context_of(self.recording)

    @cached_property
    def graphs(self) -> Graphs | None:
        """The recorded graphs."""
        return None if self.recording is None else KeptGraphs(self.recording, self.context)
