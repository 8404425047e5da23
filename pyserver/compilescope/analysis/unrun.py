"""The passes that a program registered and a compile did not run, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis import ours
from compilescope.analysis.model import UnrunPass
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Recording

REASONS = {
    "backend": "The backend does not run it: it is not Inductor.",
    "cache": "The graph came out of a cache, and no pass ran.",
    "capture": "This run stopped at capture, before the passes.",
    "device": "Nothing in the graph is on this device.",
    "failed": "The compile failed before it.",
    "inference": "It runs over graphs with a backward only, and this one has none.",
    "no-compile": "Nothing was compiled after it was registered.",
}


def table(recording: Recording, context: Context) -> list[UnrunPass]:
    """Return them in the order in which the compiles ended."""
    found = []
    for event in recording.events("compilescope_unrun_pass"):
        data = ours.mapping(recording.json(event))
        cause = ours.text(data.get("reason"))
        found.append(
            UnrunPass(
                compile_id=None if event.base_id is None else compile_of(context, event, ""),
                slot=ours.text(data.get("slot")) or "",
                function=ours.text(data.get("function")) or "?",
                file=ours.text(data.get("file")),
                line=ours.line_number(data.get("line")),
                cause=cause,
                reason=REASONS.get(cause or "", "Why is not known."),
            )
        )
    return found
