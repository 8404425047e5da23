"""What each compiled function returned, call by call, for comparing two runs of a program.

A call is recorded when it comes from outside of every other compiled call: the result, or the type of the exception;
the tensors among the arguments as they are after the call, and the module's buffers: both may be changed in place.
After each `backward` the gradients of the parameters and tensors that the compiled functions use are recorded: those of
the module, of the modules and tensors that the function names or closes over, and of the arguments.

Not recorded: what the program changes in Python objects, globals and files, what it prints, `torch.autograd.grad`.

Relies on `_TorchDynamoContext.__call__` (torch/_dynamo/eval_frame.py, 2.6 to 2.14), which makes every compiled callable
whatever way it was asked for, and on Dynamo going through `_torchdynamo_inline` when it meets one inside of another.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

from compilescope.tracer.outputs_file import OutputsFile
from compilescope.tracer.tracebacks import hide_tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from compilescope.tracer.session import Session

LOSES = "what compiled functions returned"


def install(session: Session, folder: str) -> None:
    """Record into `folder` from now on."""
    outputs = _Outputs(session, folder)
    session.hooks.after_import("torch._dynamo.eval_frame", outputs.hook_compile, loses=LOSES)
    session.hooks.after_import("torch.autograd", outputs.hook_backward, loses="gradients")
    session.at_fork.append(outputs.forked)


class _Outputs:
    """Numbers the calls of a process and writes them."""

    def __init__(self, session: Session, folder: str) -> None:
        self._session = session
        self._folder = folder
        self._file: OutputsFile | None = None
        self._number = self._backwards = 0
        self._leaves: dict[str, Any] = {}
        """Weak references to what may get a gradient, by a name that is the same in every run."""
        self._depth = threading.local()
        guarded = session.hooks.guarded
        self._note_call = guarded("call of a compiled function", self._called, loses=LOSES)
        self._note_backward = guarded("backward", self._went_back, loses="gradients")
        self._note_leaves = guarded("what a compiled function uses", self._used, loses="gradients")

    def hook_compile(self, module: ModuleType) -> None:
        """Record the calls of whatever `torch.compile` returns."""

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def __call__(context: Any, function: Any) -> Any:
                result = original(context, function)
                return self._recorded(result, function) if _compiles(context, result) else result

            return __call__

        self._session.hooks.wrap(module._TorchDynamoContext, "__call__", make, loses=LOSES)

    def hook_backward(self, module: ModuleType) -> None:
        """Record the gradients after each `backward`."""

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def backward(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if not getattr(self._depth, "inside", 0):
                    self._note_backward()
                return result

            return backward

        self._session.hooks.wrap(module, "backward", make, loses="gradients")

    def _recorded(self, compiled: Any, function: Any) -> Any:
        depth, owner = self._depth, getattr(function, "__self__", None)
        name = _name_of(function)
        state = {"known": False}

        def recorded(*args: Any, **kwargs: Any) -> Any:
            if getattr(depth, "inside", 0):
                return compiled(*args, **kwargs)
            depth.inside = 1
            try:
                if not state["known"]:
                    state["known"] = True
                    self._note_leaves(name, function)
                result = compiled(*args, **kwargs)
            except BaseException as error:
                self._note_call(name, owner, (args, kwargs), error=error)
                hide_tracer(error)
                raise
            else:
                self._note_call(name, owner, (args, kwargs), result=result)
                return result
            finally:
                depth.inside = 0

        functools.update_wrapper(recorded, compiled)
        recorded._torchdynamo_wrapper_id = id(recorded)  # type: ignore[attr-defined]
        skip = getattr(sys.modules.get("torch._C._dynamo.eval_frame"), "skip_code", None)
        if skip is not None:  # or Dynamo would compile it when it is called after a graph break
            skip(recorded.__code__)
        return recorded

    def _called(
        self, name: str, owner: Any, given: tuple[Any, Any], *, result: Any = None, error: BaseException | None = None
    ) -> None:
        self._number += 1
        with _plainly() as torch:
            if torch is None:
                return
            inputs = [*enumerate(given[0]), *given[1].items()]
            for key, value in inputs:
                if isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf:
                    self._leaves[f"{name}: argument {key}"] = weakref.ref(value)
            file = self._opened()
            arguments = [[str(key), file.value(one)] for key, one in inputs if _holds_tensor(torch, one)]
            buffers = dict(owner.named_buffers()) if isinstance(owner, torch.nn.Module) else {}
            fields = {"error": _type(error)} if error is not None else {"result": file.value(result)}
            file.append(
                "call",
                number=self._number,
                name=name,
                arguments=arguments,
                buffers=[[key, file.value(one)] for key, one in buffers.items()],
                **fields,
            )

    def _went_back(self) -> None:
        self._backwards += 1
        with _plainly() as torch:
            if torch is None:
                return
            file, gradients = self._opened(), []
            for name, reference in self._leaves.items():
                leaf = reference()
                if leaf is not None and leaf.grad is not None:
                    gradients.append([name, file.value(leaf.grad)])
            if gradients:
                file.append("backward", number=self._backwards, gradients=gradients)

    def _used(self, name: str, function: Any) -> None:
        """Remember what `function` may send gradients to."""
        torch = sys.modules["torch"]
        for path, value in _reached(function):
            if isinstance(value, torch.nn.Module):
                for inner, parameter in value.named_parameters():
                    self._leaves[f"{path or name}.{inner}"] = weakref.ref(parameter)
            elif isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad:
                self._leaves[path] = weakref.ref(value)

    def _opened(self) -> OutputsFile:
        if self._file is None:
            self._file = OutputsFile(self._folder, _process())
        return self._file

    def forked(self) -> None:
        """Begin a record of its own: this is another process now."""
        self._file, self._number, self._backwards = None, 0, 0


def _compiles(context: Any, result: Any) -> bool:
    """Whether what a context made is a compiled function: not a module (its `forward` is), a class, or an export."""
    callback = getattr(context, "callback", None)
    return (
        callback not in (None, False)
        and not getattr(context, "export", False)
        and type(context).__name__ != "DisableContext"
        and type(result).__name__ == "function"
        and getattr(result, "_torchdynamo_wrapper_id", None) in (None, id(result))
    )


@contextlib.contextmanager
def _plainly() -> Iterator[Any]:
    """Torch, with nothing of the program's between an operation and its result; None where tensors are no real ones."""
    torch: Any = sys.modules["torch"]
    modes = torch.utils._python_dispatch
    if any(type(one).__name__ == "FakeTensorMode" for one in modes._get_current_dispatch_mode_stack()):
        yield None
        return
    with torch.no_grad(), torch._C.DisableTorchFunction(), modes._disable_current_modes():
        yield torch


def _reached(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function works with: its own object, and what it names or closes over, each by name."""
    owner = getattr(function, "__self__", None)
    if owner is not None:
        yield "", owner
    plain = getattr(function, "__func__", function)
    code, names = getattr(plain, "__code__", None), getattr(plain, "__globals__", {})
    if code is None:
        return
    for name, cell in zip(code.co_freevars, getattr(plain, "__closure__", None) or (), strict=False):
        with contextlib.suppress(ValueError):  # an empty cell
            yield name, cell.cell_contents
    for name in code.co_names:
        if name in names:
            yield name, names[name]


def _holds_tensor(torch: Any, value: Any) -> bool:
    """Whether an argument is a tensor, or a list, tuple or dictionary that has one."""
    kinds: tuple[tuple[type, Any], ...] = ((list, list.__iter__), (tuple, tuple.__iter__), (dict, dict.values))
    for kind, items in kinds:
        if isinstance(value, kind):
            return any(isinstance(one, torch.Tensor) for one in items(value))
    return isinstance(value, torch.Tensor)


def _name_of(function: Any) -> str:
    """The class of a module, else the function's own name."""
    torch: Any = sys.modules["torch"]
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        return type(owner).__qualname__
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _type(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def _process() -> str:
    """What this process is called in every run of the program: its rank, or the name that multiprocessing gave it."""
    import os

    rank = os.environ.get("RANK")
    current = getattr(sys.modules.get("multiprocessing.process"), "_current_process", None)
    name = getattr(current, "_name", "MainProcess")
    return f"rank {rank}" if rank is not None and name == "MainProcess" else str(name)
