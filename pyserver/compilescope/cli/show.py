"""`compilescope show`: a recording, or any TORCH_TRACE log."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli import kept
from compilescope.cli.streams import check_output, opened_output, say
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from argparse import Namespace

PLAIN_FORMATS = ("text", "json")
"""What guards and log records are shown as."""


def run(options: Namespace) -> int:
    """Show what is asked for and return 0. Raises Problem or RecordingError when it can't be."""
    part = _part(options)
    if part and options.format not in PLAIN_FORMATS:
        raise Problem("bad-format", f"{part} is {' or '.join(PLAIN_FORMATS)}; {options.format} is not available.")
    check_output(options.output)
    is_read = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    file = None if part or is_read else kept.place(options)
    if file is None:
        from compilescope.cli.opened import show  # noqa: PLC0415 - takes longer than to write what is kept

        show(options, part)
        return 0
    text, messages, hint = kept.read(file) or _kept(options, file)
    with opened_output(options.output) as stream:
        stream.write(text)
    if hint is not None:
        say(hint)
    if options.format != "text" or options.output is not None:
        for message in messages:
            say(message)
    return 0


def _part(options: Namespace) -> str | None:
    """The option that asks for something else than the report. Raises Problem for several: only one is shown."""
    asked = {
        "--events": options.events or options.event or options.compile is not None,
        "--logs": options.logs or options.log_component or options.log_level,
        "--stacks": options.stacks,
        "--extract": options.extract is not None,
        "--perfetto": options.perfetto,
        "--guards": options.guards is not None,
    }
    found = [option for option, is_asked in asked.items() if is_asked]
    if len(found) > 1:
        raise Problem("bad-options", f"{' and '.join(found)} are shown one at a time.", "Ask for one of them.")
    return next(iter(found), None)


def _kept(options: Namespace, file: Path) -> kept.Report:
    """The report, kept in `file` for the next time."""
    from compilescope.cli.ahead import ahead  # noqa: PLC0415 - takes longer than to write what is kept

    gc.disable()  # it is over soon, and next to nothing of what is made has cycles
    before = kept.states([Path(one) for one in options.recording])
    with kept.noted() as sources, ahead(Path(options.recording[0]).absolute()) as readers:
        from compilescope.cli.chosen import shown  # noqa: PLC0415 - takes longer than to write what is kept
        from compilescope.cli.mapping import mapping  # noqa: PLC0415
        from compilescope.cli.output import rendered  # noqa: PLC0415

        text, messages, hint, named = rendered(
            shown(options), options.format, preview=options.fix_preview, paths=mapping(options), readers=readers
        )
    report = kept.Report(text, messages, hint)
    kept.write(file, report, sources | named, before)  # of those that are not there nothing was opened
    return report
