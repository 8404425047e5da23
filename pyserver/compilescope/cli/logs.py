"""`compilescope show --logs`: what torch logged, and how much each level would print."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from compilescope.analysis.analyse import context_of
from compilescope.analysis.logs import Logs
from compilescope.cli.output import Format
from compilescope.cli.streams import opened_output
from compilescope.recording.reader import Recording
from compilescope.report.logs import line, table
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from compilescope.recording.reader import Source


def logs(recording: Source, components: list[str], level: str | None, format_: Format, file: str | None) -> None:
    """Write the log records to `file`, or to stdout; without a filter the table of counts first.

    Raises Problem when the recording has no log of one of `components`.
    """
    with Recording.open(recording) as opened:
        found = Logs(opened, context_of(opened))
        counts = found.counts()
        known = {name for one in counts for name in (one.name, one.component)}
        if unknown := sorted(set(components) - known):
            there = f"There are {', '.join(sorted(known))}." if known else "None was asked for when it was made."
            raise Problem("no-logs", f"No log {', '.join(unknown)} is recorded.", there)
        records = found.records(frozenset(components) or None, level or "DEBUG")
        is_filtered = bool(components) or level is not None
        with opened_output(file) as output:
            if format_ == "json":
                whole = {"counts": [_count(asdict(one)) for one in counts], "dropped": found.dropped()}
                json.dump({**whole, "records": [asdict(one) for one in records]}, output, indent=1)
                output.write("\n")
                return
            if not is_filtered:
                output.writelines(f"{text}\n" for text in [*table(counts, found.dropped()), ""])
            output.writelines(f"{text}\n" for text in map(line, records))


def _count(one: dict[str, object]) -> dict[str, object]:
    levels = one["levels"]
    assert isinstance(levels, dict)
    return {**one, "levels": {level: {"records": pair[0], "bytes": pair[1]} for level, pair in levels.items()}}
