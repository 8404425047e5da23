"""A size that changes is announced: `torch._dynamo.mark_dynamic(x, 0)` before the calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import arguments, callers, calls, compiled, names, source
from compilescope.fixes.arguments import Call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile

_SIZE = re.compile(
    r"tensor '(?P<name>[^']+)' size mismatch at index (?P<dim>\d+)\. expected (?P<old>\d+), actual (?P<new>\d+)"
)
_LEARNED = re.compile(r"(?P<name>\w+)\.(?:shape|size\(\))\[(?P<dim>\d+)\]")
_FIXED = (
    r"{name}(?:\.shape|\.size\(\))\[{dim}\]\)? (?:==|!=) \(?\d|\d\)? (?:==|!=) \(?{name}(?:\.shape|\.size\(\))\[{dim}\]"
)
# Torch always compiles these on their own, marked or not.
_SPECIAL = {"0", "1"}


def fixes(site: Site) -> Iterator[Fix]:
    """Yield the marks before all calls of the file, where one parameter is a plain name at those that changed it."""
    changed = _changed(site) if site.finding.rule == "recompile" else None
    found = compiled.function(site) if changed else None
    if changed is not None and found is None:
        yield from _of_module(site, *changed)
    if changed is None or found is None:
        return
    name, dims = changed
    file, function = found
    given = arguments.parameters(function)
    if name not in {one.name.value for one in given} or _is_fixed(site, name, dims):
        return
    all_calls = calls.calls_of(file, function).found
    callers = {_line(row) for row in site.finding.detail.get("recompiles", [])}
    changing = [one for one in all_calls for path, line in callers if path == file.file and one.spans(line)]
    elsewhere = [one for path, line in callers if path != file.file for one in _on_line(site, path, line, function)]
    changing += elsewhere
    marks: list[Edit] = []
    for call in [*all_calls, *elsewhere]:
        mark = _mark(call, call.passed(given, name), dims)
        if mark is not None:
            marks += [one for one in mark if one not in marks]
        elif call in changing:
            return
    if not marks or not callers or len({(one.file.file, one.line) for one in changing}) < len(callers):
        return
    if any(not one.file.names_module("torch") for one in elsewhere):
        return
    yield _fix(file, name, dims, marks)


def _on_line(site: Site, path: str, line: int, function: tree.Function) -> list[Call]:
    """Return the call on a line of another file when there is only one that may be of the function, or of a module."""
    file = site.files(path)
    given = arguments.parameters(function)
    found: list[Call] = []
    for one in source.inside(file.root) if file is not None else ():
        if one.type == "trailer" and source.code(one).startswith("(") and one.parent is not None and file is not None:
            before = source.children(one.parent)[: source.children(one.parent).index(one)]
            called = names.whole(file, before).rpartition(".")[2]
            call = Call(file, before[-1], one)  # type: ignore[arg-type]
            if called in {"", function.name.value} and call.spans(line) and _may_be(call, given):
                found.append(call)
    return found if len(found) == 1 else []


def _may_be(call: Call, given: list[tree.Param]) -> bool:
    """Whether a function with these parameters takes what a call passes, names among it."""
    takes = {one.name.value for one in given}
    passed = [arguments.keyword(one) for one in call.arguments]
    fits = len(passed) <= len(given) and all(name in {"", *takes} for name, _ in passed)
    return fits and any(isinstance(value, tree.Name) for _, value in passed)


def _of_module(site: Site, name: str, dims: list[int]) -> Iterator[Fix]:
    """Yield the mark before the one call of a module of torch's that is compiled by itself, of a plain name in it."""
    passed = site.node
    trailer = passed.parent if passed is not None else None
    if trailer is not None and trailer.type == "arglist":
        trailer = trailer.parent
    whole = trailer.parent if trailer is not None and trailer.type == "trailer" else None
    if not isinstance(passed, tree.Name) or passed.value != name or trailer is None or whole is None:
        return
    file, callee = site.source, "".join(one.get_code() for one in whole.children[:-1]).strip()
    lines = {_line(row) for row in site.finding.detail.get("recompiles", [])}
    ids = set(site.finding.compile_ids)
    if (
        lines != {(file.file, passed.start_pos[0])}
        or whole.children[-1] is not trailer
        or sum(line.count(f"{callee}(") for line in file.lines) != 1
        or any(one.compile_id in ids for one in site.result.specializations)
    ):
        return
    marks = _mark(Call(file, whole.children[0], trailer), passed, dims)
    if marks:
        yield _fix(file, name, dims, marks)


def _fix(file: SourceFile, name: str, dims: list[int], marks: list[Edit]) -> Fix:
    what = f"dimension {dims[0]}" if len(dims) == 1 else f"dimensions {' and '.join(map(str, dims))}"
    return Fix(
        f"Mark {what} of {name} as dynamic before the call",
        [*(file.imported("torch._dynamo") if not file.names_module("torch") else []), *marks],
        kind="mark-dynamic",
        preferred=True,
        note="one compile then serves all sizes from 2 on; torch raises an error if the code needs a fixed size",
    )


def _changed(site: Site) -> tuple[str, list[int]] | None:
    """Return the one parameter whose sizes changed, and in which dimensions."""
    rows = [one for one in site.finding.detail.get("recompiles", []) if isinstance(one, dict)]
    found: set[tuple[str, int]] = set()
    for row in rows:
        match = _SIZE.match(str(row.get("guard", "")))
        if match is None or not match["name"].isidentifier() or _SPECIAL & {match["old"], match["new"]}:
            return None
        found.add((match["name"], int(match["dim"])))
        for one in row.get("learned", []):
            learned = _LEARNED.fullmatch(str(one.get("expression", ""))) if isinstance(one, dict) else None
            if learned is not None and not _SPECIAL & {str(one.get("old")), str(one.get("new"))}:
                found.add((learned["name"], int(learned["dim"])))
    changed = {name for name, _ in found}
    return (changed.pop(), sorted(dim for _, dim in found)) if len(changed) == 1 else None


def _is_fixed(site: Site, name: str, dims: list[int]) -> bool:
    """Whether a version held for one size, or for all but one: then there is no code for all sizes."""
    ids = frozenset(one.id for one in compiled.compiles(site))
    codes = site.recorded(ids).checks
    for dim in dims:
        pattern = re.compile(_FIXED.format(name=re.escape(name), dim=dim))
        source_name = f"L['{name}'].size()[{dim}]"
        if any(pattern.search(code) for code in codes):
            return True
        if any(one.compile_id in ids and source_name in one.sources for one in site.result.specializations):
            return True
    return False


def _mark(call: Call, passed: NodeOrLeaf | None, dims: list[int]) -> list[Edit] | None:
    """Return the statements before a call; None where none can stand there or what is passed is no plain name."""
    statement = source.statement(call.callee)
    if not isinstance(passed, tree.Name) or statement is None or not callers.can_precede(call, statement):
        return None
    torch = call.file.names_module("torch") or "torch"
    return [
        call.file.inserted_before(statement, f"{torch}._dynamo.mark_dynamic({passed.value}, {dim})") for dim in dims
    ]


def _line(row: object) -> tuple[str, int]:
    caller = row.get("caller") if isinstance(row, dict) else None
    if not isinstance(caller, dict):
        return "", 0
    return str(caller.get("file")), int(caller.get("line") or 0)
