"""A choice between two Python numbers by a tensor's value, as a tensor that is just as exact."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, recorded, source, variables
from compilescope.fixes.exact_uses import WIDE, AsExactTensor
from compilescope.fixes.follow import follows
from compilescope.fixes.pure import is_pure
from compilescope.fixes.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.fixes.choice import Choice
    from compilescope.fixes.site import Site
    from compilescope.fixes.values import Values

_LARGEST = 1 << 63


@dataclass(frozen=True)
class Chosen:
    """Both sides as `torch.where` takes them, and what has to change where the number is used."""

    then: str
    other: str
    uses: AsExactTensor


@dataclass(frozen=True)
class _Side:
    text: str
    kind: str
    written: float | None
    """The number where it is written out."""


def chosen(site: Site, found: Choice, sides: tuple[str, str, str], values: Values) -> Chosen | None:
    """Return the two numbers that a name gets (`sides`: it, and what it is on both), None where a tensor is no such.

    Of fractions that float32 can't hold as they are, or that meet numbers before tensors, the tensor has 64 bits.
    """
    if "set_default_dtype" in site.source.text or site.function is None:
        return None
    parts = [_side(site, found, side, sides, values) for side in range(2)]
    if any(one is None for one in parts):
        return None
    then, other = (one for one in parts if one is not None)
    if then.kind != other.kind or then.kind not in WIDE:
        return None
    starts = [found.first] if found.form == "expression" else [one.value for one in found.then + found.other]
    for dtype, texts in _forms(site, then, other):
        uses = AsExactTensor(site, values, Value(is_tensor=True, kind=then.kind, dtype=dtype, shape=()))
        if all(follows(site.source, site.function, one, uses) for one in starts):
            return Chosen(*texts, uses)
    return None


def _side(site: Site, found: Choice, side: int, sides: tuple[str, str, str], values: Values) -> _Side | None:
    """Return what one side gives: what it assigns, or what the name was before."""
    given = (found.then, found.other)[side]
    if given:
        (part,) = given
        value = values.of(part.value)
        if part.operator or value is None or value.is_tensor or not is_pure(site.source, part.value):
            return None
        return _Side(sides[side + 1], value.kind or "", _written(part.value))
    name = values.leaf(sides[0], found.first)
    assert site.function is not None
    bound = list(names.bindings(site.source, sides[0], site.function))
    value = values.before(sides[0], found.first)
    if value is None or value.is_tensor or not variables.is_bound_above(name, site.function, bound):
        return None
    only = variables.reaching(name, site.function, bound)
    before = variables.assigned(only) if only is not None else None
    return _Side(sides[side + 1], value.kind or "", None if before is None else _written(before))


def _forms(site: Site, then: _Side, other: _Side) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the ways to write the numbers with the dtype that they then have."""
    written = [one.written for one in (then, other)]
    if then.kind == "int":
        if all(one is not None and abs(one) < _LARGEST for one in written):
            yield WIDE["int"], (then.text, other.text)
        return
    if all(one is not None and _fits(one) for one in written):
        yield "float32", (then.text, other.text)
    torch = site.source.names_module("torch") or "torch"
    wide = f"{torch}.tensor({{}}, dtype={torch}.float64)"
    if recorded.of(site).backends == {"CPU"} and any(one is not None for one in written):
        texts = (wide.format(then.text), other.text) if written[0] is not None else (then.text, wide.format(other.text))
        yield WIDE["float"], texts


def _fits(number: float) -> bool:
    """Whether float32 holds a number as it is."""
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
    except OverflowError:
        return False


def _written(node: NodeOrLeaf) -> float | None:
    """Return the number that an expression writes out, with a sign or none."""
    inner = source.children(node)
    if node.type == "factor" and source.code(inner[0]) == "-":
        value = _written(inner[1])
        return None if value is None else -value
    if not isinstance(node, tree.Number):
        return None
    text = node.value.replace("_", "")
    try:
        return float(text) if any(one in text for one in ".eE") and text[:2] not in {"0x", "0X"} else int(text, 0)
    except ValueError:
        return None
