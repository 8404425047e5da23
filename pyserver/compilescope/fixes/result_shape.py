"""What a function's result looks like, as code that needs no values: its own allocation, or its own expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_KINDS = ("empty", "zeros", "ones", "full", "rand", "randn")
_FACTORIES = {f"torch.{kind}{like}" for kind in _KINDS for like in ("", "_like")}
_METHODS = {f".new_{kind}" for kind in _KINDS[:4]} | {".clone"}
# What of a tensor is known without its values.
_KNOWN = {".shape", ".size", ".dtype", ".device", ".ndim", ".dim", ".numel", ".T", ".mT"}
_NEEDS_VALUES = {".numpy", ".item", ".tolist", ".data_ptr", ".cpu", ".nonzero", ".unique", ".__array__"}
_PLAIN = {"len", "min", "max", "int", "float", "bool", "tuple", "list", "range"}


class Unknown(Exception):
    """The result is made of what only values tell."""


def of(file: SourceFile, function: tree.Function) -> list[str] | None:
    """Return the lines of a body that makes a like result; None where the function does not show one.

    Raises Unknown where it allocates its result with a size that depends on values.
    """
    returns = [one for one in _own(function) if one.type == "return_stmt"]
    if len(returns) != 1:
        return None
    given = returns[0].children[1]  # type: ignore[attr-defined]
    known = {one.name.value for one in function.get_params()}
    if isinstance(given, tree.Name) and given.value not in known:
        made = _only_value(function, given.value)
        if made is None or not _allocates(file, made):
            return None
        return [*_needed(file, function, made, known), f"return {source.code(made)}"]
    if _allocates(file, given):
        return [*_needed(file, function, given, known), f"return {source.code(given)}"]
    if len(_statements(function)) == 1 and _is_pure(file, given, known):
        return [f"return {source.code(given)}"]
    return None


def _needed(file: SourceFile, function: tree.Function, made: NodeOrLeaf, known: set[str]) -> list[str]:
    """Return the statements that give an allocation its sizes."""
    lines: list[str] = []
    for name in _free(file, made):
        if name.value in known:
            continue
        value = _only_value(function, name.value)
        if value is None or value.parent is None or not _tells_shape(file, value, known):
            raise Unknown
        lines.append(source.code(value.parent))
    if not _tells_shape(file, made, known | {one.value for one in _free(file, made)}, allocation=True):
        raise Unknown
    return list(dict.fromkeys(lines))


def _allocates(file: SourceFile, node: NodeOrLeaf) -> bool:
    if not source.is_call(node):
        return False
    return names.called(file, node) in _FACTORIES or f".{source.callee(node).rpartition('.')[2]}" in _METHODS


def _tells_shape(file: SourceFile, node: NodeOrLeaf, known: set[str], *, allocation: bool = False) -> bool:
    """Whether an expression is made of sizes, types and devices alone."""
    if any(name.value not in known for name in _free(file, node)):
        return False
    allowed = _KNOWN | (_METHODS if allocation else set())
    for one in source.inside(node):
        if one.type == "trailer":
            text = source.code(one)
            root = one.parent.children[0] if one.parent is not None else None
            if text.startswith(".") and text not in allowed and not _is_torch(file, root):
                return False
    return not any(
        source.is_call(one)
        and not source.callee(one).endswith(tuple(allowed))
        and names.called(file, one) not in (_PLAIN | (_FACTORIES if allocation else set()))
        for one in source.inside(node)
    )


def _is_pure(file: SourceFile, node: NodeOrLeaf, known: set[str]) -> bool:
    """Whether an expression is made of torch's functions and methods of the parameters, none of which needs values."""
    if any(name.value not in known for name in _free(file, node)):
        return False
    for one in source.inside(node):
        if one.type == "trailer" and source.code(one) in _NEEDS_VALUES:
            return False
        if source.is_call(one):
            whole, method = names.called(file, one), "." in source.callee(one)
            if not whole.startswith("torch.") and not (method and not whole):
                return False
    return True


def _free(file: SourceFile, node: NodeOrLeaf) -> list[tree.Name]:
    """Return the names in an expression that are no imports, builtins or keywords."""
    used = {name.start_pos for one in source.inside(node) if isinstance(one, tree.Name) for name in [one]}
    values = [
        one
        for one in source.inside(node)
        if isinstance(one, tree.Name) and one.start_pos in used and one in names.occurrences(file, one.value)
    ]
    return [one for one in values if not names.imported(file, one)]


def _is_torch(file: SourceFile, root: NodeOrLeaf | None) -> bool:
    return isinstance(root, tree.Name) and names.imported(file, root).partition(".")[0] == "torch"


def _only_value(function: tree.Function, name: str) -> NodeOrLeaf | None:
    """Return the one expression that a name of the function is assigned; None when there are several or others."""
    found = []
    for one in _own(function):
        if isinstance(one, tree.Name) and one.value == name and one.is_definition(include_setitem=False):
            statement = one.get_definition()
            if statement is None or statement.type != "expr_stmt" or len(statement.children) != len("a=b"):
                return None
            if source.statement(statement) not in _statements(function):
                return None
            found.append(statement.children[2])
    return found[0] if len(found) == 1 else None


def _statements(function: tree.Function) -> list[NodeOrLeaf]:
    """Return the statements of a function's body, without its docstring."""
    suite = function.children[-1]
    inner = [one for one in getattr(suite, "children", []) if one.type not in {"newline", "operator"}]
    return [one for one in inner if not (one.type == "simple_stmt" and one.children[0].type in {"string", "strings"})]


def _own(function: tree.Function) -> list[NodeOrLeaf]:
    return [one for one in source.inside(function.children[-1]) if source.function(one) in {function, None}]
