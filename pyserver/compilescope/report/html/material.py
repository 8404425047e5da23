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
    from compilescope.recording.reader import Recording


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
        return None if self.recording is None else Graphs(self.recording, self.context)
