"""A fake kernel to write for a custom operator that the program defines."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.sources import Source

_REGISTERED = re.compile(r"\b([a-zA-Z_]\w*::[a-zA-Z_]\w*)")


def fake_kernel(context: Context, message: str) -> str | None:
    """Return one for the operator that `message` names as `ns::name`; None when the program's files don't define it."""
    for name in dict.fromkeys(match[1] for match in _REGISTERED.finditer(message)):
        for file in context.facts.sources:
            found = _defined(context.sources.get(file), name) if context.rules.in_user_code(file) else None
            if found is not None:
                return _stub(found)
    return None


def _defined(source: Source | None, name: str) -> ast.FunctionDef | None:
    """Return the function that `custom_op("ns::name", …)` decorates."""
    for node in ast.walk(source.tree) if source is not None and source.tree is not None else ():
        for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            first = call.args[0] if isinstance(call, ast.Call) and call.args else None
            if isinstance(first, ast.Constant) and first.value == name and isinstance(node, ast.FunctionDef):
                return node
    return None


def _stub(function: ast.FunctionDef) -> str:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    tensors = [one.arg for one in arguments if one.annotation and "Tensor" in ast.unparse(one.annotation)]
    result = f"torch.empty_like({tensors[0]})" if tensors else "torch.empty(...)"
    return (
        f"@{function.name}.register_fake\ndef _({', '.join(one.arg for one in arguments)}):\n"
        f"    return {result}  # a tensor of the shape and dtype of the result"
    )
