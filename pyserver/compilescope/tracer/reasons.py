"""What failed guards say that are no Python expressions: torch's sentences on tensors and on its global state.

Sentences of torch/csrc/dynamo/guards.cpp, 2.6 to 2.14.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.tracer import states

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = dict[str, "str | None"]
TENSOR = re.compile(r"tensor '(?P<name>.+?)' (?P<what>.+?)\.? expected (?P<old>.+?), actual (?P<new>.+)", re.DOTALL)
GRADIENT = re.compile(r"tensor '(?P<name>.+?)' requires_grad mismatch\. expected requires_grad=(?P<old>[01])")
TYPE = re.compile(
    r"expected type of '(?P<name>.+?)' to be (?P<old>.+?), .*?(?:but found|actual) (?P<new>.+)", re.DOTALL
)
STATE = re.compile(r"GLOBAL_STATE changed: (?P<names>.+)", re.DOTALL)
DEVICE = re.compile(r"utils_device\.CURRENT_DEVICE == (?P<old>.+)")
CLASS = re.compile(r"<class '(.+)'>")


def values(text: str, user_name: Callable[[str], str], scope: dict[str, Any]) -> list[Entry] | None:
    """Each thing that the sentence says was another: `{"expression", "old", "new"}`; None when it is none of these.

    `scope`: what the guard's expressions may name.
    """
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
        return states.state(match["names"], scope)
    if match := DEVICE.fullmatch(text):
        return [states.default_device(match["old"])]
    return [states.modes(scope)] if text == f"{states.MODES}()" else None


def _entry(expression: str, old: str | None, new: str | None) -> Entry:
    return {"expression": expression, "old": old, "new": new}


def _plain(name: str) -> str:
    """`torch.Tensor` of `<class 'torch.Tensor'>`."""
    return CLASS.sub(r"\1", name.strip().rstrip("."))
