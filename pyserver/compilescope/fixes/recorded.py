"""What the guards of a function's compiles say that its variables and attributes were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.fixes.value import SIZED, TENSOR, Value, common

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.guards import Guarded
    from compilescope.fixes.site import Site

# torch/_dynamo/guards.py, TENSOR_MATCH of 2.9 to 2.14
_TENSOR = re.compile(r"torch\.(\w+), device=\S+?, requires_grad=(?:True|False), size=\[([^\]]*)\]")
_BACKEND = re.compile(r"DispatchKeySet\((\w+)")
_FLOATS = {"float64", "float32", "float16", "bfloat16"}
_INTS = {"int64", "int32", "int16", "int8", "uint8"}
_DEEPEST = 40


def values(site: Site) -> dict[str, Value]:
    """Return what variables and attributes were in all compiles of the function that a finding is in."""
    found: dict[str, list[Value]] = {}
    for value in _all_of(site):
        if (known := _guarded(value)) is not None:
            found.setdefault(value.expression, []).append(known)
    # what is reached in a second way is guarded in the first alone
    shared = {expression: common([one for one in each if one != TENSOR] or each) for expression, each in found.items()}
    return {expression: value for expression, value in shared.items() if value is not None}


def types(site: Site) -> dict[str, str]:
    """Return the types of what the guards name: `self.lin` is a `torch.nn.modules.linear.Linear`."""
    return {value.expression: value.type for value in _all_of(site) if value.type}


def backends(site: Site) -> set[str]:
    """Return torch's names of the devices' backends that the tensors in guards are on: `CPU`, `CUDA`, `MPS`."""
    codes = (guard.code for value in _all_of(site) for guard in value.guards if guard.kind == "TENSOR_MATCH")
    return {match[1] for code in codes if (match := _BACKEND.search(code))}


def _all_of(site: Site) -> Iterator[Guarded]:
    ours = _compiles_of(site)
    for guards in site.result.guards:
        if guards.compile_id in ours:
            yield from _all(guards.root, 0)


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


def _all(value: Guarded, depth: int) -> Iterator[Guarded]:
    yield value
    if depth < _DEEPEST:
        for child in value.children:
            yield from _all(child, depth + 1)


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
