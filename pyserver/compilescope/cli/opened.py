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


def show(options: Namespace) -> None:
    """Write what is asked for. Raises Problem or RecordingError when it can't be."""
    recording = shown(options)
    if options.events or options.event or options.compile is not None:
        events(recording, options.event, options.compile, options.format, options.output)
    elif options.logs or options.log_component or options.log_level:
        logs(recording, options.log_component, options.log_level, options.format, options.output)
    elif options.stacks:
        stacks(recording, options.format, options.output, mapping(options))
    elif options.extract is not None:
        extract(recording, options.extract, mapping(options))
    elif options.perfetto:
        trace_events(recording, options.output, mapping(options))
    elif options.guards is not None:
        guards(recording, options.guards, options.format, options.output, mapping(options))
    else:
        fixing = Fixing(options.fix_preview)
        report(recording, options.format, options.output, [], fixing=fixing, paths=mapping(options))
