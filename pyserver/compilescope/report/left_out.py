"""What was left out of a recording on request, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.recording.redact.redaction import NAMES, PATHS, PAYLOADS, SOURCE, words
from compilescope.report.counted import counted, size

if TYPE_CHECKING:
    from collections.abc import Collection

    from compilescope.analysis.model import Run
    from compilescope.recording.redact.redaction import LeftOut, Redaction


def left_out(run: Run) -> str | None:
    """One note on what this recording does not have because somebody wanted so; None when it has all."""
    return f"left out on request: {words(run.left_out)}" if run.left_out else None


def told(redaction: Redaction, found: LeftOut) -> str:
    """What was left out of a pack, with how much: `source text (120 lines, 4 whole texts), folders (12) …`."""
    kinds = redaction.kinds
    parts = [
        f"source text ({counted(found.lines, 'line')})" if SOURCE in kinds else "",
        f"{counted(found.folders, 'folder')}" if PATHS in kinds else "",
        f"{counted(found.names, 'name')} of users and machines" if PATHS in kinds else "",
        "names of files" if NAMES in kinds else "",
        f"{counted(found.payloads, 'payload')} ({size(found.payload_bytes)})" if PAYLOADS in kinds else "",
        counted(len(hidden), "named text") if (hidden := set(redaction.hidden) - set(found.unmet)) else "",
        f"{counted(found.damaged, 'place')} that could not be read" if found.damaged else "",
        f"{counted(found.withheld, 'record')} as a whole" if found.withheld else "",
    ]
    unmet = f"; nowhere in it, so check the spelling: {', '.join(map(repr, found.unmet))}" if found.unmet else ""
    return (", ".join(filter(None, parts)) or "nothing") + unmet


def still(kinds: Collection[str], found: LeftOut | None, *, arguments: bool) -> str:
    """What a pack still tells of the program, `kinds` being left out. `arguments`: whether what it was called with."""
    has = [
        "" if SOURCE in kinds else "source text",
        "" if PATHS in kinds else "folders and names of users",
        "" if NAMES in kinds else "names of files",
        "names of functions and modules, torch's settings",
        "the arguments of the program" if arguments else "",
        "" if PAYLOADS in kinds else "graphs, guards with their values, generated code",
    ]
    payloads = (
        f"{counted(found.kept_events, 'event')} with {counted(found.kept_payloads, 'payload')} "
        f"({size(found.kept_bytes)}): "
        if found
        else ""
    )
    return payloads + ", ".join(filter(None, has))
