"""`compilescope show --perfetto`: the timeline of a recording as a trace that Perfetto opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis import analyse, perfetto
from compilescope.analysis.timeline import timeline
from compilescope.cli.streams import opened_output
from compilescope.recording.reader import Recording
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Source


def trace_events(recording: Source, file: str | None, paths: PathMapping) -> None:
    """Write the trace to `file`, or to stdout. Raises Problem when nothing in the recording has a time."""
    with Recording.open(recording) as opened:
        opened.paths = paths
        found = timeline(opened, analyse(opened))
    if not found.spans:
        raise Problem("no-times", "Nothing compiled in this recording, or its times were not recorded.", "")
    with opened_output(file) as output:
        output.write(perfetto.render(found) + "\n")
