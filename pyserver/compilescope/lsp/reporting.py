"""A run, or one finding of it, as a report to keep or to pass on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from compilescope import fixes
from compilescope.analysis import analyse, perfetto
from compilescope.analysis.model import Finding, Result
from compilescope.analysis.timeline import timeline
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.runs import FindingPlace, ReportParams, ReportResult
from compilescope.recording.command import read
from compilescope.recording.reader import Recording
from compilescope.report import cobertura, json_report, lcov, markdown, openmetrics, sarif
from compilescope.report import text as plain
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.private import Private
from compilescope.report.sources import sources, with_logged
from compilescope.report.style import Style

_ENDINGS = {
    "html": "html",
    "text": "txt",
    "markdown": "md",
    "json": "json",
    "sarif": "sarif",
    "lcov": "info",
    "cobertura": "xml",
    "openmetrics": "prom",
    "perfetto": "trace.json",
}
"""All formats, those of the command line included, with what a file's name ends in."""


class NoReport(Exception):
    """There is no such format, or the recording has no such finding (any more)."""


def report(opened: OpenRecording, params: ReportParams) -> ReportResult:
    """Write what was asked for. Raises NoReport, and RecordingError when the recording is gone.

    A whole run is read anew, so that nobody waits for the recording that is open meanwhile.
    """
    if params.finding is not None:
        texts = opened.sources()
        result = opened.result()
        text = markdown.issue(_find(result, params.finding), result, with_logged(texts, result))
        return ReportResult(_name(result, "markdown"), text)
    if params.format not in _ENDINGS:
        raise NoReport(f"There is no format {params.format}; there are {', '.join(_ENDINGS)}.")
    with Recording.open(params.recording) as recording:
        recording.paths = opened.paths()
        result = analyse(recording)
        texts = sources(recording, result)
        fixes.attach(result, texts)
        texts = with_logged(texts, result)
        text = _rendered(params.format, recording, result, texts)
    return ReportResult(_name(result, params.format), text)


def _rendered(format_: str, recording: Recording, result: Result, texts: Mapping[str, str]) -> str:
    """The report, without names of users and machines."""
    cwd = Path(result.run.cwd or "/")
    made: dict[str, Callable[[], str]] = {
        "html": lambda: page.render(Material(result, texts, recording)),
        "text": lambda: plain.render(result, texts, style=Style(cwd, colour=False), notes=[]),
        "markdown": lambda: markdown.render(result, texts, []),
        "json": lambda: json_report.render(result),
        "sarif": lambda: sarif.render(result, texts, []),
        "lcov": lambda: lcov.render(result, cwd),
        "cobertura": lambda: cobertura.render(result, cwd),
        "openmetrics": lambda: openmetrics.render(result),
        "perfetto": lambda: perfetto.render(timeline(recording, result)) + "\n",
    }
    return Private.of(result).hide(made[format_]())


def _find(result: Result, place: FindingPlace) -> Finding:
    for one in result.findings:
        start = one.range.start
        if (one.rule, one.file, start.line, start.character) == (place.rule, place.file, place.line, place.character):
            return one
    raise NoReport("The recording does not have this finding any more.")


def _name(result: Result, format_: str) -> str:
    """`train-report.html`."""
    command = read(result.run.command)
    name = (command.script or command.module or "run").replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    return f"{name or 'run'}-report.{_ENDINGS[format_]}"
