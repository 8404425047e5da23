"""Which functions of a file are compiled, as far as the file itself says so: what it compiles, and what that calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from compilescope.hints.compiling import Names

HARMLESS = ("no_grad", "inference_mode", "enable_grad", "staticmethod", "classmethod", "compile")
"""Decorators under which a function is captured like any other."""
MODULES = ("Module", "LightningModule")


@dataclass
class Compiled:
    """A function that is compiled. `owner`: the class that it is a method of.

    `roots`: first lines (from 1) of the functions that torch.compile gets, through which this one is reached.
    """

    node: ast.FunctionDef
    owner: ast.ClassDef | None
    roots: set[int] = field(default_factory=set)


def compiled_functions(tree: ast.Module) -> list[Compiled]:
    """Return the functions of a file that are known to be compiled, from top to bottom."""
    file = _File(tree)
    found: dict[ast.FunctionDef, Compiled] = {}
    waiting = [(node, first_line(node)) for node in file.roots()]
    while waiting:
        node, root = waiting.pop()
        one = found.setdefault(node, Compiled(node, file.owners.get(node)))
        if root in one.roots:
            continue
        one.roots.add(root)
        waiting += [(called, root) for called in file.called(node) if file.may_be_captured(called)]
    return sorted(found.values(), key=lambda one: one.node.lineno)


def first_line(node: ast.FunctionDef) -> int:
    """Return the line of a function's first decorator, as its code has it."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def is_module(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether a class derives from `nn.Module`, through classes of its file too."""
    names = [ast.unparse(base) for base in node.bases]
    return any(
        name.rpartition(".")[2] in MODULES
        or (name in classes and classes[name] is not node and is_module(classes[name], classes))
        for name in names
    )


class _File:
    """The functions and classes at the top of a file."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names = Names(tree)
        self.functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
        self.classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
        self.owners = {
            method: one for one in self.classes.values() for method in one.body if isinstance(method, ast.FunctionDef)
        }
        self._made: dict[str, ast.ClassDef] = {}
        self._made = self._instances(tree)

    def roots(self) -> list[ast.FunctionDef]:
        """What torch.compile gets: decorated functions, functions and modules that are passed to it by name."""
        found = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.FunctionDef) and any(map(self._names.compiles, node.decorator_list)):
                found.append(node)
            elif isinstance(node, ast.Call) and self._names.is_compile(node.func) and node.args:
                found += self._meant(node.args[0])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compile":
                owner = self._class_of(node.func.value)
                found += self._method(owner, "forward") if owner is not None else []
        return found

    def called(self, node: ast.FunctionDef) -> list[ast.FunctionDef]:
        """The functions of this file that one calls by name, and the methods and modules of its own object."""
        owner = self.owners.get(node)
        local = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        local |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        inside = self._members(owner) if owner is not None else {}
        found = []
        for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
            called = ast.unparse(call.func)
            if called in self.functions and called not in local:
                found.append(self.functions[called])
            elif owner is not None and called.startswith("self.") and called.count(".") == 1:
                name = called.removeprefix("self.")
                found += self._method(inside[name], "forward") if name in inside else self._method(owner, name)
        return found

    def may_be_captured(self, node: ast.FunctionDef) -> bool:
        """Whether nothing is known to keep Dynamo from a function that a compiled one calls."""
        return all(self._is_harmless(one) for one in node.decorator_list)

    def _is_harmless(self, decorator: ast.expr) -> bool:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        return ast.unparse(named).rpartition(".")[2] in HARMLESS

    def _meant(self, argument: ast.expr) -> list[ast.FunctionDef]:
        """The function or the `forward` that an expression stands for, if that is in this file."""
        if isinstance(argument, ast.Name) and argument.id in self.functions:
            return [self.functions[argument.id]]
        owner = self._class_of(argument)
        if owner is not None:
            return self._method(owner, "forward")
        if isinstance(argument, ast.Attribute):
            owner = self._class_of(argument.value)
            if owner is None and isinstance(argument.value, ast.Name) and argument.value.id == "self":
                owner = self._around(argument)
            return self._method(owner, argument.attr) if owner is not None else []
        return []

    def _class_of(self, node: ast.expr) -> ast.ClassDef | None:
        """The module class of this file that an expression is an instance of: `Net()`, `net`, `net.to(device)`."""
        if isinstance(node, ast.Name):
            return self._made.get(node.id)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                found = self.classes.get(node.func.id)
                return found if found is not None and is_module(found, self.classes) else None
            if isinstance(node.func, ast.Attribute) and node.func.attr in {"to", "cuda", "eval", "train", "half"}:
                return self._class_of(node.func.value)
        return None

    def _instances(self, scope: ast.AST) -> dict[str, ast.ClassDef]:
        """The names that are given an instance of one module class of this file, and of no other."""
        found: dict[str, set[ast.ClassDef | None]] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                is_compile = isinstance(node.value, ast.Call) and self._names.is_compile(node.value.func)
                if not is_compile:
                    found.setdefault(node.targets[0].id, set()).add(self._class_of(node.value))
        return {name: one for name, (one, *more) in found.items() if one is not None and not more}

    def _members(self, owner: ast.ClassDef) -> dict[str, ast.ClassDef]:
        """The modules of this file that an object has: `self.block = Block()`."""
        found = {}
        for node in ast.walk(owner):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = ast.unparse(node.targets[0])
                made = self._class_of(node.value)
                if target.startswith("self.") and made is not None:
                    found[target.removeprefix("self.")] = made
        return found

    def _method(self, owner: ast.ClassDef, name: str) -> list[ast.FunctionDef]:
        """A method of a class, or of the classes of this file that it derives from."""
        for one in owner.body:
            if isinstance(one, ast.FunctionDef) and one.name == name:
                return [one]
        bases = (self.classes.get(ast.unparse(base)) for base in owner.bases)
        return next((found for base in bases if base is not None and (found := self._method(base, name))), [])

    def _around(self, node: ast.expr) -> ast.ClassDef | None:
        return next((one for one in self.classes.values() if node in set(ast.walk(one))), None)
