"""What is known of a value, and what operations make of it: tensor or number, dtype, shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.fixes import torch_names as known

if TYPE_CHECKING:
    Shape = tuple[int, ...] | frozenset[str]
    """Sizes where they are known, else the names of what was broadcast together: equal sets have one shape."""

_ORDER = {"bool": 0, "int": 1, "float": 2}
SIZED = "sizes of "
"""Begins the names, in a shape, of what has at least one dimension."""


@dataclass(frozen=True)
class Value:
    """An expression's value. `dtype`: of a tensor, its name or `of x`: that of the variable x. None: unknown.

    `kind` of a number is its type; that of a tensor is what its dtype belongs to.
    """

    is_tensor: bool
    kind: str | None = None
    dtype: str | None = None
    shape: Shape | None = None

    @property
    def has_dimensions(self) -> bool:
        """Whether it has at least one dimension for certain."""
        if isinstance(self.shape, tuple):
            return self.shape != ()
        return any(one.startswith(SIZED) for one in self.shape or ())


FLOAT, INT, BOOL = (Value(is_tensor=False, kind=kind, shape=()) for kind in ("float", "int", "bool"))
TENSOR = Value(is_tensor=True)


def number(text: str) -> Value | None:
    """Return what a number in the text is; None for an imaginary one."""
    if text.lower().endswith("j"):
        return None
    return INT if re.fullmatch(r"[\d_]+|0[xob].*", text, re.IGNORECASE) else FLOAT


def promoted(operation: str, first: Value | None, second: Value | None) -> Value | None:
    """Return what an operation of two values gives; a tensor as soon as one of them is one."""
    tensors = [one for one in (first, second) if one is not None and one.is_tensor]
    if not tensors:
        if first is None or second is None:
            return None
        return BOOL if operation == "eq" else FLOAT if "float" in (first.kind, second.kind) or operation == "/" else INT
    shape = _broadcast(first, second) if operation != "@" else None
    if operation in known.COMPARING:
        return Value(is_tensor=True, kind="bool", dtype="bool", shape=shape)
    if first is None or second is None:
        return TENSOR
    kind, dtype = _dtype(first, second)
    if (operation == "/" or operation in known.DIVIDING) and kind != "float":
        return Value(is_tensor=True, kind="float" if kind else None, shape=shape)
    return Value(is_tensor=True, kind=kind, dtype=dtype, shape=shape)


def _dtype(first: Value, second: Value) -> tuple[str | None, str | None]:
    """Kind and dtype that two values are promoted to."""
    number = next((one for one in (first, second) if not one.is_tensor), None)
    if number is not None and number.kind == "float" and None in (first.kind, second.kind):
        tensor = second if number is first else first
        return "float", tensor.dtype and f"float of {tensor.dtype}"
    if first.kind not in _ORDER or second.kind not in _ORDER:
        return None, None
    high, low = sorted((first, second), key=lambda one: (_ORDER[str(one.kind)], one.is_tensor), reverse=True)
    if not high.is_tensor and _ORDER[str(high.kind)] > _ORDER[str(low.kind)]:
        return high.kind, None
    if not low.is_tensor or high.dtype == low.dtype:
        return high.kind, high.dtype
    low_is_scalar = low.shape == () and high.shape not in ((), None)
    if _ORDER[str(high.kind)] > _ORDER[str(low.kind)] or low_is_scalar:
        return high.kind, high.dtype if high.shape != () or low.shape == () else None
    return high.kind, None


def _broadcast(first: Value | None, second: Value | None) -> Shape | None:
    if first is None or second is None or first.shape is None or second.shape is None:
        return None
    one, other = first.shape, second.shape
    if one == () or other == ():
        return other if one == () else one
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    if isinstance(one, tuple) and isinstance(other, tuple):
        longer, shorter = sorted((one, other), key=len, reverse=True)
        padded = (1,) * (len(longer) - len(shorter)) + shorter
        return tuple(b if a == 1 else a for a, b in zip(longer, padded, strict=True))
    return None


def reduced(base: Value, method: str, *, whole: bool) -> Value | None:
    """Return what a reduction gives; `whole`: of all elements, without an argument."""
    if not whole and method in known.PAIR_WITH_DIM:
        return None
    kind, dtype = base.kind, base.dtype
    if method in {"all", "any"}:
        kind, dtype = "bool", "bool"
    elif method in known.INT_RESULT or (method in {"sum", "prod"} and kind in {"int", "bool"}):
        kind, dtype = "int", "int64"
    elif method in known.FLOAT_RESULT:
        kind, dtype = "float", dtype if kind != "int" else None
    return Value(is_tensor=True, kind=kind, dtype=dtype, shape=() if whole else None)


def as_tensor(value: Value | None) -> Value:
    """Return a value of which only that it is a tensor may be known."""
    return value if value is not None and value.is_tensor else TENSOR


def common(values: list[Value]) -> Value | None:
    """Return what holds for all of several values of a variable."""
    first = values[0]
    if any(one.is_tensor != first.is_tensor for one in values):
        return None
    same = {key: getattr(first, key) for key in ("kind", "dtype", "shape")
            if all(getattr(one, key) == getattr(first, key) for one in values)}  # fmt: skip
    return Value(is_tensor=first.is_tensor, **same)
