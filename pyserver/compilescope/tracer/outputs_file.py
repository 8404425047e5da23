"""The record of what compiled functions returned: `outputs_<pid>_<n>.jsonl`, and the tensors' bytes beside it (`.bin`).

Each line is one JSON object with `kind`: `process` (the first: `process`, a name that is the same in every run),
`call` (`number` from 1, `name`, and the values `result`, `arguments`, `buffers`, or `error`, an exception's type),
`backward` (`number`, `gradients`), `stopped` (`reason`: nothing is recorded from here on).

A value is one of
- `{"tensor": {"dtype", "shape", "grad", "at", "bytes"}}`: the whole content lies at `at` in the `.bin`;
- the same with `"sample": n` (of more than `WHOLE` bytes only n elements lie there, evenly spread), `"hash"` of the
  whole content, `"norm"` (L2) and `"largest"` (absolute value), both null for what has none;
- `{"scalar": x}` of null, bool, int, float, string; `{"complex": [re, im]}`
- `{"items": [value, …], "type": "tuple"}`, `{"entries": [[key, value], …], "type": "dict"}`
- `{"other": "module.Type", "why": "…"}`: not compared.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

WHOLE = 1 << 22
"""Bytes of a tensor up to which its whole content is kept."""
SAMPLE = 1 << 16
"""Elements that are kept of a larger one."""
MOST = 1 << 30
"""Bytes at which a process's record ends."""
DEEPEST = 20
LONGEST = 10_000


class OutputsFile:
    """Appends to one process's record. The same content is kept once. Raises OSError when it can't be written."""

    def __init__(self, folder: str, process: str) -> None:
        stem = os.path.join(folder, f"outputs_{os.getpid()}_{len(os.listdir(folder))}")
        self._lines = os.open(f"{stem}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._bytes = os.open(f"{stem}.bin", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._size = 0
        self._kept: dict[bytes, int] = {}
        self._stopped = False
        self._write({"kind": "process", "process": process})

    def append(self, kind: str, **fields: Any) -> None:
        """Append one line, unless the record has ended."""
        if self._stopped:
            return
        self._write({"kind": kind, **fields})
        if self._size > MOST:
            self._stopped = True
            self._write({"kind": "stopped", "reason": f"the record reached {MOST >> 20} MB"})

    def value(self, value: Any, depth: int = 0) -> dict[str, Any]:
        """A value as the record has it; its tensors are kept as they are at this moment."""
        torch = sys.modules["torch"]
        if isinstance(value, torch.Tensor):
            return self._tensor(torch, value)
        return _scalar(value) or (_other(value, "nested too deep") if depth >= DEEPEST else self._parts(value, depth))

    def _parts(self, value: Any, depth: int) -> dict[str, Any]:
        if isinstance(value, (list, tuple)):
            items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
            return {"items": self._each(items, depth), "type": _name(value)}
        if isinstance(value, dict):
            return self._entries(value, dict.items(value), depth)
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields is not None:
            there = vars(value) if hasattr(value, "__dict__") else {}
            return self._entries(value, [(name, there[name]) for name in fields if name in there], depth)
        return self._registered(value, depth)

    def _each(self, items: Iterable[Any], depth: int) -> list[dict[str, Any]]:
        return [self.value(one, depth + 1) for one in items]

    def _entries(self, value: Any, entries: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
        found = [[str(key) if type(key) in (bool, int, float, str) else _name(key), one] for key, one in entries]
        return {"entries": [[key, self.value(one, depth + 1)] for key, one in found], "type": _name(value)}

    def _registered(self, value: Any, depth: int) -> dict[str, Any]:
        """A value of a type that the program registered with torch's pytree (torch/utils/_pytree.py, 2.6 to 2.14)."""
        node = getattr(sys.modules.get("torch.utils._pytree"), "SUPPORTED_NODES", {}).get(type(value))
        if node is None:
            return _other(value, "no tensor")
        try:
            children, _ = node.flatten_fn(value)
        except Exception:
            return _other(value, "its pytree functions failed")
        return {"items": self._each(children, depth), "type": _name(value)}

    def _tensor(self, torch: Any, value: Any) -> dict[str, Any]:
        why = _not_plain(torch, value)
        if why is not None:
            return _other(value, why)
        try:
            plain = value.detach().resolve_conj().resolve_neg()
            shape, dtype = [int(one) for one in plain.shape], str(plain.dtype).removeprefix("torch.")
            size = plain.numel() * plain.element_size()
            body: dict[str, Any] = {"dtype": dtype, "shape": shape, "grad": bool(value.requires_grad)}
            if size > WHOLE:
                body.update(_digest(torch, plain))
                step = plain.numel() // SAMPLE
                plain = plain.reshape(-1)[:: max(1, step)][:SAMPLE]
                body["sample"] = plain.numel()
            at, length = self._keep(_content(plain))
        except Exception as error:
            return _other(value, type(error).__name__)
        return {"tensor": {**body, "at": at, "bytes": length}}

    def _keep(self, content: bytes) -> tuple[int, int]:
        key = hashlib.blake2b(content, digest_size=16).digest()
        if key not in self._kept:
            self._kept[key] = self._size
            view = memoryview(content)
            while view:
                view = view[os.write(self._bytes, view) :]
            self._size += len(content)
        return self._kept[key], len(content)

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._lines, json.dumps(line).encode() + b"\n")


def _scalar(value: Any) -> dict[str, Any] | None:
    if value is None or type(value) in (bool, int, float, str):
        return {"scalar": value[:LONGEST] if isinstance(value, str) else value}
    return {"complex": [value.real, value.imag]} if type(value) is complex else None


def _not_plain(torch: Any, value: Any) -> str | None:
    """Why a tensor's content can't be read as it is; None when it can."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return "a tensor subclass"
    if value.layout is not torch.strided:
        return "a sparse tensor"
    if value.device.type == "meta":
        return "a tensor without content"
    if value.is_quantized:
        return "a quantized tensor"
    wrapped = getattr(torch._C._functorch, "is_functorch_wrapped_tensor", None)
    return "a tensor inside of torch.func" if wrapped is not None and wrapped(value) else None


def _digest(torch: Any, plain: Any) -> dict[str, Any]:
    """Hash, L2 norm and largest absolute value of a whole tensor."""
    digest = hashlib.blake2b(_content(plain), digest_size=16).hexdigest()
    if plain.dtype is torch.bool:
        return {"hash": digest, "norm": None, "largest": None}
    wide = plain.abs().to(torch.float64)
    norm, largest = float(wide.square().sum().sqrt()), float(wide.max())
    return {"hash": digest, "norm": norm, "largest": largest}


def _content(plain: Any) -> bytes:
    """The bytes of a tensor's elements, in order."""
    whole = plain.cpu().contiguous()
    length = whole.numel() * whole.element_size()
    return ctypes.string_at(whole.data_ptr(), length) if length else b""


def _other(value: Any, why: str) -> dict[str, Any]:
    return {"other": _name(value), "why": why}


def _name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
