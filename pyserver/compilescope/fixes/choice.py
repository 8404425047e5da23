"""A choice by a tensor's value: an `if` whose branches only assign or return, or a conditional expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from parso.python import tree

from compilescope.fixes import source, variables
from compilescope.fixes.condition import condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.condition import Condition
    from compilescope.fixes.site import Site
    from compilescope.fixes.values import Values

_BOOL = "builtin bool [<class 'torch._dynamo.variables.tensor.TensorVariable'>]"
"""How torch before 2.13 says that it met `bool(tensor)`."""
_BRANCHING = ("data-dependent branching", "tensor.item()", "dynamic shape operator", "data dependent operator")


@dataclass(frozen=True)
class Part:
    """What one branch gives one name: `value`, or `name op value` of an augmented assignment."""

    value: NodeOrLeaf
    name: str = ""
    operator: str = ""

    @cached_property
    def text(self) -> str:
        """The expression."""
        text = source.code(self.value)
        if not self.operator:
            return text
        simple = self.value.type in {"name", "number", "atom", "atom_expr"}
        return f"{self.name} {self.operator} {text if simple else f'({text})'}"


@dataclass(frozen=True)
class Choice:
    """`first` to `last` is what it takes in the file. Branches: the parts in their order; nothing for no `else`."""

    form: Literal["assign", "return", "expression"]
    test: NodeOrLeaf
    condition: Condition
    first: NodeOrLeaf
    last: NodeOrLeaf
    then: list[Part]
    other: list[Part]
    comments: list[str] = field(default_factory=list)


def choice(site: Site, values: Values) -> Choice | None:
    """Return the choice whose test a finding is at; None when it is another one or does more than to choose."""
    if not is_branching(site) or site.node is None or site.function is None:
        return None
    node: NodeOrLeaf = site.node
    for parent in variables.parents(node, site.function):
        inner = source.children(parent)
        if parent.type == "test" and inner[2] is node:
            found = condition(node, values, node)
            then, other = [Part(inner[0])], [Part(inner[4])]
            whole = _in_parentheses(parent)
            return Choice("expression", node, found, whole, whole, then, other) if found else None
        if parent.type == "if_stmt":
            return _statement(parent, node, values) if inner[1] is node else None
        if parent.type in source.STATEMENTS:
            return None
        node = parent
    return None


def _in_parentheses(node: NodeOrLeaf) -> NodeOrLeaf:
    """Return an expression with the parentheses that hold just it."""
    parent = node.parent
    holds = parent is not None and parent.type == "atom" and len(source.children(parent)) == len("(x)")
    return parent if parent is not None and holds and source.code(parent).startswith("(") else node


def is_branching(site: Site) -> bool:
    """Whether a finding is a test of a tensor's value."""
    if not site.is_break:
        return False
    detail = site.finding.detail
    said = f"{detail.get('gb_type')} {detail.get('cause')}".lower()
    return any(one in said for one in _BRANCHING) or _BOOL in str(detail.get("context"))


def _statement(whole: NodeOrLeaf, test: NodeOrLeaf, values: Values) -> Choice | None:
    inner = source.children(whole)
    keywords = [source.code(one) for one in inner if one.type == "keyword"]
    found = condition(test, values, test)
    if found is None or keywords not in (["if"], ["if", "else"]):
        return None
    then = list(_small(inner[3]))
    other = list(_small(inner[6])) if "else" in keywords else []
    last = whole
    if _returned(then) is not None:
        form: Literal["assign", "return"] = "return"
        if not other:
            following = whole.get_next_sibling()
            if following is None or following.type != "simple_stmt":
                return None
            other, last = list(_small(following)), following
        values_of = [_returned(then), _returned(other)]
        parts = [[Part(one)] if one is not None else None for one in values_of]
    else:
        form = "assign"
        parts = [_assigned(then), _assigned(other)]
    if parts[0] is None or parts[1] is None:
        return None
    return Choice(form, test, found, whole, last, parts[0], parts[1], list(_comments(whole, last)))


def _small(branch: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    """Yield the statements of a branch; a compound one as it is."""
    statements = source.children(branch) if branch.type == "suite" else [branch]
    for one in statements:
        if one.type == "simple_stmt":
            yield from (each for each in source.children(one) if each.type not in {"newline", "operator"})
        elif one.type != "newline":
            yield one


def _returned(statements: list[NodeOrLeaf]) -> NodeOrLeaf | None:
    """What a branch returns that does nothing else."""
    match [source.children(one) for one in statements if one.type == "return_stmt"]:
        case [[_, value]] if len(statements) == 1 and value.type not in {"testlist", "testlist_star_expr"}:
            return value
    return None


def _assigned(statements: list[NodeOrLeaf]) -> list[Part] | None:
    """What a branch assigns to names; None when it does anything else, or assigns to one name twice."""
    found: list[Part] = []
    for one in statements:
        if one.type == "keyword" and source.code(one) == "pass":
            continue
        target = source.children(one)[0] if one.type == "expr_stmt" else None
        if not isinstance(target, tree.Name) or any(part.name == target.value for part in found):
            return None
        more = variables.augmented(target)
        value = more[1] if more else variables.assigned(target)
        if value is None or source.children(one)[1].type == "annassign" or value.type == "testlist_star_expr":
            return None
        found.append(Part(value, target.value, more[0] if more else ""))
    return found


def _comments(first: NodeOrLeaf, last: NodeOrLeaf) -> Iterator[str]:
    """Yield the comments inside of what is replaced, without that behind its last line."""
    leaf, end = first.get_first_leaf().get_next_leaf(), last.get_last_leaf()
    while leaf is not None and leaf.start_pos < end.start_pos:
        yield from (part.value for part in leaf._split_prefix() if part.type == "comment")  # noqa: SLF001
        leaf = leaf.get_next_leaf()
