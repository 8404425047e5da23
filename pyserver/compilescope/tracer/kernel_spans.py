"""Which kernel torch's spans about compilers are of: they do not say it themselves.

Looked up in the functions that make the spans, as they begin: the command of `cpp_builder.run_compile_cmd`, the kernel
of `AsyncCompile.triton`, and for each kernel that `AsyncCompile.wait` waits for, the name of its C++ file (the cache
key in the closures of `CppPythonBindingsCodeCache.load_pybinding_async` and `CppCodeCache.load_async`;
torch/_inductor/codecache.py, async_compile.py and cpp_builder.py, 2.9 to 2.14). Where torch is built otherwise, the
spans stay as they are.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SOURCES = (".cpp", ".cc", ".cu", ".h", ".hpp")
OTHERS = {"check_build": "instruction set check", "_precompile_header": "precompiled header"}
"""Functions that compile something else than a kernel, and what."""
FARTHEST = 24


def told(event: dict[str, Any]) -> dict[str, Any]:
    """What `event`, a span that is beginning in a caller of ours, is about: further arguments for it."""
    look = LOOK.get(event["name"])
    return look() if look is not None and event.get("ph") == "B" else {}


def _file() -> dict[str, Any]:
    command = _local("run_compile_cmd", "cmd_line")
    if not isinstance(command, str):
        return {}
    words = (word.strip("'\"") for word in command.split())
    source = next((word for word in words if word.endswith(SOURCES) and not word.startswith("-")), None)
    found = {} if source is None else {"source": os.path.basename(source)}
    what = next((name for name in OTHERS if _frame_of(name) is not None), None)
    return found if what is None else {**found, "what": OTHERS[what]}


def _kernel() -> dict[str, Any]:
    name = _local("triton", "kernel_name")
    return {"kernel_name": name} if isinstance(name, str) else {}


def _waited() -> dict[str, Any]:
    scope = _local("wait", "scope")
    kernels = {}
    for name, value in list(scope.items()) if isinstance(scope, dict) else ():
        if type(value).__name__ == "LambdaFuture":
            key = _closed_over(_closed_over(value.result_fn, "get_result"), "key")
            if isinstance(key, str):
                kernels[key] = name
    return {"kernels": kernels} if kernels else {}


def _closed_over(function: Any, name: str) -> Any:
    """The value that a function has from around it; None without one."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or cells is None or name not in code.co_freevars:
        return None
    try:
        return cells[code.co_freevars.index(name)].cell_contents
    except ValueError:
        return None


def _local(function: str, name: str) -> Any:
    """A variable of the nearest caller with that function name; None without one."""
    frame = _frame_of(function)
    return None if frame is None else frame.f_locals.get(name)


def _frame_of(function: str) -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    for _ in range(FARTHEST):
        if frame is None or frame.f_code.co_name == function:
            break
        frame = frame.f_back
    else:
        return None
    return frame


LOOK: dict[str, Callable[[], dict[str, Any]]] = {
    "compile_file": _file,
    "async_compile.precompile": _kernel,
    "async_compile.wait": _waited,
}
