"""Which findings are on show: those of the newest run of each script, and where they are in the text of now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from compilescope.analysis.ignoring import Marks, is_ignored
from compilescope.analysis.linemap import LineMap, line_map, split_lines
from compilescope.analysis.log_lines import is_changed
from compilescope.analysis.model import Finding, Position, Range, Result
from compilescope.lsp import paths
from compilescope.recording import address
from compilescope.recording.command import read

UNPROVEN = {"running", "cancelled", "timed-out", "killed"}
"""How a run ended that may have missed what an earlier run of the same script found."""
AT_CAPTURE = {"capture", "guard"}
"""The stages whose findings a run of depth capture can have."""


class Found(NamedTuple):
    """What was found in one recording. Sources: the text of files as they were traced, by path."""

    recording: str
    result: Result
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Shown:
    """A finding and the recording that has it. `sources`: files as they were traced; `started`: when that run began."""

    recording: str
    finding: Finding
    sources: Mapping[str, str]
    started: str | None = None

    @property
    def text(self) -> str | None:
        """The finding's file as it was traced, null when nobody kept it."""
        return self.sources.get(self.finding.file) if self.finding.file else None


@dataclass(frozen=True)
class Placed:
    """A finding where it is in the text of now. `stale`: its own line was edited since, or is not that of the log."""

    shown: Shown
    range: Range
    stale: bool


@dataclass
class _RunFindings:
    recording: str
    result: Result
    sources: Mapping[str, str]
    earlier: list[Shown] = field(default_factory=list)
    replaced: _RunFindings | None = None
    """The run that was on show before, as long as this one may turn out to have called nothing."""

    def findings(self) -> list[Shown]:
        """The findings of this run, then those of earlier runs that it did not disprove."""
        started = self.result.run.started
        own = [Shown(self.recording, finding, self.sources, started) for finding in self.result.findings]
        known = {_identity(shown) for shown in own}
        return own + [shown for shown in self.earlier if _identity(shown) not in known]


class ShownFindings:
    """The findings on show. A new run of a script takes the place of the one before."""

    def __init__(self) -> None:
        self._runs: dict[str, _RunFindings] = {}
        self._by_file: dict[str, list[Shown]] | None = None
        self._keys: dict[str, str] = {}
        self.revision = 0

    def update(self, recording: str, result: Result, sources: Mapping[str, str]) -> None:
        """Show `result`, what `recording` says so far. Sources: text by path.

        A target that could not be called leaves what was on show.
        """
        script = _key_of(recording, result)
        for other in [key for key, run in self._runs.items() if run.recording == recording and key != script]:
            del self._runs[other]  # its script has another path here now
        before = self._runs.pop(script, None)
        replaced = before.replaced if before is not None and before.recording == recording else before
        if result.run.refused is not None:
            if replaced is not None:
                self._runs[script] = replaced
            self._changed()
            return
        earlier: list[Shown] = []
        if before is not None:
            earlier = before.earlier if before.recording == recording else before.findings()
        if not leaves_open(result):
            earlier = [one for one in earlier if _is_deeper(one, result)]
        kept = replaced if result.run.status == "running" else None
        self._runs[script] = _RunFindings(recording, result, sources, earlier, kept)
        self._changed()

    def update_earlier(self, runs: Iterable[Found]) -> None:
        """Show `runs`, oldest first, that ended before all that is on show. What that has of their scripts stays."""
        on_show, self._runs = self._runs, {}
        for one in runs:
            self.update(*one)
        self._runs |= on_show
        self._changed()

    def __contains__(self, script: str) -> bool:
        """Whether a run of `script` (`script_of`) is on show."""
        return script in self._runs

    def clear(self) -> int:
        """Show nothing any more; how many findings that were."""
        count = sum(len(run.findings()) for run in self._runs.values())
        self._runs.clear()
        self._changed()
        return count

    def by_file(self) -> dict[str, list[Shown]]:
        """Findings by their file's key (`paths.key`), those without a file left out."""
        if self._by_file is None:
            self._by_file = {}
            for run in self._runs.values():
                for shown in run.findings():
                    if key := self.key(shown.finding.file):
                        self._by_file.setdefault(key, []).append(shown)
        return self._by_file

    def findings(self) -> dict[str, list[Shown]]:
        """The findings on show by script (`script_of`)."""
        return {script: run.findings() for script, run in self._runs.items()}

    def results(self) -> dict[str, Result]:
        """The results on show, by recording."""
        return {run.recording: run.result for run in self._runs.values()}

    def sources(self, recording: str) -> Mapping[str, str]:
        """The traced text of the files of a recording on show, by path."""
        return next((run.sources for run in self._runs.values() if run.recording == recording), {})

    def key(self, file: str | None) -> str | None:
        """A file's key; null for what is no file (`<string>`) or has no place of its own."""
        if file is None or not Path(file).is_absolute():
            return None
        if file not in self._keys:
            self._keys[file] = paths.key(file)
        return self._keys[file]

    def _changed(self) -> None:
        self._by_file = None
        self.revision += 1


def script_of(command: Sequence[str], cwd: str | None, recording: str) -> str:
    """What runs of one script, or of one target in it, have in common, whatever the arguments: `Net(8)` is `Net`."""
    run = read(command)
    target = f" {re.sub('[(].*[)]', '', run.target)}" if run.target else ""
    if run.module is not None:
        return f"-m {run.module} {cwd or ''}{target}"
    return recording if run.script is None else paths.key(str(Path(cwd or "", run.script))) + target


def _key_of(recording: str, result: Result) -> str:
    """What stands for the script of a run; for a job that does not say its own, its folder and what it compiled first.

    So that a later job in the same folder takes the place of the one before where it is the same program.
    """
    script = script_of(result.run.command, result.run.cwd, recording)
    if script != recording or not result.compiles:
        return script
    return f"{address.place(Path(recording))} {result.compiles[0].file}"


def place(shown: Iterable[Shown], text: str | None) -> list[Placed]:
    """Where `shown`, oldest run first, are in `text`, the file of now; those whose line was deleted are left out.

    So are those that a comment in that text says to ignore.
    """
    lines = split_lines(text) if text is not None else []
    marks = Marks(lines)
    placed = []
    for item in shown:
        if item.text is None or text is None:
            placed.append(Placed(item, item.finding.range, stale=is_changed(item.finding)))
            continue
        moved = line_map(item.text, text)
        where = _place(item.finding.range, moved, lines)
        if where is None:
            continue
        last = moved.place(item.finding.range.end.line)
        whole = replace(where[0], end=Position(last.line, 0)) if last is not None else where[0]
        if not is_ignored(item.finding, whole, marks):
            placed.append(Placed(item, where[0], stale=where[1] or is_changed(item.finding)))
    return _each_once(placed)


def _each_once(placed: list[Placed]) -> list[Placed]:
    """Without what a later run, of the script or of a function in it, found in the same place."""
    last: dict[object, str] = {}
    for one in placed:
        last[_in_place(one)] = one.shown.recording
    return [one for one in placed if last[_in_place(one)] == one.shown.recording]


def _in_place(placed: Placed) -> object:
    finding = placed.shown.finding
    return (finding.rule, finding.code, finding.reason, placed.range.start.line)


def _place(old: Range, line_map: LineMap, lines: list[str]) -> tuple[Range, bool] | None:
    places = [line_map.place(line) for line in range(old.start.line, old.end.line + 1)]
    first = places[0]
    if first is None:
        return None
    unchanged = all(
        at is not None and not at.changed and at.line == first.line + offset for offset, at in enumerate(places)
    )
    if unchanged:
        shift = first.line - old.start.line
        return Range(_down(old.start, shift), _down(old.end, shift)), False
    line = lines[first.line]
    indent = len(line) - len(line.lstrip())
    width = len(line.rstrip().encode("utf-16-le")) // 2
    return Range(Position(first.line, indent), Position(first.line, max(width, indent))), True


def _down(position: Position, lines: int) -> Position:
    return Position(position.line + lines, position.character)


def leaves_open(result: Result) -> bool:
    """Whether this run may have ended before it came to what an earlier one found."""
    return result.run.status in UNPROVEN or (result.run.exit_code != 0 and not result.compiles)


def _is_deeper(shown: Shown, result: Result) -> bool:
    """Whether a finding is of a later stage than those of a run that came to its end, at capture depth."""
    return result.run.depth == "capture" and bool(result.compiles) and shown.finding.stage not in AT_CAPTURE


def _identity(shown: Shown) -> tuple[str, str, str | None, int, str]:
    finding = shown.finding
    return (finding.rule, finding.code, finding.file, finding.range.start.line, finding.reason)
