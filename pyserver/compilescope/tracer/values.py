"""Values as text, without ever running a method of the user's: primitives, tensors' metadata, else the type's name.

Not even of their classes: types are compared by identity, for a metaclass may have methods of its own.
"""

from __future__ import annotations

import sys
from types import CodeType, FunctionType, MethodType
from typing import Any

LONGEST = 120
ITEMS = 16
PRIMITIVES = (bool, int, float, complex, str, bytes, type(None))
CONTAINERS = (tuple, list, dict, set, frozenset)
TYPE: dict[str, Any] = vars(type)  # type: ignore[assignment]
BASES = (type, object)


def describe(value: Any) -> str:  # noqa: PLR0911 - one line for each kind
    """`value` in at most about 120 characters."""
    kind = type(value)
    if is_one_of(kind, PRIMITIVES):
        return _short(repr(value))
    if is_one_of(kind, (tuple, list)) and len(value) <= ITEMS and all(is_one_of(type(o), PRIMITIVES) for o in value):
        return _short(repr(value))
    torch = sys.modules.get("torch")
    if torch is not None:
        if is_one_of(kind, (torch.dtype, torch.device, torch.Size)):
            return str(value)
        if is_one_of(kind, (torch.Tensor, torch.nn.Parameter)):
            return _tensor(torch, value)
    if issubclass(kind, type):
        return f"<class {class_name(value)}>"
    if is_one_of(kind, (FunctionType, MethodType)):
        return f"<{TYPE['__name__'].__get__(kind)} {value.__code__.co_name}>"
    if kind is CodeType:
        return f"<code {value.co_name}>"
    if is_one_of(kind, CONTAINERS):
        return f"<{TYPE['__name__'].__get__(kind)} of {len(value)}>"
    return _object(value, kind)


def _object(value: Any, kind: type) -> str:
    name = TYPE["__qualname__"].__get__(kind)
    enum = sys.modules.get("enum")
    if enum is not None and issubclass(kind, enum.Enum):
        return f"{name}.{object.__getattribute__(value, '_name_')}"
    return f"<{_module(kind)}.{name}>"


def class_name(kind: type) -> str:
    """`int`, or `module.Class`."""
    name: str = TYPE["__qualname__"].__get__(kind)
    module = _module(kind)
    return name if module == "builtins" else f"{module}.{name}"


def shows_itself(metaclass: type) -> bool:
    """Whether classes of a metaclass have a text of their own, made by a method of it."""
    bases = [base for base in TYPE["__mro__"].__get__(metaclass) if not is_one_of(base, BASES)]
    spaces = [TYPE["__dict__"].__get__(base) for base in bases]
    return any(name in space for space in spaces for name in ("__repr__", "__str__", "__format__"))


def is_one_of(kind: type, kinds: tuple[type, ...]) -> bool:
    """Whether `kind` is one of `kinds`, which `in` would ask a metaclass."""
    return any(kind is one for one in kinds)


def _module(kind: type) -> str:
    module = TYPE["__module__"].__get__(kind)
    return module if type(module) is str else "?"


def _tensor(torch: Any, value: Any) -> str:
    with torch._C.DisableTorchFunction():
        text = f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"
        if value.layout == torch.strided:
            text += f" stride=({', '.join(map(str, value.stride()))})"
        return f"{text} {value.device} requires_grad={value.requires_grad}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
