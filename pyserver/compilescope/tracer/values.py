"""Values as text, without ever running a method of the user's: primitives, tensors' metadata, else the type's name."""

from __future__ import annotations

import sys
from typing import Any

LONGEST = 120
ITEMS = 16
PRIMITIVES = (bool, int, float, complex, str, bytes, type(None))


def describe(value: Any) -> str:  # noqa: PLR0911 - one line for each kind
    """`value` in at most about 120 characters."""
    kind = type(value)
    if kind in PRIMITIVES:
        return _short(repr(value))
    if kind in (tuple, list) and len(value) <= ITEMS and all(type(item) in PRIMITIVES for item in value):
        return _short(repr(value))
    torch = sys.modules.get("torch")
    if torch is not None:
        if kind in (torch.dtype, torch.device, torch.Size):
            return str(value)
        if kind in (torch.Tensor, torch.nn.Parameter):
            return _tensor(torch, value)
    if issubclass(kind, type):
        return f"<class {class_name(value)}>"
    code = getattr(value, "__code__", None) if kind.__name__ in ("function", "method") else None
    if code is not None:
        return f"<{kind.__name__} {code.co_name}>"
    if kind in (tuple, list, dict, set, frozenset):
        return f"<{kind.__name__} of {len(value)}>"
    return f"<{kind.__module__}.{kind.__qualname__}>"


def class_name(kind: type) -> str:
    """`int`, or `module.Class`."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _tensor(torch: Any, value: Any) -> str:
    with torch._C.DisableTorchFunction():
        text = f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"
        if value.layout == torch.strided:
            text += f" stride=({', '.join(map(str, value.stride()))})"
        return f"{text} {value.device} requires_grad={value.requires_grad}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
