"""An event of a recording as text."""

from __future__ import annotations

import json

from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.search import EventTextParams, EventTextResult
from compilescope.recording.error import RecordingError
from compilescope.report.clean import clean

LARGEST = 40 << 20
"""Characters of a payload; VS Code shows no document above 50 MB to extensions."""


def event_text(opened: OpenRecording, params: EventTextParams) -> EventTextResult:
    """The event: what its envelope says as comments, then its payload. Raises RecordingError when it is not there."""
    with opened.read() as recording:
        event = recording.event_at(params.log, params.offset)
        if event is None:
            raise RecordingError(f"There is no event at byte {params.offset} of {params.log} (any more).")
        name = " ".join(filter(None, [event.name, event.compile_id]))
        rank = [] if event.rank is None else [f"rank {event.rank}"]
        said = [f"{event.timestamp}", f"process {event.pid}", *rank, f"{params.log}:{params.offset}"]
        envelope = json.dumps(event.envelope, indent=1, ensure_ascii=False)
        payload = recording.payload(event) if event.has_payload else ""
    head = [name, ", ".join(said), *envelope.splitlines()]
    lines = [f"# {clean(line)}" for line in head] + [""]
    cut = "" if len(payload) <= LARGEST else "\n… the rest is too long to show; `compilescope show --event` prints it …"
    return EventTextResult("\n".join([*lines, payload[:LARGEST] + cut, ""]), len(lines))
