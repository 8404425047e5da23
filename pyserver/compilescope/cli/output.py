"""Writes a report where it was asked for."""

from __future__ import annotations

import errno
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from compilescope import fixes
from compilescope.analysis import analyse
from compilescope.cli.streams import opened_output, say
from compilescope.recording.reader import Recording
from compilescope.report import fixes as fixes_text
from compilescope.report import text
from compilescope.report.ending import ending
from compilescope.report.sources import sources
from compilescope.report.style import Style
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Source
    from compilescope.runner.launch import Outcome

Format = Literal["text", "json", "html", "sarif", "markdown", "lcov", "cobertura", "openmetrics"]
_OF_RESULT = {"json": "json_report", "lcov": "lcov", "cobertura": "cobertura", "openmetrics": "openmetrics"}
"""Modules of the formats that are made of the result alone.

A format's module is imported when it is asked for: to import all of them takes longer than to read a small log.
"""


@dataclass(frozen=True)
class Fixing:
    """What to say of fixes. `preview`: all of them, with what they change. `prove`: notes in some what came of them."""

    preview: bool = False
    prove: Callable[[Result, Mapping[str, str]], None] | None = None


def report(
    recording: Source,
    format_: Format,
    file: str | None,
    notes: list[str],
    outcome: Outcome | None = None,
    *,
    fixing: Fixing = Fixing(),
) -> Result:
    """Analyse `recording` and write the report to `file`, or to stdout. What it can't hold goes to stderr.

    `outcome`: how the run ended, for a recording that could not be told. Raises Problem when it was a target that could
    not be called: there is nothing to report then.
    """
    with Recording.open(recording) as opened:
        return _report(opened, format_, file, notes, outcome, fixing=fixing)


def _report(
    recording: Recording,
    format_: Format,
    file: str | None,
    notes: list[str],
    outcome: Outcome | None,
    *,
    fixing: Fixing,
) -> Result:
    result = analyse(recording)
    texts = sources(recording, result)
    fixes.attach(result, texts)
    if outcome is not None and outcome.unwritten is not None:
        run = replace(result.run, status=outcome.status, exit_code=outcome.exit_code, wall_s=outcome.wall_s)
        result = replace(result, run=run)
        notes = [*notes, f"the recording is incomplete: {_why(outcome.unwritten)}"]
    refused = result.run.refused
    if outcome is not None and refused is not None:
        raise Problem(refused.code, refused.title, refused.detail)
    with opened_output(file) as stream:
        if format_ == "text":
            style = Style.of(stream, Path.cwd())
            stream.write(text.render(result, texts, style=style, notes=notes))
            stream.flush()
        if fixing.prove is not None:
            fixing.prove(result, texts)
        if format_ != "text":
            stream.write(_whole(format_, recording, result, texts, notes))
        elif fixing.preview or fixing.prove is not None:
            stream.write("\n" + fixes_text.fixes(result, texts, style, diffs=fixing.preview))
    if format_ != "text" or file is not None:
        for message in [*notes, ending(result)]:
            if message:
                say(message)
    return result


def _whole(format_: Format, recording: Recording, result: Result, texts: Mapping[str, str], notes: list[str]) -> str:
    """The report in a format that is written at once, fixes and what came of them included."""
    if module := _OF_RESULT.get(format_):
        return str(_report_module(module).render(result))
    if format_ == "html":
        from compilescope.report.html.material import Material  # noqa: PLC0415 - see `_OF_RESULT`

        return str(_report_module("html.page").render(Material(result, texts, recording, notes)))
    return str(_report_module(format_).render(result, texts, notes))


def _report_module(name: str) -> Any:
    return import_module(f"compilescope.report.{name}")


def _why(error: OSError) -> str:
    """The error in plain words."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "the disk is full"
    return f"it can't be written any more ({error.strerror})"
