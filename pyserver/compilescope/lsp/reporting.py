"""A run, or one finding of it, as a report to keep or to pass on."""

from __future__ import annotations

from compilescope import fixes
from compilescope.analysis import analyse
from compilescope.analysis.model import Finding, Result
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.runs import FindingPlace, ReportParams, ReportResult
from compilescope.recording.command import read
from compilescope.recording.reader import Recording
from compilescope.report import markdown, sarif
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.sources import sources, with_logged

_ENDINGS = {"html": "html", "sarif": "sarif", "markdown": "md"}


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
        result = analyse(recording)
        texts = sources(recording, result)
        fixes.attach(result, texts)
        texts = with_logged(texts, result)
        if params.format == "html":
            text = page.render(Material(result, texts, recording))
        else:
            text = (sarif if params.format == "sarif" else markdown).render(result, texts, [])
    return ReportResult(_name(result, params.format), text)


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
