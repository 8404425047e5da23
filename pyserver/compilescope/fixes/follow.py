"""Where the value of an expression goes: what a function does with it, through names and arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from parso.python import tree

from compilescope.fixes import source, variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.source import SourceFile

_COLLECTIONS = {"testlist", "testlist_star_expr", "testlist_comp", "dictorsetmaker", "atom"}
_ARITHMETIC = {"arith_expr", "term", "power", "factor"}


class Uses(Protocol):
    """What somebody allows to be done with a value. Each returns whether it is fine, None to follow the result."""

    def arithmetic(self, node: NodeOrLeaf, operators: set[str], others: list[NodeOrLeaf]) -> bool | None:
        """An operation with other operands."""

    def comparison(self, node: NodeOrLeaf, others: list[NodeOrLeaf]) -> bool | None:
        """A comparison with others."""

    def argument(self, call: list[NodeOrLeaf], given: NodeOrLeaf, name: str) -> bool | None:
        """An argument of a call, of which these are the parts; `name` is empty for one by position."""

    def index(self, base: list[NodeOrLeaf], *, is_slice: bool) -> bool:
        """An index of what the parts before it give, or the bound of a slice of it."""

    def returned(self, node: NodeOrLeaf) -> bool:
        """The function's result, or a part of it."""

    def stored(self, target: NodeOrLeaf) -> bool:
        """Stored at an index or an attribute."""

    def augmented(self, name: tree.Name, value: NodeOrLeaf) -> bool:
        """`name += value`, where either is the value that is followed."""


def follows(file: SourceFile, scope: NodeOrLeaf, node: NodeOrLeaf, uses: Uses) -> bool:
    """Whether all that happens to an expression's value is fine. What is not known here is not."""
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        found = _next(file, scope, waiting.pop(), uses, seen)
        if found is None:
            return False
        waiting += found
    return True


def _next(file: SourceFile, scope: NodeOrLeaf, node: NodeOrLeaf, uses: Uses, seen: set[str]) -> list[NodeOrLeaf] | None:
    """Return where a value goes on from a node; nothing where it ends well, None where it ends badly."""
    parent = node.parent
    if parent is None:
        return None
    inner = source.children(parent)
    allowed: bool | None = False
    if parent.type == "atom" and source.code(inner[0]) == "(" and len(inner) == len("(x)"):
        allowed = None
    elif parent.type in _ARITHMETIC:
        others = [one for one in inner if one is not node and one.type != "operator"]
        allowed = uses.arithmetic(parent, {source.code(one) for one in inner if one.type == "operator"}, others)
    elif parent.type == "comparison":
        allowed = uses.comparison(parent, [one for one in inner[::2] if one is not node])
    elif parent.type == "test":
        allowed = None if node is not inner[2] else False
    elif parent.type in {"return_stmt", *_COLLECTIONS} and _is_returned(parent):
        allowed = uses.returned(node)
    elif parent.type == "expr_stmt":
        return _assigned(file, scope, node, uses, seen)
    elif parent.type in {"trailer", "arglist", "argument", "subscript", "subscriptlist"}:
        whole, allowed = _in_trailer(node, uses)
        return None if allowed is False else [] if allowed or whole is None else [whole]
    return None if allowed is False else [] if allowed else [parent]


def _assigned(
    file: SourceFile, scope: NodeOrLeaf, node: NodeOrLeaf, uses: Uses, seen: set[str]
) -> list[NodeOrLeaf] | None:
    statement = source.children(node.parent)
    target = statement[0]
    if not isinstance(target, tree.Name):
        plain = len(statement) == len("a=b") and source.code(statement[1]) == "=" and target.type == "atom_expr"
        return [] if plain and uses.stored(target) else None
    if variables.is_shared(file, scope, target.value):
        return None
    more = variables.augmented(target)
    if more is not None:
        if not uses.augmented(target, more[1]):
            return None
    elif variables.assigned(target) is not node:
        return None
    if target.value in seen:
        return []
    seen.add(target.value)
    return list(_reads(file, scope, target.value))


def _reads(file: SourceFile, scope: NodeOrLeaf, name: str) -> Iterator[tree.Name]:
    for one in variables.uses(file, scope, name):
        if not one.is_definition(include_setitem=False) or variables.augmented(one) is not None:
            yield one


def _in_trailer(node: NodeOrLeaf, uses: Uses) -> tuple[NodeOrLeaf | None, bool | None]:
    """Return the call or the item that a node is an argument or an index of, and whether that is fine."""
    name, is_slice = "", False
    given = node
    parent = node.parent
    if parent is not None and parent.type == "argument":
        label, sign, *_ = source.children(parent)
        if source.code(sign) != "=":
            return None, False
        name, given, parent = source.code(label), parent, parent.parent
    while parent is not None and parent.type in {"arglist", "subscript", "subscriptlist"}:
        is_slice = is_slice or parent.type == "subscript"
        parent = parent.parent
    if parent is None or parent.type != "trailer" or parent.parent is None:
        return None, False
    expression = parent.parent
    parts = source.children(expression)
    at = parts.index(parent)
    opening = source.code(source.children(parent)[0])
    if opening == "[":
        return None, uses.index(parts[:at], is_slice=is_slice)
    if opening != "(" or at != len(parts) - 1:
        # a call in the middle, `torch.zeros(n).sum()`: fine only where nothing has to be followed
        return None, opening == "(" and bool(uses.argument(parts[: at + 1], given, name))
    return expression, uses.argument(parts, given, name)


def _is_returned(node: NodeOrLeaf) -> bool:
    """Whether it is what a function returns, or a tuple, list or dictionary in it."""
    found: NodeOrLeaf | None = node
    while found is not None and found.type in _COLLECTIONS:
        found = found.parent
    return found is not None and found.type == "return_stmt"
