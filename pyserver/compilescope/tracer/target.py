"""Compiles and calls a function or an `nn.Module` of a file: `compilescope trace --target Net --inputs "…" net.py`.

The file is imported, not run as a program: its `__name__` is the one that `import` gives it, so what stands under
`if __name__ == "__main__":` does not run. The target and its inputs are Python expressions over the file's names.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import sys
import traceback
from types import ModuleType
from typing import TYPE_CHECKING, Any

from compilescope.proposals import expression
from compilescope.tracer.bottom import BOTTOM, compiled
from compilescope.tracer.environment import library_roots
from compilescope.tracer.frames import TOP_FILE, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECT = "__compilescope_arguments__"
MOST_NAMES = 8

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Refused(Exception):
    """The target can't be called as asked. `code` is stable, `title` says what happened, `detail` why and where."""

    def __init__(self, code: str, title: str, detail: str = "") -> None:
        super().__init__(title)
        self.code, self.title, self.detail = code, title, detail


def import_folder(script: str) -> str:
    """The folder from which `script` is imported: its own, or the one above the package that it is part of."""
    folder = os.path.dirname(os.path.realpath(script))
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def run(script: str | None, name: str | None, target: str, inputs: list[str]) -> None:
    """Import `script`, or the module `name`, and call `target` of it, compiled, once for each of `inputs`.

    Raises Refused, and what the file and the target themselves raise.
    """
    _parse(target, "the target", "bad-target")  # before the file runs: that may take long
    for text in inputs:
        _parse_arguments(text)
    names = _Names(_import_file(script) if script is not None else _import_module(name or ""))
    function = _callable(names, target)
    _check_runs_at_once(function, target)
    shape = _shape(function, target)
    import torch

    function_compiled = function if _is_compiled(torch, function) else torch.compile(function)
    calls: list[str | None] = [*inputs] or [None]
    for given in calls:
        arguments = _arguments(names, shape, function, given)
        try:
            result = BOTTOM(_call, function_compiled, arguments)
        except Exception:
            _check_uncompiled(torch, shape, function, _arguments(names, shape, function, given))
            raise
        if inspect.iscoroutine(result):
            result.close()  # else Python warns at the end that nobody awaited it
            why = "Of the coroutine nothing has run, so nothing of it was compiled."
            raise Refused(
                "bad-target", f"{shape} returns a coroutine.", f"{why} Name a function that it calls instead."
            )


def _call(function: Callable[..., Any], arguments: Arguments) -> Any:
    return function(*arguments[0], **arguments[1])


def _check_uncompiled(torch: Any, shape: str, function: Any, arguments: Arguments) -> None:
    """Raise Refused when a call that failed fails without torch.compile too: then it is the inputs, or the code."""
    stance = getattr(torch.compiler, "set_stance", None)
    if stance is None:
        return
    try:
        with stance("force_eager"):
            BOTTOM(_call, function, arguments)
    except Exception as error:
        title = f"{shape} fails with these inputs, uncompiled too: {_last_line(error)}"
        raise Refused("bad-inputs", title, _where(error)) from error


def _import_module(name: str) -> ModuleType:
    BOTTOM(exec, compile(f"import {name}", TOP_FILE, "exec"), {})
    return sys.modules[name]


def _import_file(script: str) -> ModuleType:
    """The module of a file, under its full name when it is part of a package."""
    root, path = import_folder(script), os.path.realpath(script)
    *parents, name = os.path.relpath(os.path.splitext(path)[0], root).split(os.sep)
    if parents:
        _import_module(".".join(parents))
    full = ".".join(parents if parents and name == "__init__" else [*parents, name])
    known = sys.modules.get(full)
    if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == path:
        return known
    spec = importlib.util.spec_from_file_location(full, script)
    if spec is None:
        raise Refused("bad-target", f"Can't import {os.path.basename(script)}: it is no Python file.")
    module = importlib.util.module_from_spec(spec)
    if known is None:  # a file named as something that is loaded already is a module of its own, known to nobody else
        sys.modules[full] = module
    BOTTOM(exec, compiled(script), module.__dict__)
    return module


class _Names:
    """The names of the file, in which expressions are evaluated."""

    def __init__(self, module: ModuleType) -> None:
        self.file = os.path.basename(getattr(module, "__file__", None) or module.__name__)
        self.values = dict(module.__dict__)
        if "torch" not in self.values:
            import torch

            self.values["torch"] = torch

    def evaluate(self, node: ast.Expression, text: str, what: str, code: str, **more: Any) -> Any:
        """The value of an expression. Raises Refused with the user's own line when it has none."""
        try:
            return BOTTOM(eval, compile(node, f"<{what}>", "eval"), {**self.values, **more})
        except Exception as error:
            title = f"Can't evaluate {what}, {text.strip()}: {_last_line(error)}"
            raise Refused(code, title, _where(error)) from error

    def own(self) -> list[str]:
        """The functions, classes and modules that the file defines itself, as far as they are public."""
        name = self.values.get("__name__")
        return [
            key
            for key, value in self.values.items()
            if not key.startswith("_") and callable(value) and getattr(value, "__module__", None) == name
        ]


def _parse(text: str, what: str, code: str, pattern: str = "{}") -> ast.Expression:
    """The expression that `text` is within `pattern`. Raises Refused when it is none."""
    try:
        return ast.parse(pattern.format(text.strip()), f"<{what}>", "eval")
    except (SyntaxError, ValueError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise Refused(code, f"Can't evaluate {what}, {text.strip()}: {why}.") from error


def _parse_arguments(given: str) -> ast.Expression:
    """The call that `given` is the arguments of. Raises Refused when they are none."""
    node = _parse(given, "the inputs", "bad-inputs", f"{COLLECT}(\n{{}}\n)")
    if not isinstance(node.body, ast.Call) or not isinstance(node.body.func, ast.Name):
        raise Refused("bad-inputs", f"Can't evaluate the inputs, {given}: they are no list of arguments.")
    return node


def _callable(names: _Names, target: str) -> Any:
    """What `target` names, as something that can be called; of a class an instance."""
    node = _parse(target, "the target", "bad-target")
    if isinstance(node.body, ast.Name) and node.body.id not in names.values:
        has = ", ".join(names.own()[:MOST_NAMES])
        raise Refused("no-target", f"{names.file} has no {node.body.id}.", f"It has: {has}." if has else "")
    value = names.evaluate(node, target, "the target", "bad-target")
    if isinstance(value, type):
        return _instance(names, value, target)
    is_made = any(isinstance(one, ast.Call) for one in ast.walk(node))
    if inspect.isfunction(value) and isinstance(node.body, ast.Attribute) and not is_made:
        owner = names.evaluate(ast.Expression(node.body.value), target, "the target", "bad-target")
        if isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, node.body.attr, None)):
            return getattr(_made(names, owner, ast.unparse(node.body.value)), node.body.attr)
    if not callable(value):
        raise Refused("bad-target", f"{target} of {names.file} can't be called: it is of type {type(value).__name__}.")
    return value


def _check_runs_at_once(function: Any, target: str) -> None:
    """Raise Refused when a call only makes a coroutine or a generator, whose code runs later, for someone else.

    Dynamo makes no resume function for an `await` or a `yield` (torch/_dynamo/resume_execution.py, 2.6 to 2.14).
    """
    code = _code(function)
    if inspect.iscoroutinefunction(code):
        what, instead = "an async function", "it calls"
        why = "a call only makes a coroutine, and torch.compile can't go on after an await"
    elif inspect.isasyncgenfunction(code):
        what, instead = "an async generator", "it calls"
        why = "a call runs nothing of it, and torch.compile can't go on after an await"
    elif inspect.isgeneratorfunction(code):
        what, instead = "a generator", "iterates over it"
        why = "a call runs nothing of it"
    else:
        return
    raise Refused("bad-target", f"{target} is {what}: {why}.", f"Name a function that {instead} instead.")


def _code(function: Any) -> Any:
    """What runs when `function` is called: a module's `forward`, an object's `__call__`, and what torch compiles."""
    while True:
        if _is_module(function):
            inner = vars(function).get("_modules", {}).get("_orig_mod")
            function = function.forward if inner is None else inner
        elif inspect.isroutine(function):
            inner = getattr(function, "_torchdynamo_orig_callable", None)
            if inner is None:
                return function
            function = inner
        else:
            inner = inspect.getattr_static(type(function), "__call__", None)
            return inner if inspect.isfunction(inner) else function


def _instance(names: _Names, cls: type, target: str) -> Any:
    import torch

    if issubclass(cls, torch.nn.Module):
        return _made(names, cls, target)
    method = next((name for name, value in vars(cls).items() if inspect.isfunction(value) and name[0] != "_"), "method")
    raise Refused(
        "bad-target",
        f"{target} of {names.file} is a class, and no nn.Module.",
        f"Name one of its methods, as in {target}.{method}.",
    )


def _made(names: _Names, cls: type, target: str) -> Any:
    """An instance of a class, made without arguments."""
    signature = _signature(cls)
    try:
        if signature is not None:
            signature.bind()
    except TypeError:
        raise Refused(
            "bad-target",
            f"{target} needs arguments to be made: {cls.__name__}{signature}.",
            f'Say how it is made, for example: "{target}({_example(signature, "8")})".',
        ) from None
    call = ast.parse(f"{COLLECT}()", mode="eval")
    return names.evaluate(call, f"{target}()", "the target", "bad-target", **{COLLECT: cls})


def _arguments(names: _Names, shape: str, function: Any, given: str | None) -> Arguments:
    """The positional and keyword arguments that `given` says; none when it is null. Raises Refused."""
    arguments: Arguments = ((), {})
    if given is not None:
        node = _parse_arguments(given)
        collect = {COLLECT: lambda *positional, **keywords: (positional, keywords)}
        arguments = names.evaluate(node, given, "the inputs", "bad-inputs", **collect)
    signature = _signature(function)
    try:
        if signature is not None:
            signature.bind(*arguments[0], **arguments[1])
    except TypeError as error:
        if given is None:
            example = f'For example: "{_example(signature)}".'
            raise Refused("no-inputs", f"{shape} needs inputs.", example) from None
        raise Refused("bad-inputs", f"The inputs don't fit {shape}: {error}.") from None
    return arguments


def _is_module(function: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(function, torch.nn.Module)


def _signature(function: Any) -> inspect.Signature | None:
    """How `function` is called, a module as its `forward`; null where Python does not know."""
    try:
        return inspect.signature(function.forward if _is_module(function) else function)
    except (TypeError, ValueError):
        return None


def _shape(function: Any, target: str) -> str:
    """The target as it is called: `Net.forward(x, scale: float = 1.0)`."""
    name = f"{target}.forward" if _is_module(function) else target
    return f"{name}{_signature(function) or '(…)'}"


def _example(signature: inspect.Signature | None, tensor: str = "torch.randn(4, 8)") -> str:
    """Arguments to try: one expression for each parameter that has no default."""
    parts = []
    for one in signature.parameters.values() if signature is not None else ():
        if one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        note = "" if one.annotation is one.empty else getattr(one.annotation, "__name__", str(one.annotation))
        value = expression(one.name, note, tensor)
        parts.append(f"{one.name}={value}" if one.kind is one.KEYWORD_ONLY else value)
    return ", ".join(parts)


def _is_compiled(torch: Any, function: Any) -> bool:
    """Whether calling it compiles already.

    By `_torchdynamo_orig_callable`, `OptimizedModule` (torch/_dynamo/eval_frame.py) and `Module.compile`; 2.6 to 2.14.
    """
    if isinstance(function, torch.nn.Module):
        optimized = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
        if optimized is not None and isinstance(function, optimized):
            return True
        if getattr(function, "_compiled_call_impl", None) is not None:
            return True
        function = function.forward
    return hasattr(function, "_torchdynamo_orig_callable")


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(type(error), error)[-1].strip()


def _where(error: BaseException) -> str:
    """The innermost line of the user's own in a traceback, as Python writes it; empty when there is none."""
    roots = tuple(root + os.sep for root in library_roots())
    found = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_ours(code) and os.path.isfile(code.co_filename) and not code.co_filename.startswith(roots):
            found = traceback.format_list(traceback.extract_tb(trace, limit=1))[0]
        trace = trace.tb_next
    return found.rstrip()
