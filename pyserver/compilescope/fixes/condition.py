"""A test on a tensor's value as a tensor of one truth value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compilescope.fixes import names, source
from compilescope.fixes.pure import is_pure

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.value import Value
    from compilescope.fixes.values import Values

_SIGNS = {"<", ">", "<=", ">=", "==", "!="}
_TIGHT = {"name", "atom", "atom_expr"}


@dataclass(frozen=True)
class Condition:
    """`text` is an expression of a bool tensor; `is_flat`: it has no dimensions for certain."""

    text: str
    is_flat: bool
    is_tight: bool = False
    """Whether it binds as tight as a call, so that an operator may stand before it."""

    @property
    def tight(self) -> str:
        """The text, in parentheses where an operator beside it needs them."""
        return self.text if self.is_tight else f"({self.text})"

    @property
    def flat(self) -> str:
        """The text of a tensor without dimensions."""
        return self.text if self.is_flat else f"{self.tight}.reshape(())"


def condition(node: NodeOrLeaf, values: Values, known: NodeOrLeaf | None = None) -> Condition | None:
    """Return a test as a tensor; None when a part of it is no tensor or does more than to compute.

    `known`: the part that torch found to be a tensor.
    """
    inner = source.children(node)
    text = source.code(node)
    if not is_pure(values.file, node):
        return None
    if node.type == "atom" and text.startswith("(") and len(inner) == len("(x)"):
        return condition(inner[1], values, inner[1] if known is node else known)
    if node.type == "not_test":
        negated = condition(inner[1], values, inner[1] if known is node else known)
        return negated and Condition(f"~{negated.tight}", negated.is_flat, is_tight=True)
    if node.type in {"and_test", "or_test"}:
        parts = [condition(one, values, known) for one in inner[::2]]
        if any(one is None for one in parts):
            return None
        sign = " & " if node.type == "and_test" else " | "
        return Condition(sign.join(one.tight for one in parts if one), all(one.is_flat for one in parts if one))
    return _single(node, values, known)


def _single(node: NodeOrLeaf, values: Values, known: NodeOrLeaf | None) -> Condition | None:
    if node.type == "comparison":
        return _comparison(source.children(node), values, is_known=known is node)
    bare = unconverted(node, values)
    kind = bare.value.kind if bare.value is not None else None
    if (known is not node and not bare.is_tensor) or (bare.conversion == "int" and kind not in {"int", "bool"}):
        return None
    if kind == "bool":
        return Condition(bare.text, bare.is_flat, bare.is_tight)
    return Condition(f"{bare.text if bare.is_tight else f'({bare.text})'} != 0", bare.is_flat)


def _comparison(inner: list[NodeOrLeaf], values: Values, *, is_known: bool) -> Condition | None:
    if len(inner) != len("a<b") or source.code(inner[1]) not in _SIGNS:
        return None
    sides = [unconverted(one, values) for one in inner[::2]]
    if any(side.conversion in {"int", "bool"} for side in sides):
        return None
    if any(side.conversion for side in sides):
        if any(side.value is None and side.conversion != "item" for side in sides):
            return None
    elif not is_known and not any(side.is_tensor for side in sides):
        return None
    text = f"{sides[0].text} {source.code(inner[1])} {sides[1].text}"
    return Condition(text, all(side.is_flat for side in sides))


@dataclass(frozen=True)
class Bare:
    """An expression without its conversion to a Python number: `t` of `t.item()` (`item`) and `float(t)` (`float`)."""

    text: str
    value: Value | None
    is_tight: bool
    conversion: str = ""

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor for certain."""
        return self.conversion == "item" or (self.value is not None and self.value.is_tensor)

    @property
    def is_flat(self) -> bool:
        """Whether it has no dimensions for certain."""
        return self.value is not None and self.value.shape == ()


def unconverted(node: NodeOrLeaf, values: Values) -> Bare:
    """Return an expression without the conversion that it is; itself when it is none."""
    inner, given = source.children(node), source.arguments(node) if source.is_call(node) else []
    if (
        source.is_call(node)
        and not given
        and source.code(inner[-2]) == ".item"
        and len(inner) >= len(["t", ".item", "()"])
    ):
        return Bare(
            "".join(map(source.code, inner[:-2])), values.of_parts(inner[:-2]), is_tight=True, conversion="item"
        )
    if source.is_call(node) and len(inner) == len(["f", "()"]) and len(given) == 1:
        conversion = names.called(values.file, node)
        if conversion in {"float", "int", "bool"}:
            return replace(unconverted(given[0], values), conversion=conversion)
    return Bare(source.code(node), values.of(node), node.type in _TIGHT)
