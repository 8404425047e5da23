"""What `show` shows of a recording that it opens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.chosen import chosen, together
from compilescope.cli.events import events
from compilescope.cli.extract import extract
from compilescope.cli.guards import guards
from compilescope.cli.logs import logs
from compilescope.cli.mapping import mapping
from compilescope.cli.output import Fixing, rendered, report
from compilescope.cli.perfetto import trace_events
from compilescope.cli.stacks import stacks

if TYPE_CHECKING:
    from argparse import Namespace

    from compilescope.recording.reader import Source


def show(options: Namespace) -> None:
    """Write what is asked for. Raises Problem or RecordingError when it can't be."""
    recording = _named(options)
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


def whole(options: Namespace) -> tuple[str, list[str], set[str]]:
    """Return the report that is asked for, see `rendered`. Raises Problem or RecordingError when there is none."""
    return rendered(_named(options), options.format, preview=options.fix_preview, paths=mapping(options))


def _named(options: Namespace) -> Source:
    paths = [Path(one) for one in options.recording if one]
    return together(paths) if len(paths) > 1 else chosen(paths[0] if paths else None, "show", options.job)
