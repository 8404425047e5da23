"""Lenses over compiled functions: what became of them, and what can be opened; over the others, Compile and Trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from compilescope.lsp import paths
from compilescope.lsp.linemap import line_map
from compilescope.lsp.session import Session
from compilescope.lsp.targets import Target, find_targets
from compilescope.lsp.wording import counted, joined
from compilescope.report.functions import CompiledFunction, compiled_functions

COMPILE_AND_TRACE = "Compile and Trace"


@dataclass(frozen=True)
class _Traced:
    """A compiled function of a run on show, at its line (from 0) of now."""

    line: int
    function: CompiledFunction
    recording: str


class CodeLenses:
    """Makes the lenses of one session's documents. May be called in a thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._targets: dict[str, tuple[str, list[Target]]] = {}

    def of(self, uri: str) -> list[types.CodeLens]:
        """The lenses of a document, from top to bottom."""
        key = self._session.documents.key(uri)
        text = key and self._session.documents.text(key)
        if not key or text is None:
            return []
        traced = self._traced(key, text)
        lenses = [lens for one in traced for lens in _traced_lenses(one)]
        lines = {one.line for one in traced}
        for target in self._find_targets(key, text):
            known = target.line in lines if target.name else bool(traced)
            if not known:
                lenses.append(_lens(target.line, COMPILE_AND_TRACE, "trace", {"file": paths.to_path(uri)}))
        return sorted(lenses, key=lambda lens: lens.range.start.line)

    def _traced(self, key: str, text: str) -> list[_Traced]:
        found: dict[int, _Traced] = {}
        for recording, result in self._session.shown.results().items():
            sources = self._session.shown.sources(recording)
            for function in compiled_functions(result):
                if function.file.startswith("<") or paths.key(function.file) != key:
                    continue
                traced_text = sources.get(function.file)
                place = line_map(traced_text, text).place(function.line - 1) if traced_text is not None else None
                line = place.line if place else function.line - 1 if traced_text is None else None
                if line is not None:
                    found[line] = _Traced(line, function, recording)
        return list(found.values())

    def _find_targets(self, key: str, text: str) -> list[Target]:
        """Targets of the text; of the last text that was Python while it is being typed."""
        known = self._targets.get(key)
        if known is not None and known[0] == text:
            return known[1]
        try:
            targets = find_targets(text)
        except (SyntaxError, ValueError, RecursionError):
            return known[1] if known else []
        self._targets[key] = (text, targets)
        return targets


def _traced_lenses(traced: _Traced) -> list[types.CodeLens]:
    function = traced.function
    first = first_with_graph(function)
    argument = {"recording": traced.recording, "compileId": first}
    lenses = [
        _lens(traced.line, _title(function), None, None),
        _lens(traced.line, "Trace again", "trace", argument),
    ]
    if function.graphs:
        lenses.append(_lens(traced.line, "Graph", "showGraph", argument))
        lenses.append(_lens(traced.line, "Passes", "showPasses", argument))
    return lenses


def first_with_graph(function: CompiledFunction) -> str:
    """The first compile with a graph to show; the first at all where none has one."""
    graphs = (one.id for one in function.compiles if one.status == "ok" and one.graph.get("nodes", 0) > 1)
    return next(graphs, function.compiles[0].id)


def _title(function: CompiledFunction) -> str:
    if function.skipped and not function.graphs:
        line = next((one.range.start.line + 1 for one in function.findings if one.rule == "frame-skipped"), None)
        return joined(["0 graphs", f"runs in eager because of line {line}" if line else "runs in eager"])
    return joined(
        [
            counted(function.graphs, "graph"),
            counted(function.breaks, "break") if function.breaks else "",
            counted(function.recompiles, "recompile") if function.recompiles else "",
            f"{function.seconds:.1f} s" if function.seconds else "",
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
