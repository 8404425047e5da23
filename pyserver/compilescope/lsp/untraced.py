"""What can be traced by itself: the functions and `nn.Module` classes of a file, read from its syntax alone.

`candidates` are those that a lens is shown on: at the top of the file, compiled by nothing in it, and with tensors as
far as one can see. `at` gives whatever function or class the user points at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from compilescope.hints.compiling import Names
from compilescope.lsp.proposing import arguments, construction, signature

MODULES = ("Module", "LightningModule")
HARMLESS = ("no_grad", "inference_mode")
NO_TENSORS = {"load", "save", "manual_seed", "device", "no_grad", "randn", "rand", "zeros", "ones", "empty", "arange"}
NO_TENSORS |= {
    "full",
    "tensor",
    "randint",
    "set_default_dtype",
    "use_deterministic_algorithms",
    "compile",
    "from_numpy",
}


@dataclass(frozen=True)
class Candidate:
    """A function or class; lines from 0, `line` is where a lens goes.

    `made`, `inputs`: expressions to propose for the target and its arguments. `signature`: what is called.
    """

    line: int
    last: int
    name: str
    made: str
    inputs: str
    signature: str


def candidates(source: str) -> list[Candidate]:
    """What of a file deserves a lens, from top to bottom. Raises SyntaxError."""
    file = _File(ast.parse(source))
    compiled = file.compiled()
    found = []
    for name, node in file.definitions.items():
        if name in compiled or name.startswith("_") or isinstance(node, ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.ClassDef):
            wanted = file.is_module(node) and file.method(node, "forward") is not None
        else:
            wanted = file.takes_tensors(node)
        if wanted:
            found.append(file.candidate(node))
    return found


def at(source: str, line: int) -> Candidate | None:
    """The function, method or `nn.Module` class around a line (from 0). Raises SyntaxError."""
    file = _File(ast.parse(source))
    around = (node for node in file.definitions.values() if _first(node) <= line < (node.end_lineno or 0))
    node = next(around, None)
    if not isinstance(node, ast.ClassDef):
        return file.candidate(node) if isinstance(node, ast.FunctionDef) else None
    methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
    method = next((one for one in methods if _first(one) <= line < (one.end_lineno or 0)), None)
    if file.is_module(node) and (method is None or method.name in ("forward", "__init__")):
        return file.candidate(node) if file.method(node, "forward") is not None else None
    return None if method is None or method.name.startswith("__") else file.candidate(node, method)


class _File:
    """A file's definitions at its top, and what it compiles."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names = Names(tree)
        self._torch = _torch_names(tree)
        self.definitions = {
            node.name: node
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }

    def is_module(self, node: ast.ClassDef) -> bool:
        """Whether a class derives from `nn.Module`, through classes of this file too."""
        return any(
            name.rpartition(".")[2] in MODULES or (base is not None and self.is_module(base))
            for name, base in self._bases(node)
        )

    def method(self, node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        """A method of a class, or of the classes of this file that it derives from."""
        own = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == name), None)
        if own is not None:
            return own
        bases = (base for _, base in self._bases(node) if base is not None)
        return next((found for base in bases if (found := self.method(base, name)) is not None), None)

    def _bases(self, node: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef | None]]:
        """The bases by name, with their class when this file defines it above."""
        for base in node.bases:
            name = ast.unparse(base)
            known = self.definitions.get(name)
            yield name, known if isinstance(known, ast.ClassDef) and known.lineno < node.lineno else None

    def takes_tensors(self, node: ast.FunctionDef) -> bool:
        """Whether a function computes with tensors that it is given: they are annotated, or passed on to torch."""
        if node.name == "main" or node.name.startswith("test") or not all(map(_harmless, node.decorator_list)):
            return False
        if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(node)):
            return False
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        if any(one.annotation is not None and "Tensor" in ast.unparse(one.annotation) for one in parameters):
            return True
        names = {one.arg for one in parameters if one.annotation is None}
        calls = (one for one in ast.walk(node) if isinstance(one, ast.Call) and self._is_torch(one.func))
        return any(isinstance(part, ast.Name) and part.id in names for one in calls for part in one.args)

    def _is_torch(self, function: ast.expr) -> bool:
        """`torch.sin`, `F.relu`, `torch.nn.functional.relu`: one of torch's functions of tensors."""
        *module, name = ast.unparse(function).split(".")
        where = ".".join([self._torch.get(module[0], ""), *module[1:]]) if module else ""
        return where in ("torch", "torch.nn.functional", "torch.special", "torch.linalg") and name not in NO_TENSORS

    def candidate(self, node: ast.FunctionDef | ast.ClassDef, method: ast.FunctionDef | None = None) -> Candidate:
        """A function, a class of `nn.Module`, or a method, with what to propose for it."""
        place = method or node
        if isinstance(node, ast.FunctionDef):
            called, made, name, skip = node, node.name, node.name, 0
        else:
            forward = method or self.method(node, "forward")
            assert forward is not None
            called, init = forward, self.method(node, "__init__")
            made = construction(node.name, init, self.definitions.keys())
            name, skip = node.name, 1
            if method is not None:
                static = any(ast.unparse(one) == "staticmethod" for one in method.decorator_list)
                made, name, skip = f"{made}.{method.name}", f"{node.name}.{method.name}", int(not static)
        owner = node if isinstance(node, ast.ClassDef) else None
        shown = f"{name}.forward" if owner is not None and method is None else name
        return Candidate(
            line=_first(place),
            last=(place.end_lineno or place.lineno) - 1,
            name=name,
            made=made,
            inputs=arguments(called.args, skip, None if owner is None else self.method(owner, "__init__")),
            signature=f"{shown}({signature(called.args, skip)})",
        )

    def compiled(self) -> set[str]:
        """The names of definitions that something in the file compiles, and of those that they use."""
        found: set[str] = set()
        waiting = self._roots()
        while waiting:
            name = waiting.pop()
            if name not in found and name in self.definitions:
                found.add(name)
                waiting |= _loaded(self.definitions[name])
        return found

    def _roots(self) -> set[str]:
        """The names in what is compiled; for a variable those in what it is made of."""
        assigned: dict[str, list[ast.expr]] = {}
        nodes = list(ast.walk(self._tree))
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    assigned.setdefault(ast.unparse(target), []).append(node.value)
        roots: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and any(map(self._names.compiles, node.decorator_list)):
                roots |= {node.name} | _loaded(node)
            for one in self._compiled_by(node):
                roots |= set().union(*map(_loaded, [one, *assigned.get(ast.unparse(one), [])]))
        return roots

    def _compiled_by(self, node: ast.AST) -> list[ast.expr]:
        """What a call compiles: `torch.compile(model)`, `model.compile()`."""
        if not isinstance(node, ast.Call):
            return []
        if self._names.is_compile(node.func):
            return node.args[:1]
        return [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr == "compile" else []


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """The first line (from 0) of a definition, that of its first decorator if it has some."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1


def _loaded(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _harmless(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(name).rpartition(".")[2] in HARMLESS


def _torch_names(tree: ast.Module) -> dict[str, str]:
    """The names under which torch and its modules go in a file, with what they are."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "torch":
                    found[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "torch":
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found
