"""What a function does may be done by its callers: whether, and how it is written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import arguments, names, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.arguments import Call
    from compilescope.fixes.site import Site
    from compilescope.fixes.source import SourceFile


def compiled_itself(site: Site, function: tree.Function) -> bool:
    """Whether the function was compiled for its callers, and not only met by a compile of one of them."""
    ids = set(site.finding.compile_ids)
    return all(one.function == function.name.value for one in site.result.compiles if one.id in ids)


def is_compiled(site: Site, call: Call) -> bool:
    """Whether a call stands in code that is compiled, so that nothing is won by making the value there."""
    around = source.function(call.callee)
    if not isinstance(around, tree.Function) or around.type != "funcdef":
        return around is not None
    known = {(one.file, one.function) for one in site.result.compiles}
    return (call.file.file, around.name.value) in known


def can_precede(call: Call, statement: NodeOrLeaf) -> bool:
    """Whether what runs on a line before the statement runs just before the call, with the same names."""
    line = call.file.lines[statement.start_pos[0] - 1]
    if line[: statement.start_pos[1]].strip() or ";" in source.code(statement) or ":=" in source.code(statement):
        return False
    node: NodeOrLeaf | None = call.callee
    while node is not None and node is not statement:
        if node.type in {"lambdef", "comp_for", "sync_comp_for", "decorator"} or _is_comprehension(node):
            return False
        node = node.parent
    head = statement.children[0]  # type: ignore[attr-defined]
    if statement.type == "if_stmt":
        return bool(call.callee.end_pos <= statement.children[3].start_pos)  # type: ignore[attr-defined]
    return statement.type in {"simple_stmt", "with_stmt"} and head.type not in {"global_stmt", "import_name"}


def _is_comprehension(node: NodeOrLeaf) -> bool:
    return any(one.type in {"comp_for", "sync_comp_for"} for one in getattr(node, "children", ()))


def outside(site: Site, function: tree.Function, call: Call, made: NodeOrLeaf) -> str | None:
    """Return the expression at a call, the function's parameters replaced by what it passes; None if it can't be."""
    file = site.source
    given = arguments.parameters(function)
    is_method = len(given) < len(function.get_params())
    text: list[str] = []
    for leaf in _leaves(made):
        value = source.code(leaf)
        if isinstance(leaf, tree.Name) and leaf in names.occurrences(file, value):
            own = list(names.bindings(file, value, function))
            if own and own == [one.name for one in function.get_params() if one.name.value == value]:
                replaced = _passed(call, given, value, self_too=is_method and own[0] is function.get_params()[0].name)
                if replaced is None:
                    return None
                value = replaced
            elif own or _is_hidden(file, call, value):
                return None
        text.append(leaf.prefix.replace("\\", "") * bool(text) + value)
    return "".join(text) if "\n" not in "".join(text) else None


def _passed(call: Call, given: list[tree.Param], name: str, *, self_too: bool) -> str | None:
    value = call.callee if self_too else call.passed(given, name)
    if value is None or value.type not in {"name", "number", "string"}:
        return None
    return source.code(value)


def _is_hidden(file: SourceFile, call: Call, name: str) -> bool:
    """Whether a name means something else where the call is."""
    inner = names.scopes(call.callee)[:-1] if isinstance(call.callee, tree.Name) else []
    return any(True for scope in inner for _ in names.bindings(file, name, scope))


def _leaves(node: NodeOrLeaf) -> Iterator[tree.PythonLeaf]:
    return (one for one in source.inside(node) if isinstance(one, tree.PythonLeaf))
