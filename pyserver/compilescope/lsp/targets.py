"""What a source file asks torch.compile for, read from its syntax alone."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from compilescope.hints.compiling import Names

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Target:
    """Something that gets compiled. `line` (from 0) is where a lens goes; `name` is null for `compile(expression)`."""

    line: int
    name: str | None
    decorated: bool


def find_targets(source: str) -> list[Target]:
    """`@torch.compile` functions and the targets of `torch.compile(…)` calls, in order. Raises SyntaxError."""
    tree = ast.parse(source)
    names = Names(tree)
    definitions: dict[str, Definition] = {}
    decorators: set[ast.AST] = set()
    targets: dict[int, Target] = {}
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            definitions.setdefault(node.name, node)
            for decorator in node.decorator_list:
                decorators.update(ast.walk(decorator))
                if names.compiles(decorator):
                    line = node.decorator_list[0].lineno - 1
                    targets[line] = Target(line, node.name, decorated=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in decorators and names.is_compile(node.func):
            target = _called(node, definitions)
            targets.setdefault(target.line, target)
    return sorted(targets.values(), key=lambda target: target.line)


def _called(call: ast.Call, definitions: dict[str, Definition]) -> Target:
    """The function that `torch.compile(function)` names, if this file defines it, else the call itself."""
    argument = call.args[0] if call.args else None
    definition = definitions.get(argument.id) if isinstance(argument, ast.Name) else None
    if definition is None:
        return Target(call.lineno - 1, None, decorated=False)
    first = definition.decorator_list[0] if definition.decorator_list else definition
    return Target(first.lineno - 1, definition.name, decorated=False)
