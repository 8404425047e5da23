"""A Python number made of a tensor: kept as a tensor, or captured as a symbol in the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import names, source
from compilescope.fixes import torch_names as known
from compilescope.fixes.condition import unconverted
from compilescope.fixes.configure import configured
from compilescope.fixes.follow import follows
from compilescope.fixes.value import TENSOR, Value
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.python import tree
    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.condition import Bare
    from compilescope.fixes.site import Site

_ORDER = {"bool": 0, "int": 1, "float": 2}
_BINARY = frozenset(
    {
        "add",
        "sub",
        "mul",
        "div",
        "true_divide",
        "pow",
        "fmod",
        "remainder",
        "floor_divide",
        "eq",
        "ne",
        "gt",
        "lt",
        "ge",
        "le",
    }
)
_IN_PLACE = frozenset({"add_", "sub_", "mul_", "div_", "pow_", "fill_"})
_MATH = frozenset(
    {"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
)
_CREATING = frozenset({"zeros", "ones", "empty", "full", "arange", "new_zeros", "new_ones", "new_full", "new_empty"})
_RAISES = "Where a Python number raises an error (a division by zero, the logarithm of 0), a tensor gives inf or NaN."
_CAPTURE = "torch._dynamo.config.capture_scalar_outputs = True"


def fixes(site: Site) -> Iterator[Fix]:
    """Yield how a value that became a Python number may stay in the graph."""
    node = site.node
    if not site.is_break or node is None or site.function is None or not _is_conversion(site):
        return
    values = Values(site)
    bare = unconverted(node, values)
    if not bare.conversion:
        if source.is_call(node) and source.code(source.children(node)[-2]) == ".tolist":
            yield from _captured(site, node, values, preferred=True)
        return
    kept = _kept(site, node, bare, values)
    if kept is not None:
        yield kept
    if bare.conversion != "bool" and (bare.value is None or bare.value.kind != "bool"):
        yield from _captured(site, node, values, preferred=kept is None)


def _is_conversion(site: Site) -> bool:
    detail = site.finding.detail
    said = f"{detail.get('gb_type')} {detail.get('cause')} {site.finding.reason.partition(chr(10))[0]}".lower()
    return "tensor.item" in said


def _kept(site: Site, node: NodeOrLeaf, bare: Bare, values: Values) -> Fix | None:
    text, kind = _tensor(bare)
    if text is None or site.function is None:
        return None
    dtype = bare.value.dtype if bare.value is not None and bare.conversion != "int" else "int64"
    uses = _AsTensor(site, values, Value(is_tensor=True, kind=kind, dtype=dtype, shape=()))
    if not follows(site.source, site.function, node, uses):
        return None
    needs_torch = bool(uses.edits) or "torch." in text
    return Fix(
        "Keep the value as a tensor",
        [site.source.replaced(node, text), *uses.edits, *(site.source.imported("torch") if needs_torch else [])],
        kind="keep-tensor",
        preferred=True,
        note=_RAISES if uses.may_raise else "",
    )


def _tensor(bare: Bare) -> tuple[str | None, str | None]:
    """Return a tensor without dimensions and gradient that has the number's value, and what it is; None for none."""
    value = bare.value if bare.value is not None else TENSOR
    kind = value.kind
    text = bare.text if bare.is_tight else f"({bare.text})"
    flat = "" if value.shape == () else ".reshape(())"
    if bare.conversion == "int" and kind != "int":
        return f"{text}{flat}.to(torch.int64)", "int"
    if bare.conversion == "bool" or (bare.conversion == "float" and kind != "float"):
        return None, None
    detached = "" if kind in {"int", "bool"} else ".detach()"
    return f"{text}{detached}{flat}", kind


class _AsTensor:
    """What gives the same with a tensor of no dimensions in the place of a number.

    `edits`: what that takes. `may_raise`: a number could raise an error there.
    """

    def __init__(self, site: Site, values: Values, value: Value) -> None:
        self._file = site.source
        self._values = values
        self._value = value
        self.edits: list[Edit] = []
        self.may_raise = False

    def arithmetic(self, node: NodeOrLeaf, operators: set[str], others: list[NodeOrLeaf]) -> bool | None:
        del node
        self.may_raise = self.may_raise or bool(operators & {"/", "//", "%"})
        return False if operators & {"@", "~"} else self._beside(others)

    def comparison(self, node: NodeOrLeaf, others: list[NodeOrLeaf]) -> bool | None:
        signs = {source.code(one) for one in source.children(node)[1::2]}
        if len(others) != 1 or not signs <= {"<", ">", "<=", ">=", "==", "!="}:
            return False
        return self._beside(others)

    def argument(self, call: list[NodeOrLeaf], given: NodeOrLeaf, name: str) -> bool | None:
        whole = names.whole(self._file, call[:-1])
        others = [one for one in source.arguments_in(call[-1]) if one is not given]
        module, _, function = whole.rpartition(".")
        if module == "torch" and not name:
            allowed = self._beside(others) if function in _BINARY and len(others) == 1 else False
            return allowed or False
        if whole == "abs" or (whole in {"min", "max"} and len(others) == 1 and not name):
            return False if self._beside(others) is not None else None
        if module == "math" and function in _MATH and not others and not name:
            self.may_raise = True
            self.edits.append(self._file.replaced_through(call[0], call[-2], f"torch.{function}"))
            return None
        return False if whole or others else self._method(call, name)

    def index(self, base: list[NodeOrLeaf], *, is_slice: bool) -> bool:
        del base, is_slice  # torch asks for the value of an index without dimensions
        return False

    def returned(self, node: NodeOrLeaf) -> bool:
        del node
        return False

    def stored(self, target: NodeOrLeaf) -> bool:
        parts = source.children(target)
        base = self._values.of_parts(parts[:-1]) if source.code(parts[-1]).startswith("[") else None
        return base is not None and base.is_tensor

    def augmented(self, name: tree.Name, value: NodeOrLeaf) -> bool:
        del name, value
        return False

    def _method(self, call: list[NodeOrLeaf], name: str) -> bool:
        base, function = _method(call, self._values)
        if base is None:
            return False
        if function in {"clamp", "clip"}:
            return name in {"min", "max"} and self._keeps_dtype(base)
        return not name and function in _BINARY | _IN_PLACE | {"clamp_min", "clamp_max"} and self._keeps_dtype(base)

    def _beside(self, others: list[NodeOrLeaf]) -> bool | None:
        found = [self._values.of(one) for one in others]
        tensors = [one for one in found if one is not None and one.is_tensor]
        if tensors:
            return all(map(self._keeps_dtype, tensors))
        return None if all(one is not None for one in found) else False

    def _keeps_dtype(self, other: Value) -> bool:
        """Whether a tensor gives the same dtype with ours as with a number."""
        own = self._value
        if own.kind is None or other.kind is None:
            return own.kind == other.kind or other.shape != ()
        if _ORDER.get(own.kind, 3) > _ORDER.get(other.kind, 3):
            return own.dtype == "float32"
        return other.shape != () or own.dtype == other.dtype or _ORDER[own.kind] < _ORDER[other.kind]


def _method(call: list[NodeOrLeaf], values: Values) -> tuple[Value | None, str]:
    """Return the tensor and the name of the method that a call calls; no tensor when it calls anything else."""
    text = source.code(call[-2])
    if len(call) <= len(["f", "()"]) or not text.startswith("."):
        return None, ""
    base = values.of_parts(call[:-2])
    return base if base is not None and base.is_tensor else None, text[1:].strip()


def _captured(site: Site, node: NodeOrLeaf, values: Values, *, preferred: bool) -> Iterator[Fix]:
    uses = _AsSymbol(site, values)
    edits = configured(site.source, _CAPTURE)
    if not edits or site.function is None or not follows(site.source, site.function, node, uses):
        return
    note = "Holds for all that torch compiles in this program."
    if uses.is_size:
        note += " A size depends on it: where torch then asks for its bounds, say them with torch._check(0 <= n)."
    yield Fix("Allow it: capture_scalar_outputs = True", edits, kind="capture-scalar", preferred=preferred, note=note)


class _AsSymbol:
    """What torch can trace with a number that it does not know. `is_size`: one of them is a size."""

    def __init__(self, site: Site, values: Values) -> None:
        self._file = site.source
        self._values = values
        self.is_size = False

    def arithmetic(self, node: NodeOrLeaf, operators: set[str], others: list[NodeOrLeaf]) -> bool | None:
        del node
        if operators & {"@", "~"} or any(one.type in {"string", "strings", "fstring"} for one in others):
            return False
        found = [self._values.of(one) for one in others]
        if any(one is not None and one.is_tensor for one in found):
            return True
        return None if all(one is not None for one in found) else False

    def comparison(self, node: NodeOrLeaf, others: list[NodeOrLeaf]) -> bool | None:
        del node
        return all(map(self._values.is_tensor, others))

    def argument(self, call: list[NodeOrLeaf], given: NodeOrLeaf, name: str) -> bool | None:
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
            return function in _BINARY | _CREATING | {"tensor"}
        base, method = _method(call, self._values)
        if base is None or whole:
            return False
        self.is_size = self.is_size or method in _CREATING
        return method in _BINARY | _IN_PLACE | _CREATING | known.CLAMPING

    def index(self, base: list[NodeOrLeaf], *, is_slice: bool) -> bool:
        value = self._values.of_parts(base)
        self.is_size = self.is_size or is_slice
        return is_slice and value is not None and value.is_tensor

    def returned(self, node: NodeOrLeaf) -> bool:
        del node
        return True

    def stored(self, target: NodeOrLeaf) -> bool:
        parts = source.children(target)
        base = self._values.of_parts(parts[:-1]) if source.code(parts[-1]).startswith("[") else None
        return base is not None and base.is_tensor

    def augmented(self, name: tree.Name, value: NodeOrLeaf) -> bool:
        del name, value
        return True
