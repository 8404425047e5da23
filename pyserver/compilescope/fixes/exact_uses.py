"""What gives the same with a tensor in the place of a number that was taken out of one: not even rounded otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.fixes.tensor_uses import AsTensor

if TYPE_CHECKING:
    from compilescope.fixes.value import Value

WIDE = {"float": "float64", "int": "int64"}
"""The dtypes that compute as Python does."""
_DEFAULT = {"float": "float32", "int": "int64"}
"""What Python's numbers become beside a tensor of a lower kind."""
_SAFE = {"float": {"+", "-", "*", "/", "%", "**"}, "int": {"+", "-", "*", "//", "%"}}
_ORDER = {"bool": 0, "int": 1, "float": 2}
_HALVES = {"float16", "bfloat16"}
_AT_LEAST_32_BITS = {"float32", "float64", "int32", "int64"}


class AsExactTensor(AsTensor):
    """As for any tensor, but alone it has to compute as a number does: in 64 bits."""

    def _alone(self, numbers: list[Value | None], operators: set[str]) -> bool:
        kind = self._value.kind or ""
        if not numbers and kind == "float":
            return True  # a sign, abs
        if self._value.dtype != WIDE.get(kind, "") or not operators <= _SAFE[kind]:
            return False
        allowed = {"bool", "int", kind} if operators else {kind}
        return all(one is not None and one.kind in allowed for one in numbers)

    def _is_comparable(self) -> bool:
        return False

    def _keeps_dtype(self, other: Value) -> bool:
        own = self._value
        if own.kind not in _ORDER or other.kind not in _ORDER:
            return False
        if _ORDER[own.kind] > _ORDER[other.kind]:
            return own.dtype == _DEFAULT[own.kind]
        if _ORDER[own.kind] < _ORDER[other.kind]:
            return own.kind == "bool" or self._has_32_bits(other)
        if own.dtype is not None and own.dtype == other.dtype:
            return True
        # without dimensions a tensor takes the dtype of one with some, as a number does
        return other.has_dimensions and own.dtype in _AT_LEAST_32_BITS and self._has_32_bits(other)

    def _has_32_bits(self, other: Value) -> bool:
        """Whether a dtype has 32 bits or more: to fewer, a number is not always converted before it is used."""
        if other.dtype in _AT_LEAST_32_BITS:
            return True
        known = {one.dtype for one in self._values.guarded.values()}
        return other.kind == "float" and other.dtype not in _HALVES and not known & _HALVES
