"""`compilescope show`: a recording, or any TORCH_TRACE log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.chosen import chosen, together
from compilescope.cli.events import events
from compilescope.cli.guards import guards
from compilescope.cli.logs import logs
from compilescope.cli.output import Fixing, report
from compilescope.cli.perfetto import trace_events
from compilescope.cli.streams import check_output
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from argparse import Namespace

PLAIN_FORMATS = ("text", "json")
"""What guards and log records are shown as."""


def run(options: Namespace) -> int:
    """Show what is asked for and return 0. Raises Problem or RecordingError when it can't be."""
    _check_plain(options)
    check_output(options.output)
    paths = [Path(one) for one in options.recording if one]
    recording = together(paths) if len(paths) > 1 else chosen(paths[0] if paths else None, "show", options.job)
    if options.events or options.event or options.compile is not None:
        events(recording, options.event, options.compile, options.format, options.output)
    elif options.logs or options.log_component or options.log_level:
        logs(recording, options.log_component, options.log_level, options.format, options.output)
    elif options.perfetto:
        trace_events(recording, options.output)
    elif options.guards is not None:
        guards(recording, options.guards, options.format, options.output)
    else:
        report(recording, options.format, options.output, [], fixing=Fixing(options.fix_preview))
    return 0


def _check_plain(options: Namespace) -> None:
    """Guards and log records are shown by themselves, which only some formats can."""
    has_events = options.events or options.event or options.compile is not None
    asked = "--guards" if options.guards is not None else "--logs" if options.logs else None
    asked = "--events" if has_events else asked
    if asked and options.format not in PLAIN_FORMATS:
        raise Problem("bad-format", f"{asked} is {' or '.join(PLAIN_FORMATS)}; {options.format} is not available.")
