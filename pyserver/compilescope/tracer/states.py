"""Torch's global state as a version's guard kept it, beside the state that is now.

Relies on what `CheckFunctionManager` gives a guard manager in `closure_vars` (torch/_dynamo/guards.py, 2.9 to 2.14):
`___check_global_state`, a method of the version's own `GlobalStateGuard`, whose `__getstate__` is a JSON text, and
`___check_torch_function_mode_stack`, a closure over the types of the modes. Without these (2.6) only the names of what
changed are known.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from compilescope.tracer.values import class_name

Entry = dict[str, "str | None"]
CHECK = "___check_global_state"
MODES = "___check_torch_function_mode_stack"
EXPRESSIONS = {
    "grad_mode": "torch.is_grad_enabled()",
    "deterministic_algorithms": "torch.are_deterministic_algorithms_enabled()",
    "deterministic_algorithms_warn_only": "torch.is_deterministic_algorithms_warn_only_enabled()",
    "num_threads": "torch.get_num_threads()",
    "default_dtype": "torch.get_default_dtype()",
    "allow_tf32": "torch.backends.cuda.matmul.allow_tf32",
    "allow_fp16_reduce": "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduce": "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
}
# `_AUTOCAST_SUPPORTED_DEVICES` of ATen/autocast_mode.h, 2.9 to 2.14.
AUTOCAST = ("cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps")
DEVICE = re.compile(r"^device\(type='(\w+)'(?:, index=\d+)?\)$")
# `ScalarType` of c10/core/ScalarType.h, of the floating types.
DTYPES = {5: "torch.float16", 6: "torch.float32", 7: "torch.float64", 15: "torch.bfloat16"}


def state(names: str, scope: dict[str, Any]) -> list[Entry]:
    """Each of `names`, as torch lists them in `GLOBAL_STATE changed: …`, with its old value and the one now."""
    old, new = _kept(scope)
    found: list[Entry] = []
    for name in names.split():
        plain, _, rest = name.partition("(")
        if plain == "autocast":
            device, _, what = rest.partition(")_")
            found += _autocast(old, new, device, what)
        else:
            expression = EXPRESSIONS.get(name, name)
            values = [_text(name, one.get(name)) for one in (old, new)]
            found.append({"expression": expression, "old": values[0], "new": values[1]})
    return found


def modes(scope: dict[str, Any]) -> Entry:
    """The classes of torch function modes, innermost last, that were on and that are (torch/overrides.py).

    Where they differ in the mode of a default device only, it is that device.
    """
    cells = getattr(scope.get(MODES), "__closure__", None) or ()
    kept = next((cell.cell_contents for cell in cells if type(cell.cell_contents) is list), None)
    current = getattr(sys.modules.get("torch.overrides"), "_get_current_function_mode_stack", None)
    now = None if current is None else [type(mode) for mode in current()]
    if kept is not None and now is not None and _without_device(kept) == _without_device(now):
        return default_device("None" if len(kept) < len(now) else None)
    old, new = (None if one is None else f"[{', '.join(map(class_name, one))}]" for one in (kept, now))
    return {"expression": "torch function modes", "old": old, "new": new}


def default_device(old: str | None) -> Entry:
    """The device that `torch.set_default_device` or a `with torch.device` set, where a guard says the `old` one."""
    current = getattr(sys.modules.get("torch.utils._device"), "CURRENT_DEVICE", None)
    named = None if old is None else DEVICE.sub(r"\1", old)
    return {"expression": "default device", "old": named, "new": str(current)}


def _kept(scope: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    guard = getattr(scope.get(CHECK), "__self__", None)
    if guard is None or not hasattr(guard, "__getstate__"):
        return {}, {}
    states = guard.__getstate__(), type(guard)().__getstate__()
    if not all(isinstance(one, str) for one in states):
        return {}, {}
    return json.loads(states[0]), json.loads(states[1])


def _autocast(old: dict[str, Any], new: dict[str, Any], device: str, what: str) -> list[Entry]:
    """The parts of autocast's state that are others now; only `what` of `device` where torch says so (2.13)."""
    found: list[Entry] = []
    for key, expression in (("enabled", "torch.is_autocast_enabled"), ("dtype", "torch.get_autocast_dtype")):
        before, now = (one.get("autocast_state", {}).get(key, []) for one in (old, new))
        for kind, was, is_now in zip(AUTOCAST, before, now, strict=False):
            if was != is_now and device in ("", kind) and what in ("", key):
                values = {"old": _text(key, was), "new": _text(key, is_now)}
                found.append({"expression": f'{expression}("{kind}")', **values})
    return found or [{"expression": "torch.is_autocast_enabled()", "old": None, "new": None}]


def _text(name: str, value: Any) -> str | None:
    if value is None:
        return None
    return DTYPES.get(value, str(value)) if name.endswith("dtype") else str(value)


def _without_device(kinds: list[type]) -> list[int]:
    device = getattr(sys.modules.get("torch.utils._device"), "DeviceContext", None)
    return [id(kind) for kind in kinds if kind is not device]
