"""What a compile is of where torch calls it through a wrapper: an object, a library's module or a builtin.

Torch gives all of them one frame, `inner` of `wrap_inline(fn)` (torch/_dynamo/external_utils.py, 2.6 to 2.14), so
neither the frame's name nor its file says what was compiled. No method of the user's runs here.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

from compilescope.tracer.values import TYPE

_WRAPPER = ("inner", "_dynamo/external_utils.py")


def callee(code: CodeType, scope: dict[str, Any]) -> dict[str, Any] | None:
    """The function that the wrapper with `code` calls, with its class if it has one; None for another frame."""
    name, file = _WRAPPER
    if code.co_name != name or not code.co_filename.replace("\\", "/").endswith(file):
        return None
    called: Any = scope.get("fn")
    partial = getattr(sys.modules.get("functools"), "partial", None)
    while partial is not None and type(called) is partial:
        called = called.func
    if isinstance(called, MethodType):
        called = called.__func__
    if type(called) is FunctionType:
        return _place(called, called.__qualname__)
    if type(called) is BuiltinFunctionType:
        return {"function": called.__name__, "file": None, "line": None}
    kind = type(called)
    torch = sys.modules.get("torch")
    is_module = torch is not None and torch.nn.Module in TYPE["__mro__"].__get__(kind)
    method = "forward" if is_module else "__call__"
    for base in TYPE["__mro__"].__get__(kind):
        function = TYPE["__dict__"].__get__(base).get(method)
        if type(function) is FunctionType:
            return _place(function, f"{TYPE['__qualname__'].__get__(kind)}.{method}")
    return {"function": TYPE["__qualname__"].__get__(kind), "file": None, "line": None}


def _place(function: Any, name: str) -> dict[str, Any]:
    code = function.__code__
    return {"function": name.rpartition("<locals>.")[2], "file": code.co_filename, "line": code.co_firstlineno}
