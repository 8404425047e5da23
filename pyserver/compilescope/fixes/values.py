"""What an expression gave in the recorded run, as far as guards and text tell: a tensor of which dtype and shape.

Nothing is guessed: what can't be told is unknown. Sizes and dtypes are those of the recorded compile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source, variables
from compilescope.fixes import torch_names as known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parso.tree import NodeOrLeaf

    from compilescope.analysis.guards import Guarded
    from compilescope.fixes.site import Site

    Shape = tuple[int, ...] | frozenset[str]
    """Sizes where they are known, else the names of what was broadcast together: equal sets have one shape."""

_TENSOR = re.compile(r"torch\.(\w+), device=\S+?, requires_grad=(True|False), size=\[([^\]]*)\]")
_DEEPEST = 40
_MOST = 2000
"""Names that are looked up for one finding: values that depend on one another may be looked up often."""
_FLOATS = {"float64", "float32", "float16", "bfloat16"}
_INTS = {"int64", "int32", "int16", "int8", "uint8"}


@dataclass(frozen=True)
class Value:
    """An expression's value. `dtype`: of a tensor, its name or `of x`: that of the variable x. None: unknown.

    `kind` of a number is its type; that of a tensor is what its dtype belongs to.
    """

    is_tensor: bool
    kind: str | None = None
    dtype: str | None = None
    shape: Shape | None = None


FLOAT, INT, BOOL = (Value(is_tensor=False, kind=kind, shape=()) for kind in ("float", "int", "bool"))
TENSOR = Value(is_tensor=True)


class Values:
    """The values of one function's expressions."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.file = site.source
        self._assumed: dict[str, Value | None] = {}
        self._open: list[str] = []
        self._bound_to: dict[str, Value | None] = {}
        self._left = _MOST

    def of(self, node: NodeOrLeaf) -> Value | None:
        """Return what is known of an expression; None when it may be anything."""
        inner = source.children(node)
        value: Value | None = None
        match node:
            case tree.Name():
                value = self._name(node)
            case tree.Number():
                value = _number(node.value)
            case tree.Keyword():
                value = BOOL if node.value in {"True", "False"} else None
            case _ if node.type == "atom" and source.code(inner[0]) == "(":
                value = self.of(inner[1]) if len(inner) == len("(x)") else None
            case _ if node.type == "atom_expr":
                value = self._sequence(inner)
            case _ if node.type in {"arith_expr", "term", "power", "expr", "and_expr", "xor_expr"}:
                value = self._binary(inner)
            case _ if node.type == "factor":
                value = self.of(inner[1])
            case _ if node.type == "comparison":
                value = self._comparison(inner)
            case _ if node.type == "not_test":
                value = BOOL
        return value

    def of_part(self, value: NodeOrLeaf, name: str, operator: str) -> Value | None:
        """Return what `name operator value` gives; without an operator the value itself."""
        given = self.of(value)
        return _promoted(operator, self.before(name, value), given) if operator else given

    def before(self, name: str, node: NodeOrLeaf) -> Value | None:
        """Return what a variable is where a node begins."""
        return self._name(self.leaf(name, node))

    def leaf(self, name: str, node: NodeOrLeaf) -> tree.Name:
        """Return a name as it would stand where a node begins."""
        leaf = tree.Name(name, node.start_pos)
        leaf.parent = node  # type: ignore[assignment]
        return leaf

    def is_tensor(self, node: NodeOrLeaf) -> bool:
        """Whether an expression is a tensor for certain."""
        value = self.of(node)
        return value is not None and value.is_tensor

    def is_number(self, node: NodeOrLeaf) -> bool:
        """Whether an expression is a Python number for certain."""
        value = self.of(node)
        return value is not None and not value.is_tensor

    @cached_property
    def guarded(self) -> dict[str, Value]:
        """What the guards of this very function's compiles say of variables and attributes."""
        found: dict[str, list[Value]] = {}
        ours = _compiles_of(self._site)
        for guards in self._site.result.guards:
            if guards.compile_id in ours:
                for value in _all(guards.root, 0):
                    if (known_value := _guarded(value)) is not None:
                        found.setdefault(value.expression, []).append(known_value)
        common = {expression: _common(values) for expression, values in found.items()}
        return {expression: value for expression, value in common.items() if value is not None}

    @cached_property
    def modules(self) -> dict[str, str]:
        """The types of what the guards name: `self.lin` is a `torch.nn.modules.linear.Linear`."""
        ours = _compiles_of(self._site)
        trees = [guards.root for guards in self._site.result.guards if guards.compile_id in ours]
        return {value.expression: value.type for root in trees for value in _all(root, 0) if value.type}

    def _name(self, name: tree.Name) -> Value | None:
        scope = names.scope_of(name)
        bound = list(names.bindings(self.file, name.value, scope)) if scope.type in source.FUNCTIONS else []
        self._left -= 1
        if name.value in self._assumed or len(self._open) > _DEEPEST or self._left < 0:
            return self._assumed.get(name.value)
        if not bound:
            return self.guarded.get(name.value)
        only = variables.reaching(name, scope, bound)
        token = name.value if only is None else f"{name.value} of {only.start_pos}"
        if token in self._open:
            return None
        if token in self._bound_to:
            return self._bound_to[token]
        self._open.append(token)
        value = self._bound(only) if only is not None else self._settled(name.value, bound)
        self._open.pop()
        if value is None and any(map(_is_used_as_tensor, variables.uses(self.file, scope, name.value))):
            value = TENSOR
        if value is not None and value.is_tensor and only is not None:
            shape = value.shape if value.shape is not None else frozenset({token})
            value = replace(value, shape=shape, dtype=value.dtype or token)
        if not self._assumed:
            self._bound_to[token] = value
        return value

    def _settled(self, name: str, bound: list[tree.Name]) -> Value | None:
        """What all bindings of a variable give, those that read it themselves (`x = x + 1`) among them."""
        value: Value | None = None
        for attempt in range(3):
            self._assumed[name] = value
            try:
                found = [self._bound(one) for one in bound]
            finally:
                del self._assumed[name]
            certain = [one for one in found if one is not None]
            if not certain or (attempt and len(certain) < len(found)):
                return None
            before, value = value, _common(certain)
            if attempt and value == before:
                return value
        return None

    def _bound(self, binding: tree.Name) -> Value | None:
        given = variables.assigned(binding)
        if given is not None:
            return self.of(given)
        more = variables.augmented(binding)
        if more is not None:
            return self.of(more[1])
        definition = binding.get_definition()
        if isinstance(definition, tree.Param) and definition.name is binding:
            if binding.value in self.guarded:
                return self.guarded[binding.value]
            annotation = definition.annotation
            named = source.code(annotation) if annotation is not None else ""
            return TENSOR if named in {"torch.Tensor", "Tensor"} else None
        return None

    def of_parts(self, parts: list[NodeOrLeaf]) -> Value | None:
        """Return what is known of the first parts of an expression: of `a.b` in `a.b(c)`."""
        if len(parts) == 1:
            return self.of(parts[0])
        return self._sequence(parts)

    def _sequence(self, parts: list[NodeOrLeaf]) -> Value | None:
        last = source.code(parts[-1])
        expression = "".join(source.code(one) for one in parts)
        if expression in self.guarded:
            return self.guarded[expression]
        if last.startswith("("):
            return self._called(parts)
        base = self.of_parts(parts[:-1])
        if base is None or not base.is_tensor:
            return None
        if last.startswith("["):
            return replace(TENSOR, kind=base.kind, dtype=base.dtype)
        return replace(base, shape=None) if last in {".T", ".mT", ".H", ".data"} else None

    def _called(self, parts: list[NodeOrLeaf]) -> Value | None:
        given = source.arguments_in(parts[-1])
        whole = names.whole(self.file, parts[:-1])
        if whole.startswith("torch."):
            return self._function(whole.rpartition(".")[2], given)
        if whole in {"float", "int", "bool", "len"}:
            return {"float": FLOAT, "bool": BOOL}.get(whole, INT)
        callee = source.code(parts[-2])
        if len(parts) > len("f()") - 1 and callee.startswith("."):
            base = self.of_parts(parts[:-2])
            if base is not None and base.is_tensor:
                return self._method(base, callee[1:].strip(), given)
        type_ = self.modules.get("".join(source.code(one) for one in parts[:-1]), "")
        if type_.startswith("torch.nn.modules.") and type_.rpartition(".")[2] in known.PURE_MODULES:
            return replace(TENSOR, kind="float")
        return None

    def _function(self, function: str, given: list[NodeOrLeaf]) -> Value | None:
        if function not in known.TENSORS:
            return None
        first = self.of(given[0]) if given and given[0].type != "argument" else None
        if function in known.BINARY | known.DIVIDING | known.COMPARING and len(given) > 1:
            second = self.of(given[1])
            return _as_tensor(_promoted(function, first, second))
        if first is not None and first.is_tensor:
            return self._method(first, function, given[1:])
        return TENSOR

    def _method(self, base: Value, method: str, given: list[NodeOrLeaf]) -> Value | None:
        value: Value | None = TENSOR
        if method == "item":
            value = {"float": FLOAT, "int": INT, "bool": BOOL}.get(base.kind or "")
        elif method not in known.TENSORS:
            value = None
        elif method in known.BINARY | known.DIVIDING | known.COMPARING:
            value = _as_tensor(_promoted(method, base, self.of(given[0]) if given else None))
        elif method in known.TESTS:
            value = replace(base, kind="bool", dtype="bool")
        elif method in {"cumsum", "cumprod"} and base.kind in {"int", "bool"}:
            value = replace(base, kind="int", dtype="int64")
        elif method in known.SAME_SHAPE:
            whole = all(self.of(source.children(one)[-1] if one.type == "argument" else one) == INT for one in given)
            kept = base.kind == "float" or method in known.SAME_DTYPE or (method in known.CLAMPING and whole)
            value = base if kept else replace(TENSOR, shape=base.shape)
        elif method in known.REDUCING:
            value = _reduced(base, method, given)
        return value

    def _binary(self, inner: list[NodeOrLeaf]) -> Value | None:
        value = self.of(inner[0])
        for operator, operand in zip(inner[1::2], inner[2::2], strict=False):
            value = _promoted(source.code(operator), value, self.of(operand))
        return value

    def _comparison(self, inner: list[NodeOrLeaf]) -> Value | None:
        if len(inner) != len("a<b"):
            return None
        if source.code(inner[1]) not in {"<", ">", "<=", ">=", "==", "!="}:
            return BOOL
        return _promoted("eq", self.of(inner[0]), self.of(inner[2]))


def _number(text: str) -> Value | None:
    if text.lower().endswith("j"):
        return None
    return INT if re.fullmatch(r"[\d_]+|0[xob].*", text, re.IGNORECASE) else FLOAT


def _promoted(operation: str, first: Value | None, second: Value | None) -> Value | None:
    """What an operation of two values gives; a tensor as soon as one of them is one."""
    tensors = [one for one in (first, second) if one is not None and one.is_tensor]
    if not tensors:
        if first is None or second is None:
            return None
        return BOOL if operation == "eq" else FLOAT if "float" in (first.kind, second.kind) or operation == "/" else INT
    shape = _broadcast(first, second)
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
    order = {"bool": 0, "int": 1, "float": 2}
    number = next((one for one in (first, second) if not one.is_tensor), None)
    if number is not None and number.kind == "float" and None in (first.kind, second.kind):
        tensor = second if number is first else first
        return "float", tensor.dtype and f"float of {tensor.dtype}"
    if first.kind not in order or second.kind not in order:
        return None, None
    high, low = sorted((first, second), key=lambda one: (order[str(one.kind)], one.is_tensor), reverse=True)
    if not high.is_tensor and order[str(high.kind)] > order[str(low.kind)]:
        return high.kind, None
    if not low.is_tensor or high.dtype == low.dtype:
        return high.kind, high.dtype
    low_is_scalar = low.shape == () and high.shape not in ((), None)
    if order[str(high.kind)] > order[str(low.kind)] or low_is_scalar:
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


def _reduced(base: Value, method: str, given: list[NodeOrLeaf]) -> Value | None:
    if given:
        return None if method in known.PAIR_WITH_DIM else Value(is_tensor=True, kind=base.kind)
    kind, dtype = base.kind, base.dtype
    if method in {"all", "any"}:
        kind, dtype = "bool", "bool"
    elif method in known.FLOAT_RESULT:
        kind = "float"
    elif method in known.INT_RESULT or (method in {"sum", "prod"} and kind in {"int", "bool"}):
        kind, dtype = "int", "int64"
    return Value(is_tensor=True, kind=kind, dtype=dtype, shape=())


def _as_tensor(value: Value | None) -> Value:
    return value if value is not None and value.is_tensor else TENSOR


def _common(values: list[Value]) -> Value | None:
    """What holds for all of several values of a variable."""
    first = values[0]
    if any(one.is_tensor != first.is_tensor for one in values):
        return None
    same = {key: getattr(first, key) for key in ("kind", "dtype", "shape")
            if all(getattr(one, key) == getattr(first, key) for one in values)}  # fmt: skip
    return Value(is_tensor=first.is_tensor, **same)


def _is_used_as_tensor(name: tree.Name) -> bool:
    after = name.get_next_sibling()
    parent = name.parent
    if after is None or parent is None or parent.type not in {"atom_expr", "power"} or parent.children[0] is not name:
        return False
    return after.type == "trailer" and source.code(after)[1:].strip() in known.TENSOR_ONLY


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
    dtype, _, sizes = match.groups()
    kind = "float" if dtype in _FLOATS else "int" if dtype in _INTS else "bool" if dtype == "bool" else None
    numbers = [one.strip() for one in sizes.split(",") if one.strip()]
    fixed = all(one.isdecimal() for one in numbers)
    return Value(
        is_tensor=True, kind=kind, dtype=dtype, shape=tuple(map(int, numbers)) if fixed else frozenset({expression})
    )
