"""The last resort: what can't be traced is kept out of graphs on purpose. The graph still ends there."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.analysis.model import Fix
from compilescope.fixes import arguments, names, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.model import Edit
    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile

_DISABLED = {"GB0098", "GB0099"}
# Better left out, or moved behind the graph.
_OUTPUT = ("logging.", "warnings.", "sys.")


def fixes(site: Site) -> Iterator[Fix]:
    """Yield `torch.compiler.disable` on the program's function with the break, and around the function called there."""
    if site.finding.rule not in {"graph-break", "frame-skipped"} or site.finding.code in _DISABLED:
        return
    yield from _own_function(site)
    if site.finding.rule == "graph-break":
        yield from _called(site)


def _own_function(site: Site) -> Iterator[Fix]:
    """Yield the decorator for a function that the compiled one calls, and that has the break in it."""
    function = site.function
    if not isinstance(function, tree.Function) or function.type != "funcdef" or not _can_be_decorated(function):
        return
    ids = set(site.finding.compile_ids)
    name = function.name.value
    if all(one.function == name for one in site.result.compiles if one.id in ids):
        return
    file = site.source
    decorator = f"@{file.names_module('torch') or 'torch'}.compiler.disable"
    yield Fix(
        f"Keep {name} out of graphs with torch.compiler.disable",
        [*_import_torch(file), file.inserted_before(function, decorator)],
        kind="disable",
        note=f"the graph still ends, once at each call of `{name}`, and all of `{name}` runs in Python: a last resort",
    )


def _called(site: Site) -> Iterator[Fix]:
    """Yield a name of the module for the disabled function, and its use where the graph breaks."""
    file, call = site.source, site.call
    if call is None:
        return
    parts = call.children[:-1]  # type: ignore[attr-defined]
    whole = names.whole(file, parts)
    after = _last_import(file)
    root = parts[0]
    if not whole or whole.startswith((*_OUTPUT, "torch.compiler.", "torch._dynamo.")) or hasattr(builtins, whole):
        return
    if after is None or not any(one.start_pos < after for one in names.bindings(file, root.value, file.root)):
        return
    if any(True for scope in names.scopes(root)[:-1] for _ in names.bindings(file, root.value, scope)):
        return
    callee = source.callee(call)
    eager = names.unused(file, f"eager_{callee.rpartition('.')[2]}")
    torch = file.names_module("torch") or "torch"
    line = f"{file.line_end}{eager} = {torch}.compiler.disable({callee}){file.line_end}"
    yield Fix(
        f"Keep {callee} out of graphs with torch.compiler.disable",
        [
            *_import_torch(file),
            file.inserted(after, line),
            file.replaced_through(parts[0], parts[-1], eager),
        ],
        kind="disable",
        note="the graph still ends here; the break is then marked as intended: a last resort",
    )


def _can_be_decorated(function: tree.Function) -> bool:
    """Whether it is a plain function of the module, or a method of a class in it."""
    holder = arguments.holder(function)
    if holder.type == "classdef":
        holder = arguments.holder(holder)
    plain = function.parent is not None and function.parent.type not in {"decorated", "async_funcdef", "async_stmt"}
    return plain and holder.type == "file_input" and not function.is_generator()


def _last_import(file: SourceFile) -> tuple[int, int] | None:
    """Return where the line after the first imports of the module begins."""
    last = None
    for one in file.statements():
        first = one.children[0] if one.type == "simple_stmt" else None  # type: ignore[attr-defined]
        if first is not None and first.type in {"import_name", "import_from"}:
            last = one
        elif last is not None:
            break
    return None if last is None or last.end_pos[1] else (last.end_pos[0], 0)


def _import_torch(file: SourceFile) -> list[Edit]:
    return [] if file.names_module("torch") else file.imported("torch")
