"""What a function does with its variables: what assigns them, what changes values in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source
from compilescope.fixes import torch_names as known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_COMPUTING = (known.SAME_SHAPE | known.REDUCING | known.TESTS | known.BINARY) - {"detach", "contiguous"}
_LOOPS = {"for_stmt", "while_stmt", "comp_for", "sync_comp_for"}
_REBINDING = {*_LOOPS, "try_stmt", "with_stmt"}


def uses(file: SourceFile, scope: NodeOrLeaf, name: str) -> list[tree.Name]:
    """Return where a function, with those in it, binds or reads a variable."""
    start, end = scope.start_pos, scope.end_pos
    return [one for one in names.occurrences(file, name) if start <= one.start_pos < end]


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


def reaching(name: tree.Name, scope: NodeOrLeaf, bound: list[tree.Name]) -> tree.Name | None:
    """Return the one binding that gives a name its value: straight above it, in no branch; None when others may."""
    node: NodeOrLeaf = name
    while node.parent is not None and node is not scope:
        parent = node.parent
        if node.type in _REBINDING and any(_holds(node, one) for one in bound):
            return None
        if parent.type in {"suite", "file_input"}:
            if any(_holds(node, one) and _is_inner(one) for one in bound):
                return None
            for statement in reversed(parent.children[: parent.children.index(node)]):
                inner = [one for one in bound if _holds(statement, one)]
                if inner:
                    return inner[-1] if statement.type == "simple_stmt" and not any(map(_is_inner, inner)) else None
        node = parent
    body = source.children(scope)[-1]
    return next((one for one in bound if one.start_pos < body.start_pos), None)


def is_bound_above(name: tree.Name, scope: NodeOrLeaf, bound: list[tree.Name]) -> bool:
    """Whether a name has a value for certain: of a statement above it, or of a loop, `with` or function around it."""
    node: NodeOrLeaf = name
    while node.parent is not None and node is not scope:
        parent = node.parent
        above = parent.children[: parent.children.index(node)] if node is not name and node in parent.children else []
        simple = [one for one in above if one.type not in source.STATEMENTS or one.type == "simple_stmt"]
        if parent.type != "if_stmt" and any(_holds(one, binding) for one in simple for binding in bound):
            return True
        node = parent
    return False


def is_fresh(file: SourceFile, scope: NodeOrLeaf, name: str, node: NodeOrLeaf) -> bool:
    """Whether a variable's value came from an operation above a node, and no other variable has it."""
    bound = list(names.bindings(file, name, scope))
    given = [assigned(one) for one in bound if one.start_pos < node.start_pos]
    if not given or any(one is None or one.type not in {"arith_expr", "term", "factor"} for one in given):
        return False
    return all(_is_read_in_place(one) for one in uses(file, scope, name) if one not in bound)


def _is_read_in_place(name: tree.Name) -> bool:
    """Whether a use only computes with a value: it keeps it nowhere."""
    parent = name.parent
    if parent is None:
        return False
    if parent.type == "atom_expr" and source.children(parent)[0] is name:
        return source.code(source.children(parent)[1])[1:] in _COMPUTING
    return parent.type in {"arith_expr", "term", "comparison", "return_stmt"}


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


def _is_inner(binding: tree.Name) -> bool:
    """Whether a binding is made in the middle of an expression."""
    return binding.parent is not None and binding.parent.type in {"comp_for", "sync_comp_for", "namedexpr_test"}


def _holds(node: NodeOrLeaf, leaf: NodeOrLeaf) -> bool:
    return bool(node.start_pos <= leaf.start_pos < node.end_pos)


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
