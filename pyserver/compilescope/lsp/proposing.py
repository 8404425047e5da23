"""Expressions to propose for a function's arguments and for how a class is made, read from its syntax."""

from __future__ import annotations

import ast
from collections.abc import Container

from compilescope.proposals import MATRIX, expression

LAYERS = {"Linear": "torch.randn(4, {})", "LayerNorm": "torch.randn(4, {})", "LSTM": "torch.randn(4, 16, {})"}
LAYERS |= {"Conv1d": "torch.randn(1, {}, 32)", "Conv2d": "torch.randn(1, {}, 32, 32)", "GRU": LAYERS["LSTM"]}
LAYERS |= {"Embedding": "torch.randint(0, {}, (4, 16))"}
"""An input for the layer that a module makes first, by the layer's class; `{}` is the first number it is given."""
SIZE = "8"


def signature(args: ast.arguments, skip: int) -> str:
    """The parameters as they are written, without the first `skip`."""
    shown = ast.arguments(**{name: getattr(args, name) for name in args._fields})
    shown.posonlyargs = args.posonlyargs[skip:]
    shown.args = args.args[max(0, skip - len(args.posonlyargs)) :]
    return ast.unparse(shown)


def arguments(args: ast.arguments, skip: int, init: ast.FunctionDef | None = None) -> str:
    """Arguments for the parameters without a default. `init`: of a module, whose first layer says what fits."""
    tensor = (init and _first_input(init)) or MATRIX
    positional, keywords = _required(args, skip)
    shown = [expression(one.arg, _note(one), tensor) for one in positional]
    shown += [f"{one.arg}={expression(one.arg, _note(one), tensor)}" for one in keywords]
    return ", ".join(shown)


def construction(name: str, init: ast.FunctionDef | None, defined: Container[str]) -> str:
    """How an instance is made: the class's name, called when `init` needs arguments. `defined`: classes of the file."""
    positional, keywords = _required(init.args, 1) if init is not None else ([], [])
    if not positional and not keywords:
        return name
    given = []
    for one in [*positional, *keywords]:
        note = _note(one)
        value = f"{note}()" if note in defined else expression(one.arg, note, SIZE) if note else SIZE
        given.append(f"{one.arg}={SIZE if note == 'int' else value}")
    return f"{name}({', '.join(given)})"


def _required(args: ast.arguments, skip: int) -> tuple[list[ast.arg], list[ast.arg]]:
    """The positional and the keyword-only parameters that have no default."""
    positional = [*args.posonlyargs, *args.args]
    positional = positional[skip : len(positional) - len(args.defaults)]
    keywords = [one for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default is None]
    return positional, keywords


def _note(parameter: ast.arg) -> str:
    return "" if parameter.annotation is None else ast.unparse(parameter.annotation)


def _first_input(init: ast.FunctionDef) -> str | None:
    """An input for the first layer that `init` makes, where its size is a number or a parameter that has one."""
    parameters = [*init.args.posonlyargs, *init.args.args]
    sizes: dict[str, object] = {one.arg: SIZE for one in parameters}  # what `construction` proposes
    for one, default in zip(reversed(parameters), reversed(init.args.defaults), strict=False):
        sizes[one.arg] = default.value if isinstance(default, ast.Constant) else None
    calls = [node for node in ast.walk(init) if isinstance(node, ast.Call) and node.args]
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        layer = LAYERS.get(ast.unparse(call.func).rpartition(".")[2])
        size = call.args[0]
        value = sizes.get(size.id) if isinstance(size, ast.Name) else getattr(size, "value", None)
        if layer is not None and isinstance(value, int | str) and str(value).isdecimal():
            return layer.format(value)
    return None
