"""Findings as diagnostics, pushed for every file of a run and kept in step with edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types

from compilescope.analysis.log_lines import LOG_LINE
from compilescope.analysis.model import Finding, Range, StackFrame
from compilescope.lsp import paths
from compilescope.lsp.client import Client
from compilescope.lsp.markdown import safe_href
from compilescope.lsp.pages import rule_page
from compilescope.lsp.shown import Placed
from compilescope.lsp.wording import message, outdated, run_time

SOURCE = "compilescope"
MOST_RELATED = 20
SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}

Publish = Callable[[types.PublishDiagnosticsParams], None]


class Publisher:
    """Sends each file's diagnostics when they changed, and an empty list when the last one goes."""

    def __init__(self, client: Client, publish: Publish) -> None:
        self._client = client
        self._publish = publish
        self._sent: dict[str, types.PublishDiagnosticsParams] = {}  # by the file's key
        self._here: dict[str, bool] = {}

    def show(
        self, key: str, uri: str, version: int | None, placed: list[Placed], more: Sequence[types.Diagnostic] = ()
    ) -> None:
        """Make `placed` and `more` the diagnostics of a file; nothing is sent when the client has exactly these."""
        params = types.PublishDiagnosticsParams(
            uri=uri,
            version=version,
            diagnostics=[diagnostic(item, self._client, self._is_here) for item in placed] + [*more],
        )
        before = self._sent.pop(key, None)
        if before is not None and before.uri != uri:  # opened since, under the client's own spelling
            self._publish(types.PublishDiagnosticsParams(uri=before.uri, diagnostics=[]))
            before = None
        if params.diagnostics:
            self._sent[key] = params
        if before != params and (before is not None or params.diagnostics):
            self._publish(params)

    def look_again(self) -> None:
        """Forget which files are on this machine."""
        self._here.clear()

    def _is_here(self, path: str) -> bool:
        if path not in self._here:
            self._here[path] = Path(path).is_file()
        return self._here[path]

    def keys(self) -> list[str]:
        """The keys of files that have diagnostics in the client."""
        return list(self._sent)


def diagnostic(placed: Placed, client: Client, is_here: Callable[[str], bool]) -> types.Diagnostic:
    """One finding as a diagnostic. One that its line's edit may have mended is a hint and says from which run it is.

    Not `DiagnosticTag.Unnecessary`: that dims the user's code, which says that it could go.
    """
    finding = placed.shown.finding
    href = (safe_href(finding.href) or rule_page(finding.rule)) if client.code_description else None
    text = message(finding)
    return types.Diagnostic(
        range=lsp_range(placed.range),
        message=f"{text} ({outdated(finding, placed.shown.started)})" if placed.stale else text,
        severity=types.DiagnosticSeverity.Hint if placed.stale else SEVERITY[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=href) if href else None,
        source=SOURCE,
        related_information=_related(finding, is_here) if client.related_information else None,
        data={
            "rule": finding.rule,
            "recording": placed.shown.recording,
            "compileIds": finding.compile_ids,
            "count": finding.count,
            "costS": finding.cost_s,
            "stale": placed.stale,
            "from": run_time(placed.shown.started) if placed.stale else None,
            "logLine": finding.detail.get(LOG_LINE) if placed.stale else None,
        },
    )


def lsp_range(value: Range) -> types.Range:
    """Our range as LSP's."""
    return types.Range(
        start=types.Position(line=value.start.line, character=value.start.character),
        end=types.Position(line=value.end.line, character=value.end.character),
    )


def _related(finding: Finding, is_here: Callable[[str], bool]) -> list[types.DiagnosticRelatedInformation] | None:
    """From the user's line into the library, then outwards to the callers. Only files that are on this machine."""
    at = next(
        (
            index
            for index in reversed(range(len(finding.frames)))
            if finding.frames[index].file == finding.file and finding.frames[index].line == finding.range.start.line + 1
        ),
        None,
    )
    explaining = [one for one in finding.detail.get("related") or [] if isinstance(one, dict) and is_here(one["file"])]
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=paths.to_uri(one["file"]), range=_range_of(one["range"])), message=one["text"]
        )
        for one in explaining
    ]
    if at is None:
        return related or None
    inwards = [(frame, f"in {_name(frame)}, called by the line above") for frame in finding.frames[at + 1 :]]
    outwards = [
        (frame, f"called from here, in {_name(frame)}") for frame in reversed(callers(finding.frames[: at + 1]))
    ]
    related += [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=paths.to_uri(frame.file), range=_frame_range(frame)), message=words
        )
        for frame, words in inwards + outwards
        if is_here(frame.file)
    ]
    return related[:MOST_RELATED] or None


def callers(frames: Sequence[StackFrame]) -> list[StackFrame]:
    """The frames that called the last one; a function that calls itself is one that goes on after a break."""
    found: list[StackFrame] = []
    inner = frames[-1]
    for frame in reversed(frames[:-1]):
        if (frame.file, frame.function) == (inner.file, inner.function):
            continue
        found.insert(0, frame)
        inner = frame if frame.in_user_code else inner
    return found


def _range_of(value: dict[str, dict[str, int]]) -> types.Range:
    start, end = value["start"], value["end"]
    return types.Range(types.Position(start["line"], start["character"]), types.Position(end["line"], end["character"]))


def _name(frame: StackFrame) -> str:
    return "the module" if frame.function == "<module>" else f"`{frame.function}`"


def _frame_range(frame: StackFrame) -> types.Range:
    if frame.range is not None:
        return lsp_range(frame.range)
    line = max(frame.line - 1, 0)
    return types.Range(start=types.Position(line, 0), end=types.Position(line, 0))
