"""Which expressions of a function are tensors, as far as its own text says so. What is not clear is none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from compilescope.hints.words import FUNCTIONS, NUMBERS, OF_TENSORS, ONE_RESULT, ONLY_TENSORS, SHOWN, SURE

if TYPE_CHECKING:
    from collections.abc import Iterator

TWO_RESULTS = frozenset({"max", "min", "median", "mode", "std_mean", "var_mean", "cummax", "cummin", "sort", "topk"})
"""With a dimension they give values and indices."""
BOOLS = frozenset({"isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge", "bool", "logical_not", "isclose"})
ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "data", "grad", "real", "imag"})
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TWO = 2


class Tensors:
    """What is a tensor in one function. `torch`: what imported names stand for. `layers`: those of the file itself."""

    def __init__(
        self, function: ast.FunctionDef, torch: dict[str, str], owner: ast.ClassDef | None, layers: set[str]
    ) -> None:
        self._torch = torch
        self._own, own_layers = of_object(owner, torch, "self.") if owner is not None else (set(), set())
        self._layers = layers | own_layers
        self._bound = _bindings(function)
        self.names = self._sure(function)
        self._masks = {
            name for name, values in self._bound.items() if values and all(map(self._is_mask, values)) and values[0]
        }

    def is_tensor(self, node: ast.expr | None) -> bool:
        """Whether an expression is surely a tensor."""
        return node is not None and self._is_tensor(node, self.names)

    def is_mask(self, node: ast.expr | None) -> bool:
        """Whether an expression is surely a tensor of bools."""
        if isinstance(node, ast.Name):
            return node.id in self._masks
        return self._is_mask(node)

    def torch_function(self, call: ast.Call) -> str | None:
        """`nonzero` for a call of `torch.nonzero`; None for what is no function of torch or `F`."""
        *module, name = ast.unparse(call.func).split(".")
        where = ".".join([self._torch.get(module[0], ""), *module[1:]]) if module else self._torch.get(name, "")
        if module:
            return name if where in {"torch", "torch.nn.functional", "torch.linalg", "torch.special"} else None
        return where.removeprefix("torch.") if where.startswith("torch.") and where.count(".") == 1 else None

    def _is_mask(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.Compare):
            return self.is_tensor(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self.is_mask(node.operand) if isinstance(node.operand, ast.Name) else self._is_mask(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
            return self._is_mask(node.left) or self._is_mask(node.right)
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            return name in BOOLS and self.is_tensor(node)
        return False

    def _sure(self, function: ast.FunctionDef) -> frozenset[str]:
        """The names all of whose values are tensors: the largest such set that stands on a tensor each."""
        parameters = list(_parameters(function))
        annotated = {one.arg for one in parameters if _is_annotated(one)}
        shown = self._used_as_tensors(function, SHOWN) & {one.arg for one in parameters if one.annotation is None}
        sure = self._used_as_tensors(function, SURE) & self._bound.keys()
        given = annotated | shown | sure
        others = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} - given
        names = {name for name in {*self._bound, *given} if name not in others}
        while True:
            kept = {
                name
                for name in names
                if (name in given or any(self._stands(value, names - {name}) for value in self._bound[name]))
                and all(self._fits(value, names, known=name in sure) for value in self._bound.get(name, []))
            }
            if kept == names:
                return frozenset(names)
            names = kept

    def _fits(self, value: ast.expr | None, names: set[str], *, known: bool) -> bool:
        """Whether a name that is given a value may stay one of a tensor; `known`: it is used as only tensors are."""
        if value is not None and self._is_tensor(value, names):
            return True
        if not known or isinstance(value, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.Dict):
            return False
        called = value.func if isinstance(value, ast.Call) else None
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        return name not in NUMBERS

    def _stands(self, value: ast.expr | None, names: set[str]) -> bool:
        return value is not None and self._is_tensor(value, names)

    def _used_as_tensors(self, function: ast.FunctionDef, methods: frozenset[str]) -> set[str]:
        """Names that get one of these methods, or are passed to such a function of torch first."""
        found = set()
        for node in ast.walk(function):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.attr in methods:
                found.add(called.value.id)
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Name) and self.torch_function(node) in ONLY_TENSORS:
                found.add(first.id)
        return found

    def _is_tensor(self, node: ast.expr, names: set[str] | frozenset[str]) -> bool:
        match node:
            case ast.Name():
                found = node.id in names
            case ast.BinOp():
                found = self._is_tensor(node.left, names) or self._is_tensor(node.right, names)
            case ast.UnaryOp():
                found = not isinstance(node.op, ast.Not) and self._is_tensor(node.operand, names)
            case ast.Compare():
                compared = any(self._is_tensor(one, names) for one in (node.left, *node.comparators))
                found = compared and all(isinstance(one, COMPARISONS) for one in node.ops)
            case ast.Subscript():
                found = self._is_tensor(node.value, names)
            case ast.Attribute():
                of_tensor = node.attr in ATTRIBUTES and self._is_tensor(node.value, names)
                found = of_tensor or ast.unparse(node) in self._own
            case ast.IfExp():
                found = self._is_tensor(node.body, names) and self._is_tensor(node.orelse, names)
            case ast.Call():
                found = self._gives_tensor(node, names)
            case _:
                found = False
        return found

    def _gives_tensor(self, call: ast.Call, names: set[str] | frozenset[str]) -> bool:
        name = self.torch_function(call)
        if name is not None:
            return name in FUNCTIONS and not _has_two_results(name, call, skip=1)
        if ast.unparse(call.func) in self._layers:
            return True
        if isinstance(call.func, ast.Attribute) and self._is_tensor(call.func.value, names):
            return call.func.attr in OF_TENSORS and not _has_two_results(call.func.attr, call, skip=0)
        return False


def _has_two_results(name: str, call: ast.Call, *, skip: int) -> bool:
    is_alone = len(call.args) <= skip and not call.keywords
    if name in {"where", "nonzero"}:
        return len(call.args) + len(call.keywords) < TWO + skip if name == "where" else not is_alone
    return name in TWO_RESULTS and not is_alone


def _parameters(function: ast.FunctionDef) -> Iterator[ast.arg]:
    """The parameters that may be tensors: those with a default other than None only when they are annotated so."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = [*zip(positional, [*defaults, *arguments.defaults], strict=True)]
    pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    for one, default in pairs:
        if default is None or _is_annotated(one):
            yield one


def _is_annotated(parameter: ast.arg) -> bool:
    return parameter.annotation is not None and ast.unparse(parameter.annotation) in {"Tensor", "torch.Tensor"}


def _bindings(function: ast.FunctionDef) -> dict[str, list[ast.expr | None]]:
    """What each name of a function is given; None where that is not one expression (loops, unpacking, imports)."""
    found: dict[str, list[ast.expr | None]] = {}
    simple: set[ast.AST] = set()
    for node in ast.walk(function):
        targets: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            targets = [(one, node.value) for one in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = [(node.target, node.value)]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            targets = [(node.target, ast.BinOp(load, node.op, node.value))]
        for target, value in targets:
            if isinstance(target, ast.Name):
                simple.add(target)
                found.setdefault(target.id, []).append(value)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del) and node not in simple:
            found.setdefault(node.id, []).append(None)
    return found


def of_object(owner: ast.AST, torch: dict[str, str], prefix: str) -> tuple[set[str], set[str]]:
    """Return the parameters and buffers that a class (or a module, without a prefix) makes, and its layers.

    Layers are those of torch that give one tensor.
    """
    tensors, layers = set(), set()
    for node in ast.walk(owner) if prefix else getattr(owner, "body", ()):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "self.register_buffer" and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant):
                tensors.add(f"self.{name.value!s}")
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            target, made = ast.unparse(node.targets[0]), ast.unparse(node.value.func)
            where, _, kind = made.rpartition(".")
            first, _, rest = where.partition(".")
            whole = ".".join(filter(None, [torch.get(first, ""), rest]))
            if not target.startswith(prefix) or whole != "torch.nn":
                continue
            if kind == "Parameter":
                tensors.add(target)
            elif kind in ONE_RESULT or kind.startswith(("Conv", "BatchNorm")):
                layers.add(target)
    return tensors, layers
