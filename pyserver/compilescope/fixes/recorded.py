"""What the guards of a function's compiles say that its variables and attributes were."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from compilescope.fixes.value import SIZED, TENSOR, Value, common

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.analysis.guards import Guarded, GuardTree
    from compilescope.fixes.site import Site

# torch/_dynamo/guards.py, TENSOR_MATCH of 2.9 to 2.14
_TENSOR = re.compile(r"torch\.(\w+), device=\S+?, requires_grad=(?:True|False), size=\[([^\]]*)\]")
_BACKEND = re.compile(r"DispatchKeySet\((\w+)")
_FLOATS = {"float64", "float32", "float16", "bfloat16"}
_INTS = {"int64", "int32", "int16", "int8", "uint8"}


class Recorded:
    """What the guards of some compiles say."""

    def __init__(self, trees: Iterable[GuardTree]) -> None:
        self._all = [value for tree in trees for value in _below(tree.root)]

    @cached_property
    def values(self) -> dict[str, Value]:
        """What variables and attributes were in all of the compiles."""
        found: dict[str, list[Value]] = {}
        for value in self._all:
            if (known := _guarded(value)) is not None:
                found.setdefault(value.expression, []).append(known)
        # what is reached in a second way is guarded in the first alone
        shared = {name: _common(name, [one for one in each if one != TENSOR] or each) for name, each in found.items()}
        return {name: value for name, value in shared.items() if value is not None}

    @cached_property
    def types(self) -> dict[str, str]:
        """The types of what the guards name: `self.lin` is a `torch.nn.modules.linear.Linear`."""
        return {value.expression: value.type for value in self._all if value.type}

    @cached_property
    def backends(self) -> set[str]:
        """Torch's names of the devices' backends that the tensors in guards are on: `CPU`, `CUDA`, `MPS`."""
        codes = (guard.code for value in self._all for guard in value.guards if guard.kind == "TENSOR_MATCH")
        return {match[1] for code in codes if (match := _BACKEND.search(code))}

    @cached_property
    def checks(self) -> list[str]:
        """The text of every check."""
        return [guard.code for value in self._all for guard in value.guards]


def _common(expression: str, each: list[Value]) -> Value | None:
    """Return what a value was in all compiles; sizes that changed from one to another are those of this value."""
    value = common(each)
    if value is None or not value.is_tensor or value.shape is not None or any(one.shape is None for one in each):
        return value
    dimensions = all(one.has_dimensions for one in each)
    return replace(value, shape=frozenset({f"{SIZED if dimensions else ''}{expression}"}))


def of(site: Site) -> Recorded:
    """Return what the guards say of the very function that a finding is in."""
    return site.recorded(frozenset(_compiles_of(site)))


def _compiles_of(site: Site) -> set[str]:
    """The compiles of the function that a finding is in: none when it was inlined into another."""
    function = site.function
    if function is None:
        return set()
    parent = function.parent
    first = (parent if parent is not None and parent.type == "decorated" else function).start_pos[0]
    name = function.name.value if function.type == "funcdef" else "<lambda>"
    return {
        one.id
        for one in site.result.compiles
        if one.file == site.source.file and one.function == name and first <= one.line <= function.end_pos[0]
    }


def _below(root: Guarded) -> Iterator[Guarded]:
    """Yield a value and all that is reached through it, in the order of the tree."""
    waiting = [root]
    while waiting:
        value = waiting.pop()
        waiting += reversed(value.children)
        yield value


def _guarded(value: Guarded) -> Value | None:
    """What a value's guards say that it is."""
    for guard in value.guards:
        match = _TENSOR.search(guard.code) if guard.kind == "TENSOR_MATCH" else None
        if match is not None:
            return _tensor(match, value.expression)
    if value.type in {"float", "int", "bool"}:
        return Value(is_tensor=False, kind=value.type, shape=())
    return TENSOR if value.type in {"torch.Tensor", "torch.nn.parameter.Parameter"} else None


def _tensor(match: re.Match[str], expression: str) -> Value:
    dtype, sizes = match.groups()
    kind = "float" if dtype in _FLOATS else "int" if dtype in _INTS else "bool" if dtype == "bool" else None
    numbers = [one.strip() for one in sizes.split(",") if one.strip()]
    fixed = all(one.isdecimal() for one in numbers)
    return Value(
        is_tensor=True,
        kind=kind,
        dtype=dtype,
        shape=tuple(map(int, numbers)) if fixed else frozenset({SIZED + expression}),
    )
