"""Lenses over compiled functions: what became of them, and what can be opened; over the others, what to trace them by.

That is Compile and Trace where the file asks torch.compile for it, Trace this where nothing does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import attrs
from lsprotocol import types

from compilescope.analysis.coverage_model import FunctionCoverage
from compilescope.analysis.linemap import LineMap, line_map
from compilescope.analysis.model import Result
from compilescope.lsp import coverage, paths
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.running import TargetInfo
from compilescope.lsp.targets import Target, find_targets
from compilescope.lsp.untraced import Candidate, at, candidates
from compilescope.lsp.wording import joined
from compilescope.recording.command import read
from compilescope.report.counted import counted
from compilescope.report.functions import CompiledFunction, compiled_functions

COMPILE_AND_TRACE = "Compile and Trace"
TRACE_THIS = "Trace this"
CHANGE_INPUTS = "Change inputs…"


@dataclass(frozen=True)
class _Traced:
    """A compiled function of a run on show, at its line (from 0) of now."""

    line: int
    function: CompiledFunction
    recording: str
    by_target: bool
    coverage: FunctionCoverage | None
    moved: LineMap | None
    """How lines of the traced text are moved to that of now; null where nobody kept it."""


class CodeLenses:
    """Makes the lenses of one session's documents. May be called in a thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._targets: dict[str, tuple[str, list[Target], list[Candidate]]] = {}

    def of(self, uri: str) -> list[types.CodeLens]:
        """The lenses of a document, from top to bottom."""
        key = self._session.documents.key(uri)
        text = key and self._session.documents.text(key)
        if not key or text is None:
            return []
        file = paths.to_path(uri) or key
        traced = self._traced(key, text)
        lenses = [lens for one in traced for lens in [*_traced_lenses(one), *_again(one, file, text)]]
        lines = {one.line for one in traced}
        own = {id(one.coverage) for one in traced}
        inlined = [one for one in coverage.placed(self._session, key, text) if id(one.coverage) not in own]
        lenses += [_lens(one.line, percent, None, None) for one in inlined if (percent := _in_part(one.coverage))]
        targets, untraced = self._find_targets(key, text)
        for target in targets:
            known = target.line in lines if target.name else bool(traced)
            if not known:
                lenses.append(_lens(target.line, COMPILE_AND_TRACE, "trace", {"file": file}))
        new = [one for one in untraced if not any(one.line <= line <= one.last for line in lines)]
        lenses += [_target_lens(one.line, TRACE_THIS, file, one, ask=False) for one in new]
        return sorted(lenses, key=lambda lens: lens.range.start.line)

    def _traced(self, key: str, text: str) -> list[_Traced]:
        found: dict[int, _Traced] = {}
        for recording, result in self._session.shown.results().items():
            sources = self._session.shown.sources(recording)
            for function in compiled_functions(result):
                if function.file.startswith("<") or paths.key(function.file) != key:
                    continue
                traced_text = sources.get(function.file)
                moved = line_map(traced_text, text) if traced_text is not None else None
                line = _now(function.line - 1, moved)
                if line is not None:
                    by_target = read(result.run.command).target is not None
                    covered = _coverage(result, function)
                    found[line] = _Traced(line, function, recording, by_target, covered, moved)
        return list(found.values())

    def traced_lines(self, key: str, text: str) -> set[int]:
        """The lines (from 0) in a file's text at which functions begin that a run on show compiled."""
        return {one.line for one in self._traced(key, text)}

    def target_at(self, uri: str, line: int) -> TargetInfo | None:
        """The function or module around a line (from 0) of a file, by its path or URI; null when there is none."""
        file = paths.to_path(uri) if uri.startswith("file:") else uri
        text = self._session.documents.text(paths.key(file)) if file else None
        found = _at(text, line) if text is not None else None
        return _info(file, found) if file and found else None

    def _find_targets(self, key: str, text: str) -> tuple[list[Target], list[Candidate]]:
        """Targets of the text; of the last text that was Python while it is being typed."""
        known = self._targets.get(key)
        if known is not None and known[0] == text:
            return known[1:]
        try:
            found = find_targets(text), candidates(text)
        except (SyntaxError, ValueError, RecursionError):
            return known[1:] if known else ([], [])
        self._targets[key] = (text, *found)
        return found


def _at(text: str, line: int) -> Candidate | None:
    try:
        return at(text, line)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _info(file: str, one: Candidate) -> TargetInfo:
    return TargetInfo(file, one.name, one.made, one.inputs, one.signature)


def _again(traced: _Traced, file: str, text: str) -> list[types.CodeLens]:
    """For a function that was traced by itself: the way to other inputs."""
    one = _at(text, traced.line) if traced.by_target else None
    return [_target_lens(traced.line, CHANGE_INPUTS, file, one, ask=True)] if one else []


def _target_lens(line: int, title: str, file: str, one: Candidate, *, ask: bool) -> types.CodeLens:
    return _lens(line, title, "traceTarget", {"target": attrs.asdict(_info(file, one)), "ask": ask})


def _traced_lenses(traced: _Traced) -> list[types.CodeLens]:
    function = traced.function
    first = first_with_graph(function)
    argument = {"recording": traced.recording, "compileId": first}
    lenses = [
        _lens(traced.line, _title(function, traced.coverage, traced.moved), None, None),
        _lens(traced.line, "Trace again", "trace", argument),
    ]
    if function.graphs:
        lenses.append(_lens(traced.line, "Graph", "showGraph", argument))
        lenses.append(_lens(traced.line, "Passes", "showPasses", argument))
    if again := next((id_ for one in function.findings if one.rule == "recompile" for id_ in one.compile_ids), None):
        lenses.append(_lens(traced.line, "Recompiles", "showRecompiles", {**argument, "compileId": again}))
    return lenses


def first_with_graph(function: CompiledFunction) -> str:
    """The first compile with a graph to show; the first at all where none has one."""
    graphs = (one.id for one in function.compiles if one.status == "ok" and one.graph.get("nodes", 0) > 1)
    return next(graphs, function.compiles[0].id)


def _coverage(result: Result, function: CompiledFunction) -> FunctionCoverage | None:
    """The coverage of a compiled function, which begins at its decorators."""
    own = (one for one in result.coverage if (one.file, one.function) == (function.file, function.name))
    return min((one for one in own if one.line >= function.line), key=lambda one: one.line, default=None)


def _compiled(one: FunctionCoverage | None) -> str:
    """`compiled 83 %`; empty when nothing ran. What is not all of it never says 100, nor 0 what is not none."""
    if one is None or one.percent is None:
        return ""
    whole = one.percent in {0, 100}
    return f"compiled {one.percent if whole else min(max(one.percent, 1), 99):.0f} %"


def _in_part(one: FunctionCoverage) -> str:
    """The lens over a function that others took into their graphs, where not all of it is in graphs."""
    return "" if one.percent in {None, 100} else _compiled(one)


def _now(line: int, moved: LineMap | None) -> int | None:
    """Where a traced line (from 0) is now; null when it was deleted."""
    if moved is None:
        return line
    place = moved.place(line)
    return None if place is None else place.line


def _title(function: CompiledFunction, covered: FunctionCoverage | None, moved: LineMap | None) -> str:
    if function.skipped and not function.graphs:
        why = next((one for one in function.findings if one.rule == "frame-skipped"), None)
        line = _now(why.range.start.line, moved) if why is not None and why.file == function.file else None
        return joined(["0 graphs", "runs in eager" if line is None else f"runs in eager because of line {line + 1}"])
    return joined(
        [
            counted(function.graphs, "graph"),
            counted(function.breaks, "break") if function.breaks else "",
            counted(function.recompiles, "recompile") if function.recompiles else "",
            f"{function.seconds:.1f} s" if function.seconds else "",
            _compiled(covered) if function.graphs else "",
        ]
    )


def _lens(line: int, title: str, command: str | None, argument: dict[str, Any] | None) -> types.CodeLens:
    at = types.Position(line=line, character=0)
    return types.CodeLens(
        range=types.Range(start=at, end=at),
        command=types.Command(
            title=title,
            command=f"compilescope.{command}" if command else "",
            arguments=[argument] if argument is not None else None,
        ),
    )
