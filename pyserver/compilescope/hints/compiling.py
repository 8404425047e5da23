"""By which names a file calls what it imports, and `torch.compile` above all."""

from __future__ import annotations

import ast


class Names:
    """By which names `torch.compile` goes in a file."""

    def __init__(self, tree: ast.Module) -> None:
        self._torch = {"torch"}
        self._compile: set[str] = set()
        self._partial = {"partial"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._torch |= {alias.asname for alias in node.names if alias.name == "torch" and alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module == "torch" and not node.level:
                self._compile |= {alias.asname or alias.name for alias in node.names if alias.name == "compile"}

    def is_compile(self, node: ast.expr) -> bool:
        """Whether `node` is `torch.compile` itself."""
        if isinstance(node, ast.Name):
            return node.id in self._compile
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "compile"
            and isinstance(node.value, ast.Name)
            and node.value.id in self._torch
        )

    def compiles(self, decorator: ast.expr) -> bool:
        """Whether a decorator compiles: bare, called with options, or through `functools.partial`."""
        if self.is_compile(decorator):
            return True
        if not isinstance(decorator, ast.Call):
            return False
        name = decorator.func.attr if isinstance(decorator.func, ast.Attribute) else getattr(decorator.func, "id", "")
        partial = name in self._partial and bool(decorator.args) and self.is_compile(decorator.args[0])
        return partial or self.is_compile(decorator.func)


def imported(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name of a file stands for: `F` for `torch.nn.functional`, `now` for `time.time`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found
