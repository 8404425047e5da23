"""Places in the logs of a recording as text."""

from __future__ import annotations

from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.log_places import LogLink, LogPlaceParams, LogPlaceResult
from compilescope.report.log_place import log_place


def place(opened: OpenRecording, params: LogPlaceParams) -> LogPlaceResult:
    """The lines of a log around a byte. Raises RecordingError when there is no such log."""
    with opened.read() as recording:
        found = log_place(recording, params.log, params.offset)
    links = [LogLink(one.line, one.start, one.end, one.offset, one.name or None, one.compile_id) for one in found.links]
    return LogPlaceResult(found.text, found.line, found.end_line, links)
