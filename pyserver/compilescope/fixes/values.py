"""What an expression gave in the recorded run, as far as guards and text tell: a tensor of which dtype and shape.

Nothing is guessed: what can't be told is unknown. Sizes and dtypes are those of the recorded compile.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, recorded, source, variables
from compilescope.fixes import torch_names as known
from compilescope.fixes.value import (
    BOOL,
    FLOAT,
    INT,
    SIZED,
    TENSOR,
    Value,
    as_tensor,
    common,
    number,
    promoted,
    reduced,
)

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.fixes.site import Site

_DEEPEST = 40
_MOST = 2000
"""Names that are looked up for one finding: values that depend on one another may be looked up often."""


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
                value = number(node.value)
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
        return promoted(operator, self.before(name, value), given) if operator else given

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
        return recorded.of(self._site).values

    @cached_property
    def _types(self) -> dict[str, str]:
        return recorded.of(self._site).types

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
            before, value = value, common(certain)
            if attempt and value == before:
                return value
        return None

    def _bound(self, binding: tree.Name) -> Value | None:
        given = variables.assigned(binding)
        if given is not None:
            return self.of(given)
        more = variables.augmented(binding)
        if more is not None:
            return self.of_part(more[1], binding.value, more[0])
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
        type_ = self._types.get("".join(source.code(one) for one in parts[:-1]), "")
        if type_.startswith("torch.nn.modules.") and type_.rpartition(".")[2] in known.PURE_MODULES:
            place = f"{SIZED}{type_} at {parts[0].start_pos}"
            shape = frozenset({place}) if type_.rpartition(".")[2] in known.SIZED_MODULES else None
            return replace(TENSOR, kind="float", shape=shape)
        return None

    def _function(self, function: str, given: list[NodeOrLeaf]) -> Value | None:
        if function not in known.TENSORS:
            return None
        first = self.of(given[0]) if given and given[0].type != "argument" else None
        if function in known.BINARY | known.DIVIDING | known.COMPARING and len(given) > 1:
            second = self.of(given[1])
            return as_tensor(promoted(function, first, second))
        if first is not None and first.is_tensor:
            return self._method(first, function, given[1:])
        return TENSOR

    def _method(self, base: Value, method: str, arguments: list[NodeOrLeaf]) -> Value | None:
        value: Value | None = TENSOR
        given = [source.children(one)[-1] if one.type == "argument" else one for one in arguments]
        if any(source.code(one).startswith(("dtype", "out", "device")) for one in arguments if one.type == "argument"):
            value = TENSOR if method in known.TENSORS else None
        elif method == "item":
            value = {"float": FLOAT, "int": INT, "bool": BOOL}.get(base.kind or "")
        elif method in known.OTHER_DTYPE and not given:
            kind, dtype = known.OTHER_DTYPE[method]
            value = replace(base, kind=kind, dtype=dtype)
        elif method not in known.TENSORS:
            value = None
        elif method in known.BINARY | known.DIVIDING | known.COMPARING:
            value = as_tensor(promoted(method, base, self.of(given[0]) if given else None))
        elif method in known.RESHAPING and (method != "view" or all(self.of(one) == INT for one in given)):
            value = replace(base, shape=None)
        elif method in {"cumsum", "cumprod"} and base.kind in {"int", "bool"}:
            value = replace(base, kind="int", dtype="int64")
        elif method in known.SAME_SHAPE:
            value = self._same_shape(base, method, given)
        elif method in known.REDUCING:
            value = reduced(base, method, whole=not given)
        return value

    def _same_shape(self, base: Value, method: str, given: list[NodeOrLeaf]) -> Value:
        bounds = [self.of(one) for one in given] if method in known.CLAMPING else []
        if any(one not in {INT, FLOAT} for one in bounds):
            return TENSOR
        is_kept = base.kind == "float" or method in known.SAME_DTYPE or (bool(bounds) and FLOAT not in bounds)
        return base if is_kept else replace(TENSOR, shape=base.shape)

    def _binary(self, inner: list[NodeOrLeaf]) -> Value | None:
        value = self.of(inner[0])
        for operator, operand in zip(inner[1::2], inner[2::2], strict=False):
            value = promoted(source.code(operator), value, self.of(operand))
        return value

    def _comparison(self, inner: list[NodeOrLeaf]) -> Value | None:
        if len(inner) != len("a<b"):
            return None
        if source.code(inner[1]) not in {"<", ">", "<=", ">=", "==", "!="}:
            return BOOL
        return promoted("eq", self.of(inner[0]), self.of(inner[2]))


def _is_used_as_tensor(name: tree.Name) -> bool:
    after = name.get_next_sibling()
    parent = name.parent
    if after is None or parent is None or parent.type not in {"atom_expr", "power"} or parent.children[0] is not name:
        return False
    return after.type == "trailer" and source.code(after)[1:].strip() in known.TENSOR_ONLY
