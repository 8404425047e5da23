"""What gives the same with a tensor of no dimensions in the place of a Python number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.fixes import names, source
from compilescope.fixes.value import FLOAT

if TYPE_CHECKING:
    from parso.python import tree
    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.site import Site
    from compilescope.fixes.value import Value
    from compilescope.fixes.values import Values

_ORDER = {"bool": 0, "int": 1, "float": 2}
BINARY = frozenset(
    {*("add", "sub", "mul", "div", "true_divide", "pow", "fmod", "remainder", "floor_divide"),
     *("eq", "ne", "gt", "lt", "ge", "le")}
)  # fmt: skip
IN_PLACE = frozenset({"add_", "sub_", "mul_", "div_", "pow_", "fill_"})
_MATH = frozenset(
    {"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
)
RAISES = "Where a Python number raises an error (a division by zero, the logarithm of 0), a tensor gives inf or NaN."


class AsTensor:
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
        """Whether an operation with others gives the same."""
        self.may_raise = self.may_raise or bool(operators & {"/", "//", "%"})
        if operators & {"@", "~"} or (self._value.kind == "bool" and operators - {"+", "*"}):
            return False
        return self._in_turn([one for one in source.children(node) if one.type != "operator"], others, operators)

    def comparison(self, node: NodeOrLeaf, others: list[NodeOrLeaf]) -> bool | None:
        """Whether a comparison with another gives the same."""
        signs = {source.code(one) for one in source.children(node)[1::2]}
        if len(others) != 1 or not signs <= {"<", ">", "<=", ">=", "==", "!="}:
            return False
        return self._beside(others, {"<"}) if self._values.is_tensor(others[0]) or self._is_comparable() else False

    def argument(self, call: list[NodeOrLeaf], given: NodeOrLeaf, name: str) -> bool | None:
        """Whether a function gives the same; `math`'s become torch's."""
        whole = names.whole(self._file, call[:-1])
        others = [one for one in source.arguments_in(call[-1]) if one is not given]
        module, _, function = whole.rpartition(".")
        if module == "torch" and not name:
            allowed = self._beside(others, {"<"}) if function in BINARY and len(others) == 1 else False
            return allowed or False
        if whole == "abs" or (whole in {"min", "max"} and len(others) == 1 and not name):
            return False if self._beside(others, set()) is not None else None
        if whole == "float" and self._value.kind == "float" and not others:
            self._rename(call, "")
            return None
        if module == "math" and function in _MATH and not others and not name and self._alone([FLOAT], set()):
            self.may_raise = True
            self._rename(call, f"torch.{function}")
            return None
        return False if whole or others else self._method(call, name)

    def index(self, base: list[NodeOrLeaf], *, is_slice: bool) -> bool:
        """Never: torch asks for the value of an index without dimensions."""
        del base, is_slice
        return False

    def returned(self, node: NodeOrLeaf) -> bool:
        """Never: callers would get another type."""
        del node
        return False

    def stored(self, target: NodeOrLeaf) -> bool:
        """Whether it is an element of a tensor that is set."""
        return is_element(target, self._values)

    def augmented(self, name: tree.Name, value: NodeOrLeaf) -> bool:
        """Never: a tensor would be changed in place."""
        del name, value
        return False

    def _rename(self, call: list[NodeOrLeaf], name: str) -> None:
        edit = self._file.replaced_through(call[0], call[-2], name)
        if edit not in self.edits:
            self.edits.append(edit)

    def _method(self, call: list[NodeOrLeaf], name: str) -> bool:
        base, function = method_of(call, self._values)
        if base is None:
            return False
        if function in {"clamp", "clip"}:
            return name in {"min", "max"} and self._keeps_dtype(base)
        return not name and function in BINARY | IN_PLACE | {"clamp_min", "clamp_max"} and self._keeps_dtype(base)

    def _in_turn(self, operands: list[NodeOrLeaf], others: list[NodeOrLeaf], operators: set[str]) -> bool | None:
        """Whether operations from left to right give the same, with numbers first or with a tensor; None: to follow."""
        at = next(index for index, one in enumerate(operands) if one not in others)
        if any(map(self._values.is_tensor, operands[:at])):
            return self._beside(operands[:at], operators)
        after = operands[at + 1 :]
        tensor = next((index for index, one in enumerate(after) if self._values.is_tensor(one)), len(after))
        numbers = operands[:at] + after[:tensor]
        if (numbers or not others) and self._beside(numbers, operators) is False:
            return False
        return self._beside([after[tensor]], operators) if tensor < len(after) else None

    def _beside(self, others: list[NodeOrLeaf], operators: set[str]) -> bool | None:
        found = [self._values.of(one) for one in others]
        tensors = [one for one in found if one is not None and one.is_tensor]
        if tensors:
            return all(map(self._keeps_dtype, tensors))
        return None if self._alone(found, operators) else False

    def _alone(self, numbers: list[Value | None], operators: set[str]) -> bool:
        """Whether what it gives with numbers is good enough."""
        del self, operators
        return None not in numbers

    def _is_comparable(self) -> bool:
        """Whether a comparison with a number may be followed."""
        return bool(self._value.kind)

    def _keeps_dtype(self, other: Value) -> bool:
        """Whether a tensor gives the same dtype with ours as with a number."""
        own = self._value
        if own.kind is None or other.kind is None:
            return own.kind == other.kind or other.shape != ()
        if _ORDER.get(own.kind, 3) > _ORDER.get(other.kind, 3):
            return own.dtype == "float32"
        return other.shape != () or own.dtype == other.dtype or _ORDER[own.kind] < _ORDER[other.kind]


def is_element(target: NodeOrLeaf, values: Values) -> bool:
    """Whether what is assigned to is an element of a tensor."""
    parts = source.children(target)
    base = values.of_parts(parts[:-1]) if source.code(parts[-1]).startswith("[") else None
    return base is not None and base.is_tensor


def method_of(call: list[NodeOrLeaf], values: Values) -> tuple[Value | None, str]:
    """Return the tensor and the name of the method that a call calls; no tensor when it calls anything else."""
    text = source.code(call[-2])
    if len(call) <= len(["f", "()"]) or not text.startswith("."):
        return None, ""
    base = values.of_parts(call[:-2])
    return base if base is not None and base.is_tensor else None, text[1:].strip()
