"""Where a program registers passes of its own, which of them a compile ran, and why it did not run the others.

The slots are Inductor's configuration (torch/_inductor/config.py and `codegen.common.custom_backend_passes`) and
AOTAutograd's (torch/_functorch/config.py), 2.6 to 2.14; those that a version lacks are empty. A slot holds a callable
or, from 2.13 on, a list of them.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.environment import torch_root

if TYPE_CHECKING:
    from collections.abc import Iterator

INDUCTOR = {
    "pre_grad_custom_pass": "pre_grad",
    "joint_custom_pre_pass": "joint",
    "joint_custom_post_pass": "joint",
    "post_grad_custom_pre_pass": "post_grad",
    "post_grad_custom_post_pass": "post_grad",
    "custom_partitioner_fn": "partition",
    "_pre_fusion_custom_pass": "scheduler",
    "_post_fusion_custom_pass": "scheduler",
}
"""The slots of Inductor's configuration, and the stage that runs each."""
FUNCTORCH = {"joint_custom_pass": "partition"}
BACKEND = "custom_backend_passes_"


def registered() -> Iterator[tuple[str, str, Any]]:
    """Slot, stage and callable of each pass that the program has registered."""
    for module, slots in (("torch._inductor.config", INDUCTOR), ("torch._functorch.config", FUNCTORCH)):
        config = sys.modules.get(module)
        for slot, stage in slots.items():
            value = getattr(config, slot, None)
            for each in value if isinstance(value, (list, tuple)) else [value]:
                if each is not None:
                    yield slot, stage, each
    by_device = getattr(sys.modules.get("torch._inductor.codegen.common"), "custom_backend_passes", {})
    for device, each in by_device.items():
        if each is not None:
            yield f"{BACKEND}{device}", "post_grad", each


def held(name: str) -> Any:
    """The pass of the program's in slot `name`; None unless there is exactly one."""
    found = [each for slot, _stage, each in registered() if slot == name]
    return found[0] if len(found) == 1 else None


def describe_function(function: Any, name: str = "") -> dict[str, Any]:
    """`slot`, `custom`, `function`, `file` and `line` of a pass that runs under `name`.

    It is custom when it is not torch's, by its file, or in a slot; torch itself uses a slot's name for one of its own.
    """
    function = bare(function)
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    foreign = code is not None and not code.co_filename.startswith(torch_root() or "\0")
    slot = None
    if name in INDUCTOR or name in FUNCTORCH or name.startswith(BACKEND):
        held = any(slot == name and bare(each) is function for slot, _stage, each in registered())
        slot = (
            name if held or foreign else None
        )  # foreign and not held: it is gone again, as torch.compile(options=…) is
    custom = foreign or slot is not None
    named = function if hasattr(function, "__qualname__") else type(function)
    return {
        "slot": slot,
        "custom": custom,
        "function": f"{named.__module__}.{named.__qualname__}",
        "file": code.co_filename if custom and code is not None else None,
        "line": code.co_firstlineno if custom and code is not None else None,
    }


def bare(function: Any) -> Any:
    """The callable inside of `functools.partial`s and of bound methods' wrappers."""
    while isinstance(function, functools.partial):
        function = function.func
    return function
