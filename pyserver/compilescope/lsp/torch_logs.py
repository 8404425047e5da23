"""Torch's logs for the editor: which there are, how much of each a run recorded, and their text."""

from __future__ import annotations

from collections.abc import Sequence

from compilescope.lsp import problems
from compilescope.lsp.interpreter import Interpreters
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.logs import (
    LogCountInfo,
    LogCountsParams,
    LogCountsResult,
    LogLevelInfo,
    LogNameInfo,
    LogNamesParams,
    LogNamesResult,
    LogTextParams,
    LogTextResult,
)
from compilescope.report.logs import line, size
from compilescope.runner import log_registry
from compilescope.runner.problem import Problem

LARGEST = 40 << 20
"""Characters of one text; VS Code shows no document above 50 MB to extensions."""


class LogNames:
    """The names that torch has, asked once of each interpreter for as long as its torch stays. Starts processes."""

    def __init__(self, interpreters: Interpreters) -> None:
        self._interpreters = interpreters
        self._known: dict[tuple[str, str | None], list[LogNameInfo]] = {}

    def of(self, params: LogNamesParams) -> LogNamesResult:
        """The names of the torch that would run a program in `params.cwd`."""
        try:
            found = self._interpreters.resolve(params.python, params.cwd)
            key = (found.path, found.torch)
            if key not in self._known:
                names = log_registry.ask(found.path).names
                self._known[key] = [
                    LogNameInfo(one.name, one.kind, one.description, one.off_by_default) for one in names
                ]
        except Problem as problem:
            return LogNamesResult(torch=None, names=[], problem=problems.from_runner(problem))
        return LogNamesResult(torch=found.torch, names=self._known[key], problem=None)


def counts(opened: OpenRecording, _params: LogCountsParams) -> LogCountsResult:
    """How much of each log there is, and what each level would print."""
    with opened.logs() as logs:
        found, dropped = logs.counts(), logs.dropped()
    return LogCountsResult(
        logs=[
            LogCountInfo(
                name=one.name,
                component=one.component,
                kind=one.kind,
                recorded_from=one.recorded_from,
                levels=[
                    LogLevelInfo(level, records, printed, size(printed))
                    for level, (records, printed) in one.levels.items()
                ],
            )
            for one in found
        ],
        dropped=dropped,
    )


def text(opened: OpenRecording, params: LogTextParams) -> LogTextResult:
    """The records of some logs (of all without names) from a level on, as text."""
    lines, length = [], 0
    with opened.logs() as logs:
        for record in logs.records(_names(params.names), params.level):
            lines.append(line(record))
            length += len(lines[-1])
            if length > LARGEST:
                lines.append("… the rest is too long to show; `compilescope show --logs` prints all of it …")
                break
    return LogTextResult("\n".join([*lines, ""]) if lines else "Nothing was logged at this level.\n")


def _names(names: Sequence[str]) -> frozenset[str] | None:
    return frozenset(names) or None
