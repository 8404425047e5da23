"""Hits in what the analysis says: findings, functions, guards that failed, kernels and passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.search.model import Hit, Kind
from compilescope.analysis.search.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Finding, Result
    from compilescope.analysis.search.query import Matcher


def findings(result: Result, matcher: Matcher) -> Iterator[Hit]:
    """Yield a hit for each finding with the text: in its title, torch's words, ours, advice, rule, code or file."""
    for one in result.findings:
        hit = _first(matcher, "finding", one.rule, _lines(one))
        if hit is not None:
            compile_id = one.compile_ids[0] if one.compile_ids else None
            start = one.range.start
            where = {"file": one.file, "line": start.line + 1, "column": start.character + 1}
            yield _at(hit, title=one.title, compile_id=compile_id, **where)


def _lines(finding: Finding) -> Iterator[str]:
    yield finding.title
    for text in (finding.reason, finding.explanation, *finding.hints):
        yield from text.splitlines()
    yield f"{finding.rule} {finding.code}"
    if finding.file is not None:
        yield f"{finding.file}:{finding.range.start.line + 1}"


def functions(result: Result, matcher: Matcher) -> Iterator[Hit]:
    """Yield a hit for each compiled function with the text in its name; `count` is how often it was compiled."""
    compiles: dict[tuple[str, str, int], list[str]] = {}
    for one in result.compiles:
        compiles.setdefault((one.qualname or one.function, one.file, one.line), []).append(one.id)
    for (name, file, line), ids in compiles.items():
        hit = _first(matcher, "function", name, [name])
        if hit is not None:
            yield _at(hit, compile_id=ids[0], file=file, line=line, count=len(ids))


def failed_guards(context: Context, matcher: Matcher) -> Iterator[Hit]:
    """Yield a hit for each guard with the text that made torch compile anew, at the line that needed it."""
    for one in context.facts.recompiles:
        for failed in one.failed:
            hit = _first(matcher, "guard", "failed guard", [failed.part, *failed.reason.splitlines()])
            if hit is not None:
                frame = failed.frames[-1] if failed.frames else None
                place = (None, None) if frame is None else (frame.file, frame.line)
                yield _at(hit, compile_id=context.name(one.where), file=place[0], line=place[1])


def kernels(result: Result, matcher: Matcher) -> Iterator[Hit]:
    """Yield a hit for each kernel of a graph with the text in its name, its operator or its nodes."""
    calls: dict[tuple[str, str, str], int] = {}
    for one in result.kernels:
        key = (one.compile_id, one.graph, one.name)
        calls[key] = calls.get(key, 0) + 1
    for one in result.kernels:
        count = calls.pop((one.compile_id, one.graph, one.name), 0)
        line = "  ".join(filter(None, [one.name, one.operator, ", ".join(one.nodes)]))
        hit = _first(matcher, "kernel", one.name, [line]) if count else None
        if hit is not None:
            place = one.lines[0] if one.lines else {}
            where = {"file": place.get("file"), "line": place.get("line")}
            yield _at(hit, compile_id=one.compile_id, stage=one.graph, count=count, **where)


def passes(result: Result, matcher: Matcher) -> Iterator[Hit]:
    """Yield a hit for each pass of a compile with the text in its name or its function; the first run of each."""
    seen = set()
    for one in result.passes:
        key = (one.compile_id, one.name, one.function)
        if key in seen:
            continue
        seen.add(key)
        line = "  ".join(filter(None, [one.name, one.function]))
        hit = _first(matcher, "pass", one.name, [line])
        if hit is not None:
            place = {"file": one.file, "line": one.line}
            yield _at(hit, compile_id=one.compile_id, stage=one.phase, order=one.order, **place)


def _first(matcher: Matcher, kind: Kind, name: str, lines: Iterable[str]) -> tuple[Kind, str, str, int, int] | None:
    """Return the first line with the text, as it is shown."""
    for _, line, start, end in matcher.of(lines)[:1]:
        return (kind, name, *shown(line, start, end))
    return None


def _at(hit: tuple[Kind, str, str, int, int], **more: object) -> Hit:
    kind, name, text, start, end = hit
    return Hit(kind, text, start, end, name, **more)  # type: ignore[arg-type]
