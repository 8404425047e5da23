"""What a function does with its variables: what assigns them, what changes values in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_LOOPS = {"for_stmt", "while_stmt", "comp_for", "sync_comp_for"}


def uses(file: SourceFile, scope: NodeOrLeaf, name: str) -> list[tree.Name]:
    """Return where a function, with those in it, binds or reads a variable."""
    return [one for one in names.occurrences(file, name) if scope.start_pos <= one.start_pos < scope.end_pos]


def is_shared(file: SourceFile, scope: NodeOrLeaf, name: str) -> bool:
    """Whether a variable is not the function's alone: global, nonlocal, deleted, or bound by a function in it."""
    for one in uses(file, scope, name):
        if one.parent is not None and one.parent.type in {"global_stmt", "nonlocal_stmt", "del_stmt"}:
            return True
        if one.is_definition(include_setitem=False) and names.scope_of(one) is not scope:
            return True
    return False


def read_in(node: NodeOrLeaf) -> set[str]:
    """Return the names that an expression reads, without attributes and names of arguments."""
    return {one.value for one in source.inside(node) if isinstance(one, tree.Name) and not _is_label(one)}


def assigned(binding: NodeOrLeaf) -> NodeOrLeaf | None:
    """Return what `name = value` or `name: T = value` gives a name; None for any other binding."""
    match source.children(binding.parent):
        case [target, sign, value] if target is binding and _is(sign, "="):
            return value
        case [target, annotation] if target is binding and annotation.type == "annassign":
            return source.children(annotation)[-1] if _is(source.children(annotation)[-2], "=") else None
    return None


def augmented(binding: NodeOrLeaf) -> tuple[str, NodeOrLeaf] | None:
    """Return operator and operand of `name += value`; None for any other binding."""
    match source.children(binding.parent):
        case [target, sign, value] if target is binding and sign.type == "operator":
            text = source.code(sign)
            return (text[:-1], value) if text.endswith("=") and text != "=" else None
    return None


def mutates_after(scope: NodeOrLeaf | None, node: NodeOrLeaf) -> bool:
    """Whether a function changes anything in place after a node, or in a loop around it."""
    if scope is None:
        return True
    looped = any(parent.type in _LOOPS for parent in parents(node, scope))
    return any(_mutates(one) for one in source.inside(scope) if looped or one.start_pos >= node.end_pos)


def parents(node: NodeOrLeaf, scope: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    """Yield what a node is in, innermost first, up to a function."""
    parent = node.parent
    while parent is not None and parent is not scope:
        yield parent
        parent = parent.parent


def _mutates(node: NodeOrLeaf) -> bool:
    match getattr(node, "children", []):
        case [target, sign, _] if node.type == "expr_stmt" and sign.type == "operator":
            return not _is(sign, "=") or target.type == "atom_expr"
        case [sign, tree.Name() as name] if node.type == "trailer" and _is(sign, "."):
            return bool(name.value.endswith("_") and not name.value.endswith("__"))
    return False


def _is(node: NodeOrLeaf, text: str) -> bool:
    return source.code(node) == text


def _is_label(name: tree.Name) -> bool:
    match getattr(name.parent, "children", []):
        case [sign, attribute] if attribute is name:
            return _is(sign, ".")
        case [label, sign, _] if label is name and _is(sign, "="):
            return name.parent is not None and name.parent.type == "argument"
    return False
