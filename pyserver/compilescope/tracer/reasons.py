"""What failed guards say that are no Python expressions: torch's sentences on tensors and on its global state.

Sentences of torch/csrc/dynamo/guards.cpp, 2.6 to 2.14. What the state is now is read from torch; what it was is only
known where it can be but one thing.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from compilescope.tracer.values import class_name

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = dict[str, "str | None"]
TENSOR = re.compile(r"tensor '(?P<name>.+?)' (?P<what>.+?)\.? expected (?P<old>.+?), actual (?P<new>.+)", re.DOTALL)
GRADIENT = re.compile(r"tensor '(?P<name>.+?)' requires_grad mismatch\. expected requires_grad=(?P<old>[01])")
TYPE = re.compile(
    r"expected type of '(?P<name>.+?)' to be (?P<old>.+?), .*?(?:but found|actual) (?P<new>.+)", re.DOTALL
)
STATE = re.compile(r"GLOBAL_STATE changed: (?P<names>.+)", re.DOTALL)
AUTOCAST = re.compile(r"autocast\((?P<device>\w+)\)_(?P<what>enabled|dtype)")
CLASS = re.compile(r"<class '(.+)'>")
MODES = "___check_torch_function_mode_stack()"
GETTERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "grad_mode": ("torch.is_grad_enabled()", lambda torch: torch.is_grad_enabled()),
    "deterministic_algorithms": (
        "torch.are_deterministic_algorithms_enabled()",
        lambda torch: torch.are_deterministic_algorithms_enabled(),
    ),
    "deterministic_algorithms_warn_only": (
        "torch.is_deterministic_algorithms_warn_only_enabled()",
        lambda torch: torch.is_deterministic_algorithms_warn_only_enabled(),
    ),
    "num_threads": ("torch.get_num_threads()", lambda torch: torch.get_num_threads()),
    "default_dtype": ("torch.get_default_dtype()", lambda torch: torch.get_default_dtype()),
    "allow_tf32": (
        "torch.backends.cuda.matmul.allow_tf32",
        lambda torch: torch.backends.cuda.matmul.allow_tf32,
    ),
}


def values(text: str, user_name: Callable[[str], str]) -> list[Entry] | None:
    """Each thing that the sentence says was another: `{"expression", "old", "new"}`; None when it is none of these."""
    if match := GRADIENT.match(text):
        old = match["old"] == "1"
        return [_entry(f"{user_name(match['name'])} requires_grad", str(old), str(not old))]
    if match := TENSOR.match(text):
        what = match["what"].replace(" mismatch", "").strip()
        return [_entry(f"{user_name(match['name'])} {what}".strip(), match["old"].strip(), match["new"].strip())]
    if match := TYPE.match(text):
        old = None if match["old"].startswith("a tensor type") else _plain(match["old"])
        return [_entry(f"type({user_name(match['name'])})", old, _plain(match["new"]))]
    if match := STATE.match(text):
        return [_state(name) for name in match["names"].split()]
    if text == MODES:
        return [_entry("torch function modes", None, _modes())]
    return None


def _entry(expression: str, old: str | None, new: str | None) -> Entry:
    return {"expression": expression, "old": old, "new": new}


def _plain(name: str) -> str:
    """`torch.Tensor` of `<class 'torch.Tensor'>`."""
    return CLASS.sub(r"\1", name.strip().rstrip("."))


def _state(name: str) -> Entry:
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return _entry(name, None, None)
    if match := AUTOCAST.fullmatch(name):
        device = match["device"]
        if match["what"] == "enabled":
            return _changed(f'torch.is_autocast_enabled("{device}")', torch.is_autocast_enabled(device))
        return _changed(f'torch.get_autocast_dtype("{device}")', torch.get_autocast_dtype(device))
    if name not in GETTERS:
        return _entry(name, None, None)
    expression, getter = GETTERS[name]
    return _changed(expression, getter(torch))


def _changed(expression: str, now: Any) -> Entry:
    """A state that is another now: what it was follows where it can only be true or false."""
    return _entry(expression, str(not now) if now is True or now is False else None, str(now))


def _modes() -> str | None:
    """The classes of the modes that are on, innermost last (torch/overrides.py)."""
    stack = getattr(sys.modules.get("torch.overrides"), "_get_current_function_mode_stack", None)
    return None if stack is None else f"[{', '.join(class_name(type(mode)) for mode in stack())}]"
