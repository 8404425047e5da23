"""What `show` shows of a recording that it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.cli.chosen import shown
from compilescope.cli.events import events
from compilescope.cli.extract import extract
from compilescope.cli.guards import guards
from compilescope.cli.logs import logs
from compilescope.cli.mapping import mapping
from compilescope.cli.output import Fixing, report
from compilescope.cli.perfetto import trace_events
from compilescope.cli.stacks import stacks

if TYPE_CHECKING:
    from argparse import Namespace


def show(options: Namespace, part: str | None) -> None:
    """Write `part`, the option that asks for something else than the report, or the report.

    Raises Problem or RecordingError when it can't be.
    """
    recording, paths = shown(options), mapping(options)
    if part == "--events":
        events(recording, options.event, options.compile, options.format, options.output)
    elif part == "--logs":
        logs(recording, options.log_component, options.log_level, options.format, options.output)
    elif part == "--stacks":
        stacks(recording, options.format, options.output, paths)
    elif part == "--extract":
        extract(recording, options.extract, paths)
    elif part == "--perfetto":
        trace_events(recording, options.output, paths)
    elif part == "--guards":
        guards(recording, options.guards, options.format, options.output, paths)
    else:
        report(recording, options.format, options.output, [], fixing=Fixing(options.fix_preview), paths=paths)
