"""What torch can trace with a number that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.fixes import names, source
from compilescope.fixes import torch_names as known
from compilescope.fixes.tensor_uses import BINARY, IN_PLACE, is_element, method_of

if TYPE_CHECKING:
    from parso.python import tree
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site
    from compilescope.fixes.values import Values

_SLICES_SINCE = (2, 13)
"""Older ones have to know whether the bound is negative (seen with 2.9)."""
_CREATING = frozenset({"zeros", "ones", "empty", "full", "arange", "new_zeros", "new_ones", "new_full", "new_empty"})


class AsSymbol:
    """What torch can trace with a number that it does not know. `is_size`: one of them is a size."""

    def __init__(self, site: Site, values: Values) -> None:
        self._file = site.source
        self._values = values
        self._slices = site.torch_version >= _SLICES_SINCE
        self.is_size = False

    def arithmetic(self, node: NodeOrLeaf, operators: set[str], others: list[NodeOrLeaf]) -> bool | None:
        """Whether an operation with others can be traced."""
        del node
        if operators & {"@", "~"} or any(one.type in {"string", "strings", "fstring"} for one in others):
            return False
        found = [self._values.of(one) for one in others]
        if any(one is not None and one.is_tensor for one in found):
            return True
        return None if all(one is not None for one in found) else False

    def comparison(self, node: NodeOrLeaf, others: list[NodeOrLeaf]) -> bool | None:
        """Whether a comparison gives a tensor, and no truth value."""
        del node
        return all(map(self._values.is_tensor, others))

    def argument(self, call: list[NodeOrLeaf], given: NodeOrLeaf, name: str) -> bool | None:
        """Whether a function takes a symbol."""
        del name
        whole = names.whole(self._file, call[:-1])
        function = whole.rpartition(".")[2]
        others = [one for one in source.arguments_in(call[-1]) if one is not given]
        if whole in {"int", "float", "abs", "math.sqrt"} or (whole in {"min", "max"} and len(others) == 1):
            return None if all(map(self._values.is_number, others)) else False
        if function == "split" or source.code(call[-2]).strip() == ".split":
            self.is_size = True
            return True
        if whole.startswith("torch."):
            self.is_size = self.is_size or function in _CREATING
            return function in BINARY | _CREATING | {"tensor"}
        base, method = method_of(call, self._values)
        if base is None or whole:
            return False
        self.is_size = self.is_size or method in _CREATING
        return method in BINARY | IN_PLACE | _CREATING | known.CLAMPING

    def index(self, base: list[NodeOrLeaf], *, is_slice: bool) -> bool:
        """Whether it bounds a slice of a tensor."""
        value = self._values.of_parts(base)
        self.is_size = self.is_size or is_slice
        return is_slice and self._slices and value is not None and value.is_tensor

    def returned(self, node: NodeOrLeaf) -> bool:
        """Always: callers get the number."""
        del node
        return True

    def stored(self, target: NodeOrLeaf) -> bool:
        """Whether it is an element of a tensor that is set."""
        return is_element(target, self._values)

    def augmented(self, name: tree.Name, value: NodeOrLeaf) -> bool:
        """Always."""
        del name, value
        return True
