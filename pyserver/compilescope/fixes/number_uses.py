"""Whether a function works as well with a tensor in the place of a number, and what has to change in it for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parso.python import tree

from compilescope.fixes import names, source, variables
from compilescope.fixes.values import Values

if TYPE_CHECKING:
    from parso.tree import NodeOrLeaf

    from compilescope.analysis.model import Edit
    from compilescope.fixes.site import Site

_ARITHMETIC = {"+", "-", "*", "/", "**", "//", "%"}
_MATH = {
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "exp2", "expm1"),
    *("log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"),
}
"""Functions of one number that torch has by the same name."""
_NUMPY = {"exp", "expm1", "log", "log10", "log1p", "log2", "sqrt", "sin", "cos", "tan", "tanh", "square"}
_NUMBER_OR_TENSOR = {"add", "sub", "mul", "div", "pow", "lerp", "multiply", "subtract", "divide", "true_divide"}
"""Functions and methods that take a tensor where they take a number, whatever the other arguments are."""


class NotATensor(Exception):
    """A use that needs the number itself."""


class NumberUses:
    """The uses of a number in a function. `edits`: what has to change when it is a tensor."""

    def __init__(self, site: Site, function: tree.Function, name: str) -> None:
        self._file = site.source
        self._function = function
        self._values = Values(site)
        self._stacked: list[NodeOrLeaf] = []
        self.edits: list[Edit] = []
        self.names = [name]

    def check(self) -> None:
        """Raise NotATensor where the number itself is needed."""
        for name in self.names:
            if variables.is_shared(self._file, self._function, name):
                raise NotATensor
            for leaf in variables.uses(self._file, self._function, name):
                if names.scope_of(leaf) is not self._function:
                    raise NotATensor
                if not leaf.is_definition(include_setitem=False):
                    self._follow(leaf)
        numbers = set(self.names)
        if any(not variables.read_in(one) & numbers for one in self._stacked):
            raise NotATensor

    def _follow(self, node: NodeOrLeaf) -> None:
        """Go from a number to what is made of it, until that is a tensor anyway or gets a name."""
        while True:
            parent = node.parent
            if parent is None:
                raise NotATensor
            if parent.type == "atom" and source.code(parent).startswith("("):
                node = parent
            elif parent.type in {"arith_expr", "term", "power", "factor"}:
                if self._makes_tensor(parent, node):
                    return
                node = parent
            elif parent.type == "expr_stmt":
                self._assigned(parent, node)
                return
            else:
                call = self._call(node)
                if call is None:
                    return
                node = call

    def _makes_tensor(self, expression: NodeOrLeaf, node: NodeOrLeaf) -> bool:
        """Whether arithmetic with the number gives a tensor already now."""
        operands = [one for one in source.children(expression) if one.type != "operator"]
        signs = {source.code(one) for one in source.children(expression) if one.type == "operator"}
        if not signs <= _ARITHMETIC or any(one.type == "trailer" for one in operands):
            raise NotATensor
        return any(one is not node and self._values.is_tensor(one) for one in operands)

    def _assigned(self, statement: NodeOrLeaf, node: NodeOrLeaf) -> None:
        match source.children(statement):
            case [tree.Name() as target, sign, value] if value is node and source.code(sign) == "=":
                if target.value not in self.names:
                    self.names.append(target.value)
            case [tree.Name() as target, sign, value] if value is node and source.code(sign) in {
                "+=",
                "-=",
                "*=",
                "/=",
            }:
                before = self._values.before(target.value, statement)
                if before is None or not before.is_tensor:
                    raise NotATensor
            case _:
                raise NotATensor

    def _call(self, node: NodeOrLeaf) -> NodeOrLeaf | None:
        """Return the call that gives a number made of this one; None for one that gives a tensor anyway."""
        listed = node
        while listed.parent is not None and listed.parent.type in {"testlist_comp", "atom"}:
            listed = listed.parent
        trailer = listed.parent
        if trailer is not None and trailer.type == "arglist":
            trailer = trailer.parent
        call = trailer.parent if trailer is not None and trailer.type == "trailer" else None
        if trailer is None or call is None or not source.is_call(call) or source.children(call)[-1] is not trailer:
            raise NotATensor
        parts, given = source.children(call)[:-1], source.arguments(call)
        whole = names.whole(self._file, parts)
        module, _, function = whole.rpartition(".")
        if whole == "torch.tensor" and given[0] is listed:
            self._tensor_of(call, listed, given)
            return None
        if listed is not node:
            raise NotATensor
        if given == [node] and ((module == "math" and function in _MATH) or (module == "numpy" and function in _NUMPY)):
            self._add(self._file.replaced_through(parts[0], parts[-1], f"{self._torch}.{function}"))
            return call
        method = source.code(parts[-1])[1:]
        on_tensor = len(parts) > 1 and not whole and self._values.of_parts(parts[:-1])
        if on_tensor and on_tensor.is_tensor and method.rstrip("_") in _NUMBER_OR_TENSOR and node in given:
            return None
        others = [one for one in given if one is not node] if node in given and module == "torch" else []
        if function in _NUMBER_OR_TENSOR and any(map(self._values.is_tensor, others)):
            return None
        raise NotATensor

    def _tensor_of(self, call: NodeOrLeaf, listed: NodeOrLeaf, given: list[NodeOrLeaf]) -> None:
        """Let `torch.tensor` take what is one already, and a list of some."""
        parts = source.children(call)[:-1]
        if listed.type != "atom":
            self._add(self._file.replaced_through(parts[0], parts[-1], f"{self._torch}.as_tensor"))
            return
        inner = source.children(listed)
        elements = [one for one in source.children(inner[1]) if one.type != "operator"]
        if len(given) > 1 or source.code(inner[0]) != "[" or inner[1].type != "testlist_comp":
            raise NotATensor
        if any(one.type in {"comp_for", "sync_comp_for", "star_expr", "number"} for one in elements):
            raise NotATensor
        self._stacked += elements
        self._add(self._file.replaced_through(parts[0], parts[-1], f"{self._torch}.stack"))

    @property
    def _torch(self) -> str:
        return self._file.names_module("torch") or "torch"

    def _add(self, edit: Edit) -> None:
        if edit not in self.edits:
            self.edits.append(edit)
