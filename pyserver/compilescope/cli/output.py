"""Writes a report where it was asked for."""

from __future__ import annotations

import errno
import io
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from compilescope.cli.ahead import load
from compilescope.cli.mapping import hint
from compilescope.cli.streams import opened_output, say
from compilescope.recording.pieces import Readers
from compilescope.recording.reader import Recording
from compilescope.report.ending import ending
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from compilescope.analysis.model import Result
    from compilescope.recording.mapping import PathMapping
    from compilescope.recording.reader import Source
    from compilescope.runner.launch import Outcome

Format = Literal["text", "json", "html", "sarif", "markdown", "lcov", "cobertura", "openmetrics"]
_OF_RESULT = {"json": "json_report", "lcov": "lcov", "cobertura": "cobertura", "openmetrics": "openmetrics"}
"""Modules of the formats that are made of the result alone.

A format's module is imported when it is asked for: to import all of them takes longer than to read a small log.
"""
_COVERAGE = ("lcov", "cobertura")
_NOT_COVERED = "no line is known to be compiled or not: nothing was compiled, or the program's files are not here"


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
    paths: PathMapping | None = None,
) -> Result:
    """Analyse `recording` and write the report to `file`, or to stdout. What it can't hold goes to stderr.

    `outcome`: how the run ended, for a recording that could not be told. `paths`: what those of the recording are here,
    where that was asked. Raises Problem when it was a target that could not be called: there is nothing to report then.
    """
    with Recording.open(recording, readers=Readers(load)) as opened:
        opened.paths = paths or opened.paths
        told = _read(opened, notes, outcome)
        with opened_output(file) as stream:
            _write(stream, told, format_, fixing)
        if paths is not None and (words := hint(opened, told.result)):
            say(words)
    if format_ != "text" or file is not None:
        for message in told.messages(format_):
            say(message)
    return told.result


def rendered(
    recording: Source, format_: Format, *, preview: bool, paths: PathMapping, readers: Readers
) -> tuple[str, list[str], str | None, set[str]]:
    """Return the report as `report` writes it to a file, its messages, the hint, and the names of files in the logs.

    `readers`: what has begun to read it. Raises RecordingError when it can't be read.
    """
    with Recording.open(recording, readers=readers) as opened:
        opened.paths = paths
        told = _read(opened, [], None)
        stream = io.StringIO()
        _write(stream, told, format_, Fixing(preview))
        named = {name for process in opened.processes() for name in opened.strings(process).values()}
        words = hint(opened, told.result)
    return stream.getvalue(), told.messages(format_), words, named


@dataclass(frozen=True)
class _Told:
    """What there is to report."""

    recording: Recording
    result: Result
    texts: Mapping[str, str]
    notes: list[str]

    def messages(self, format_: Format) -> list[str]:
        empty = _NOT_COVERED if format_ in _COVERAGE and not self.result.coverage else None
        return [*self.notes, *filter(None, [empty, ending(self.result)])]


def _read(recording: Recording, notes: list[str], outcome: Outcome | None) -> _Told:
    from compilescope.analysis import analyse  # noqa: PLC0415 - see `load`

    result = analyse(recording)
    texts = _report_module("sources").sources(recording, result)
    if texts:  # else there is nothing to change
        from compilescope import fixes  # noqa: PLC0415 - see `_OF_RESULT`

        fixes.attach(result, texts)
    if outcome is not None and outcome.unwritten is not None:
        run = replace(result.run, status=outcome.status, exit_code=outcome.exit_code, wall_s=outcome.wall_s)
        result = replace(result, run=run)
        notes = [*notes, f"the recording is incomplete: {_why(outcome.unwritten)}"]
    refused = result.run.refused
    if outcome is not None and refused is not None:
        raise Problem(refused.code, refused.title, refused.detail)
    return _Told(recording, result, texts, notes)


def _write(stream: TextIO, told: _Told, format_: Format, fixing: Fixing) -> None:
    result, texts = told.result, told.texts
    shown = _report_module("sources").with_logged(texts, result)
    if format_ == "text":
        style = _report_module("style").Style.of(stream, Path.cwd())
        stream.write(_report_module("text").render(result, shown, style=style, notes=told.notes))
        stream.flush()
    if fixing.prove is not None:
        fixing.prove(result, texts)
    if format_ != "text":
        stream.write(_whole(format_, told.recording, result, shown, told.notes))
    elif fixing.preview or fixing.prove is not None:
        stream.write("\n" + _report_module("fixes").fixes(result, texts, style, diffs=fixing.preview))


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
