"""The runs that the server knows: those of this session and the recordings in the workspace's `.compilescope/`."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs

from compilescope.analysis.model import Finding, Result, Run
from compilescope.analysis.rounding import rounded_pair
from compilescope.lsp.cleared import Cleared
from compilescope.lsp.export_notes import export_notes
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.runs import (
    CompileSummary,
    DamageNote,
    DamageNotes,
    FindingSummary,
    FunctionSummary,
    RankNote,
    RunDetailResult,
    RunsResult,
    RunSummary,
)
from compilescope.lsp.shown import Found, script_of
from compilescope.lsp.wording import command_text, file_note, totals
from compilescope.recording import address
from compilescope.recording.command import read
from compilescope.recording.error import RecordingError
from compilescope.recording.files import RUN_FILE
from compilescope.recording.mapping import PathMapping
from compilescope.report import ranks
from compilescope.report.clean import clean
from compilescope.report.cost import profile, tracing_cost
from compilescope.report.counted import counted
from compilescope.report.functions import CompiledFunction, compile_seconds, compiled_functions
from compilescope.report.left_out import left_out
from compilescope.runner.folder import PARENT

MOST_OPEN = 8
MOST_DAMAGE = 200
"""Damaged places of a run that are listed."""


class RunStore:
    """Opens recordings when they are looked at and keeps the last few open. Thread-safe; its methods read files."""

    def __init__(self, folders: Callable[[], list[str]], paths: Callable[[], PathMapping] = PathMapping) -> None:
        self._folders = folders
        self._paths = paths
        self._lock = threading.Lock()
        self._open: dict[str, OpenRecording] = {}
        self._known: list[str] = []
        self._asked_for: set[str] = set()
        self._summaries: dict[str, tuple[object, RunSummary | None]] = {}
        self._cleared = Cleared()

    def open(self, path: str, check: Callable[[], None] | None = None) -> OpenRecording:
        """The recording at `path`. Raises RecordingError when there is none, and what `check`, called often, raises."""
        path = now(path)
        with self._lock:
            known = self._open.get(path)
        made = (
            OpenRecording(path, check, self._paths) if known is None else known
        )  # not under the lock: it may take long
        with self._lock:
            found = self._open.pop(path, made)
            self._open[path] = found
            if path not in self._known:
                self._known.append(path)
            surplus = [self._open.pop(one) for one in list(self._open)[:-MOST_OPEN]]
        for one in [*surplus, *([made] if made is not found else [])]:
            one.close()
        return found

    def opened(self) -> list[OpenRecording]:
        """The recordings that are open, the one last looked at first."""
        with self._lock:
            return list(self._open.values())[::-1]

    def ask_for(self, path: str) -> None:
        """The user ran or opened the recording at `path` in this session."""
        self._asked_for.add(now(path))

    def ask_for_again(self, path: str) -> Found:
        """The user opened the recording at `path` in an earlier session: it is a run again. Raises RecordingError."""
        found = self.glance(path)
        with self._lock:
            if found.recording not in self._known:
                self._known.append(found.recording)
        self.ask_for(found.recording)
        return found

    def is_asked_for(self, path: str) -> bool:
        """Whether the user ran or opened it in this session; others were found in the workspace."""
        return path in self._asked_for

    def glance(self, path: str) -> Found:
        """What was found in the recording at `path`, which is not kept open. Raises RecordingError."""
        path = now(path)
        stamp = _stamp(path)
        with self._looking_at(path) as opened:
            found = opened.found()
            self._summaries[path] = (stamp, summary(opened, found.result, path))
        return found

    def by_script(self) -> list[tuple[str, list[str]]]:
        """The recordings in the workspace that were not cleared, by script (`script_of`), the newest first."""
        scripts: dict[str, list[str]] = {}
        infos = [(path, run_info(path)) for path in self._on_disk() if path not in self._cleared]
        for path, info in sorted(infos, key=lambda one: str(one[1].get("started")), reverse=True):
            command, cwd = info.get("command"), info.get("cwd")
            words = [str(word) for word in command] if isinstance(command, list) else []
            script = script_of(words, cwd if isinstance(cwd, str) else None, path)
            scripts.setdefault(script, []).append(path)
        return list(scripts.items())

    def clear(self) -> None:
        """Remember that the user took the findings of all runs off, those of the workspace for later sessions too."""
        self._cleared.clear([*self._known, *self._on_disk()], self._folders())

    def show_again(self, path: str) -> None:
        """The findings of this one are on show, whether or not they were cleared before."""
        self._cleared.show_again(path)

    def summaries(self, budget_s: float) -> tuple[RunsResult, bool]:
        """All runs, newest first, without those that are no longer readable.

        False when the time was over before every recording had been looked at: ask again for the rest.
        """
        end = time.monotonic() + budget_s
        runs, complete = [], True
        for path in dict.fromkeys([*map(now, reversed(self._known)), *self._on_disk()]):
            stamp = _stamp(path)
            known = self._summaries.get(path)
            if known is None or known[0] != stamp:
                if time.monotonic() > end:
                    complete = False
                    continue
                known = self._summaries[path] = (stamp, self._summary(path))
            if known[1] is not None:
                runs.append(attrs.evolve(known[1], cleared=path in self._cleared))
        return RunsResult(sorted(runs, key=lambda run: run.started or "", reverse=True)), complete

    def forget_summaries(self) -> None:
        """Look at all runs anew: what paths of other machines are here has changed."""
        self._summaries.clear()

    def _summary(self, path: str) -> RunSummary | None:
        try:
            with self._looking_at(path) as opened:
                return summary(opened, opened.result(), path)
        except (RecordingError, OSError):
            return None

    @contextlib.contextmanager
    def _looking_at(self, path: str) -> Iterator[OpenRecording]:
        """The recording at `path`, closed again unless it is open anyway."""
        with self._lock:
            opened = self._open.get(path)
        if opened is not None:
            yield opened
            return
        with contextlib.closing(OpenRecording(path, None, self._paths)) as looked_at:
            yield looked_at

    def detail(self, path: str) -> RunDetailResult:
        """What is inside one run. Raises RecordingError."""
        opened = self.open(path)
        result = opened.result()
        return RunDetailResult(
            run=attrs.evolve(summary(opened, result, opened.path), cleared=opened.path in self._cleared),
            functions=[_function(function, result) for function in compiled_functions(result)],
            findings=[_finding(one) for one in sorted(result.findings, key=lambda one: -one.cost_s)],
            notes=[*profile(result.profile), *_notes(result.run)],
            ranks=_ranks(result),
            exports=export_notes(opened),
            damage=_damage(result.run),
        )

    def is_in_workspace(self, path: str) -> bool:
        """Whether it is among the workspace's own runs."""
        return path in self._on_disk()

    def close(self) -> None:
        """Close all recordings."""
        with self._lock:
            for opened in self._open.values():
                opened.close()
            self._open.clear()

    def _on_disk(self) -> list[str]:
        found: list[str] = []
        for folder in self._folders():
            try:
                entries = sorted(Path(folder, PARENT).iterdir(), reverse=True)
            except OSError:
                continue
            found += [str(entry) for entry in entries if (entry / RUN_FILE).is_file()]
        return found


def now(path: str) -> str:
    """What a recording is called now: a folder that holds the logs of several jobs stands for one of them."""
    return str(address.current(Path(path).absolute()))


def run_info(path: str) -> dict[str, Any]:
    """What `run.json` says, as far as it can be read."""
    try:
        value = json.loads(Path(path, RUN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _stamp(path: str) -> object:
    """Something that differs once a recording's files do."""
    folder = Path(path)
    with contextlib.suppress(OSError, RecordingError):
        source = address.source(folder)
        files = source if not isinstance(source, Path) else [folder] if folder.is_file() else sorted(folder.glob("*.*"))
        stats = [(one.name, one.stat()) for one in files if one.suffix in {".log", ".gz", ".zst", ".json"}]
        return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    return None


def summary(opened: OpenRecording, result: Result, path: str) -> RunSummary:
    """One row of the runs view. What no `run.json` tells of began with its first record."""
    run, counts = result.run, totals(result)
    return RunSummary(
        recording=path,
        title=command_text(run) or address.place(Path(path)).name,
        status=run.status,
        started=run.started or opened.began(),
        wall_s=run.wall_s,
        exit_code=run.exit_code,
        depth=run.depth,
        torch=run.torch,
        graphs=counts["graphs"],
        breaks=counts["breaks"],
        recompiles=counts["recompiles"],
        errors=counts["errors"],
        cost=tracing_cost(result) or None,
        script=_script(run),
        target=read(run.command).target,
        inputs=read(run.command).inputs,
    )


def _script(run: Run) -> str | None:
    script = read(run.command).script
    if script is None:
        return None
    path = Path(run.cwd or "", script)
    return str(path) if path.is_absolute() else None


def _function(function: CompiledFunction, result: Result) -> FunctionSummary:
    return FunctionSummary(
        name=function.name,
        file=function.file,
        line=function.line,
        seconds=function.seconds,
        graphs=function.graphs,
        breaks=function.breaks,
        recompiles=function.recompiles,
        skipped=function.skipped,
        compiles=[
            CompileSummary(
                id=one.id,
                label=_label(one.id, result),
                status=one.status,
                seconds=compile_seconds(one),
                nodes=one.graph.get("nodes", 0),
            )
            for one in function.compiles
        ],
    )


def _label(compile_id: str, result: Result) -> str:
    """What tells a compile from its neighbours: what changed, or where a piece after a break starts."""
    for finding in result.findings:
        for row in finding.detail.get("recompiles") or []:
            if row.get("compile_id") == compile_id and row.get("expression"):
                values = row.get("old"), row.get("new")
                changed = "" if None in values else " → ".join(rounded_pair(*map(str, values)))
                return f"{compile_id}  {row['expression']} {changed}".rstrip()
        if compile_id in (finding.detail.get("resumed") or []):
            return f"{compile_id}  after line {finding.range.end.line + 1}"
    return compile_id


def _finding(finding: Finding) -> FindingSummary:
    start = finding.range.start
    return FindingSummary(
        rule=finding.rule,
        severity=finding.severity,
        title=finding.title,
        file=finding.file,
        line=start.line,
        character=start.character,
        count=finding.count,
        cost_s=finding.cost_s,
        file_note=file_note(finding),
    )


def _ranks(result: Result) -> list[RankNote]:
    """Where the ranks of a job differ, and which was the slowest."""
    if result.ranks is None:
        return []
    first = RankNote(ranks.headline(result.ranks).removeprefix("ranks: "), [])
    differing = [
        RankNote(clean(title), [clean(one) for one in groups]) for title, groups in ranks.described(result.ranks)
    ]
    return [first, *differing, *(RankNote(clean(one), []) for one in ranks.slowest(result.ranks))]


def _notes(run: Run) -> list[str]:
    """What this recording could not say."""
    notes = [f"{one.get('loses') or one.get('hook')}: {one.get('reason')}" for one in run.unavailable]
    if note := left_out(run):
        notes.append(note)
    return notes


def _damage(run: Run) -> DamageNotes | None:
    """What could not be read."""
    places = sorted(run.damage, key=lambda one: (one["file"], one["offset"]))
    notes = [DamageNote(one["file"], one["offset"], clean(one["problem"])) for one in places[:MOST_DAMAGE]]
    title = f"{counted(len(places), 'place')} could not be read"
    return DamageNotes(title, notes, len(places) - len(notes)) if places else None
