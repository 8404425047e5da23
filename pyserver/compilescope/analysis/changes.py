"""What changed when a guard failed: one word for the kind, and the check in words. The texts by kind are in `data`.

Reads torch's guards as 2.6 to 2.14 write them (torch/_dynamo/guards.py, torch/csrc/dynamo/guards.cpp).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import torch_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.analysis.facts import Failed

_TENSOR = {
    "size": "shape",
    "rank": "rank",
    "stride": "stride",
    "dtype": "dtype",
    "device index": "device",
    "requires_grad": "requires-grad",
}
_STATES = {
    "grad_mode": "grad-mode",
    "autocast": "autocast",
    "default_dtype": "default-dtype",
    "deterministic_algorithms": "deterministic",
    "deterministic_algorithms_warn_only": "deterministic",
    "num_threads": "threads",
}
# The keys of tensors that keep track of gradients, and of one that was made in `torch.inference_mode`.
_TRACKED = re.compile(r"ADInplaceOrView|Autograd\w+")
_LAZY = {"Negative", "Conjugate"}
_PLACES = re.compile(r"(?:Autograd|Quantized|Sparse(?:Csr)?|NestedTensor)*(?P<device>[A-Z]\w*)")
_DEVICES = {"CPU", "CUDA", "MPS", "XPU", "HPU", "Meta", "XLA", "MTIA", "MAIA", "PrivateUse1", "IPU", "VE", "Lazy"}
_KEYS = re.compile(r"\w+")
_SUBCLASS = {"Python", "PythonTLSSnapshot"}
_LAYOUT = re.compile(r"Sparse|MkldnnCPU|NestedTensor|Quantized")
_STACK = re.compile(r"___stack\d+")
# What torch says that is no Python expression, and Python expressions of one shape.
_PATTERNS = (
    (re.compile(r"^BACKEND_MATCH"), "backend"),
    (re.compile(r"^Duplicate tensors"), "aliases"),
    (re.compile(r"got deallocated$|^Cache line invalidated"), "gone"),
    (re.compile(r"^(?:Key|Index|Attribute)Error on "), "missing"),
    (re.compile(r"^expected type of '"), "tensor-type"),
    (re.compile(r"^___check_torch_function_mode_stack"), "modes"),
    (re.compile(r"^utils_device\.CURRENT_DEVICE"), "default-device"),
    (re.compile(r"_(?:forward|backward)(?:_pre)?_hooks\b"), "hooks"),
    (re.compile(r"\.training(?: ==| is|$)"), "training"),
    (re.compile(r"^_*check_obj_id\(.*\.__code__|^CodeGuardAccessor: Not a function on "), "function"),
    (re.compile(r"^_*check_type_id\(|^type\("), "type"),
    (re.compile(r"^_*check_obj_id\("), "object"),
    (re.compile(r"^(?:not )?(?:___dict_contains|___set_contains|set\.__contains__|hasattr)\("), "presence"),
    (re.compile(r"dict\.keys\(|___key"), "keys"),
    (re.compile(r"^len\("), "length"),
    (re.compile(r"^not (?!___)"), "length"),
    (re.compile(r"^2 <= [^<=>]*\.size\(\)\[\d+\]$"), "zero-one"),
    (re.compile(r"\.(?:size|stride|storage_offset)\(\)"), "shape-condition"),
    (re.compile(r"<=|<|>|!=|%"), "range"),
)
_EQUAL = re.compile(r"^(?P<what>.+?) (?:==|is) (?P<old>.+)$", re.DOTALL)
_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:e[-+]?\d+)?|inf)|nan")
# A tensor or an object as the tracer describes them.
_SET = re.compile(r"(?:frozenset\()?\{['\"\d-][^:]*\}|(?:frozen)?set\(\)|<(?:frozen)?set of \d+>")
_DESCRIBED = re.compile(r"\w+\[[\d, ]*\] |<")
_GLOBAL = re.compile(r"^G\[")
_CELL = re.compile(r"\.__closure__\[\d+\]\.cell_contents")
# An attribute, but for those of a slice or a range, which are numbers of its own.
_ATTRIBUTE = re.compile(r"^[A-Za-z_][^(]*\.(?!(?:start|stop|step)$)\w+$")
# What torch adds to a guard on an integer attribute of a module (torch/_dynamo/guards.py, 2.6 to 2.14).
_MODULE_INTEGER = "integer attributes of the nn.Module"
# A setting of an optimizer.
_SETTING = re.compile(r"param_groups\[\d+\]\['(?P<name>\w+)'\]")


@dataclass(frozen=True)
class Change:
    """`kind`: a key of `data/guards.json`. `check`: what was checked, with code in backticks."""

    kind: str
    check: str


def change(failed: Failed, is_free: Callable[[str], bool] | None = None) -> Change:
    """Return what changed. `is_free`: whether a name is a variable of a function around the compiled one."""
    guard = torch_text.user_names(failed.part)
    kind = _kind(guard, failed, is_free)
    return Change(kind, _check(kind, guard, failed))


def is_number(text: str | None) -> bool:
    """Whether a value is an int or a float, as Python writes them."""
    return bool(_NUMBER.fullmatch(text or ""))


def _kind(guard: str, failed: Failed, is_free: Callable[[str], bool] | None) -> str:
    if _STACK.search(guard):
        return "break-result"
    if about := torch_text.mismatch(guard):
        return _of_keys(failed) if about[1] == "dispatch key set" else _TENSOR.get(about[1], "tensor")
    return _of_state(guard, failed) or _of_sentence(guard, failed) or _of_value(guard, failed, is_free)


def _of_state(guard: str, failed: Failed) -> str | None:
    """Return the kind of what is global: the first that changed."""
    if failed.expression in {"default device", "backend"}:
        return failed.expression.replace(" ", "-")
    changed = guard.removeprefix("GLOBAL_STATE changed:")
    if changed == guard:
        return None
    first = next(iter(changed.split()), "").partition("(")[0]
    return _STATES.get(first, "global-state")


def _of_sentence(guard: str, failed: Failed) -> str | None:
    if failed.new == "NoneType" and guard.startswith(("expected type of", "___check_type_id")):
        return "none"
    return next((kind for pattern, kind in _PATTERNS if pattern.search(guard)), None)


def _of_value(guard: str, failed: Failed, is_free: Callable[[str], bool] | None) -> str:
    """Return the kind of a value that was compiled in: by where it lives, else by what it is."""
    equal = _EQUAL.match(guard)
    if equal is None:
        return "other"
    what = equal["what"]
    kind = _by_value(failed.old or equal["old"], failed.new)
    if kind == "none":
        return kind
    if _SETTING.search(what):
        return "optimizer"
    if _MODULE_INTEGER in failed.reason:
        return "module-integer"
    return _by_place(what, failed.part, is_free) or kind


def _by_place(what: str, part: str, is_free: Callable[[str], bool] | None) -> str | None:
    if _GLOBAL.match(part):
        return "global"
    if _CELL.search(what) or (what.isidentifier() and is_free is not None and is_free(what)):
        return "closure"
    return "attribute" if _ATTRIBUTE.search(what) else None


def _by_value(old: str, new: str | None) -> str:
    """Return the kind of a value that is neither a number nor a shape by itself: `value` if nothing more is known."""
    values = [one for one in (old, new) if one is not None]
    if "None" in values:
        return "none"
    if all(one in {"True", "False"} for one in values):
        return "bool"
    if all(is_number(one) for one in values):
        return "number" if len({one.lstrip("-").isdecimal() for one in values}) == 1 else "type"
    if all(one[:1] in {"'", '"'} for one in values):
        return "string"
    if new is not None and all(_SET.match(one) for one in (old, new)):
        return "elements"
    return "type" if new is not None and _DESCRIBED.match(new) and not _DESCRIBED.match(old) else "value"


def _of_keys(failed: Failed) -> str:
    """Return what made a tensor's dispatch keys others: its device, layout, class, or how it was made."""
    old, new = (set(_KEYS.findall(one or "")) - {"DispatchKeySet"} for one in (failed.old, failed.new))
    changed = old ^ new
    if _devices(old) != _devices(new):
        return "device"
    if changed & _SUBCLASS:
        return "tensor-type"
    if any(_LAYOUT.search(one) for one in changed):
        return "layout"
    if changed & _LAZY:
        return "lazy-view"
    tracking = changed and all(_TRACKED.fullmatch(one) for one in changed)
    return "inference-tensor" if tracking else "dispatch-keys"


def _devices(keys: set[str]) -> set[str]:
    found = {match["device"] for key in keys if (match := _PLACES.fullmatch(key))}
    return found & _DEVICES


def device_of(keys: str) -> str | None:
    """Return the device that a tensor's dispatch keys name: `cpu`; None if it is not clear."""
    found = _devices(set(_KEYS.findall(keys)))
    return found.pop().lower() if len(found) == 1 else None


_WORDS = {
    "rank": "number of dimensions of `{name}`",
    "dtype": "dtype of `{name}`",
    "requires-grad": "whether `{name}` requires gradients",
    "device": "device of `{name}`",
    "layout": "layout of `{name}`",
    "tensor-type": "class of `{name}`",
    "lazy-view": "whether `{name}` is a lazy view",
    "inference-tensor": "whether `{name}` is an inference tensor",
    "dispatch-keys": "dispatch keys of `{name}`",
    "none": "whether `{name}` is None",
    "type": "type of `{name}`",
    "object": "which object `{name}` is",
    "function": "which function `{name}` is",
    "missing": "whether `{name}` is there",
    "aliases": "whether tensors are the same one",
    "global-state": "a global setting of torch",
    "gone": "what it was compiled for still exists",
    "backend": "backend",
    "default-device": "default device",
    "modes": "torch function modes",
    "hooks": "hooks of `{name}`",
}
_NAMED = (
    re.compile(r"^_*check_(?:type|obj)_id\((?P<name>.+?)(?:\.__code__)?, \d+\)"),
    re.compile(r"^type\((?P<name>.+?)\)"),
    re.compile(r"^expected type of '(?P<name>.+?)' to be"),
    re.compile(r"^\w+Error on (?P<name>.+)$"),
    re.compile(r"^CodeGuardAccessor: Not a function on (?P<name>.+?)(?:\.__code__)?$"),
    re.compile(r"(?P<name>[A-Za-z_][\w.\[\]]*?)\._(?:forward|backward)(?:_pre)?_hooks"),
)
_PRESENCE = re.compile(
    r"^(?:not )?(?:___(?:dict|set)_contains\((?P<key>.+), (?P<owner>.+?)\)"
    r"|(?:hasattr|set\.__contains__)\((?P<on>.+?), (?P<name>.+)\))$"
)
# How torch words the length of a dict: what failed, in place of what was expected.
_OTHER_LENGTH = re.compile(r"^(len\(.+\)) != (\d+)$")
# An object that compiled code holds weakly (torch/csrc/dynamo/guards.cpp; torch/_dynamo/guards.py, `id_ref`).
_GONE = re.compile(r"^(?:Cache line invalidated because )?(?P<name>.*?) got deallocated$|^Cache line invalidated")
_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")


def _check(kind: str, guard: str, failed: Failed) -> str:
    if about := torch_text.mismatch(guard):
        name, what, dimension = about
        where = "" if dimension is None else f" in dimension {dimension}"
        return _WORDS[kind].format(name=name) if kind in _WORDS and not where else f"{what} of `{name}`{where}"
    if guard.startswith("GLOBAL_STATE changed:") and failed.expression:
        return f"`{failed.expression}`"
    if gone := _GONE.search(guard):
        return f"whether `{gone['name']}` still exists" if gone["name"] else _WORDS["gone"]
    guard = _OTHER_LENGTH.sub(r"\1 == \2", guard)
    return _named(kind, guard) or (f"`{shapes(guard)}`" if guard else "a check")


def key_of(guard: str) -> str | None:
    """Return the key or attribute whose presence a guard is about."""
    present = _PRESENCE.match(guard)
    return None if present is None else (present["name"] or present["key"]).strip("'")


def _named(kind: str, guard: str) -> str | None:
    if present := _PRESENCE.match(guard):
        owner, key = present["on"] or present["owner"], present["name"] or present["key"]
        return f"whether `{owner}` has `{key}`"
    words = _WORDS.get(kind)
    if words is None or "{" not in words:
        return words
    match = next((match for pattern in _NAMED if (match := pattern.search(guard))), None)
    return words.format(name=match["name"]) if match else None


def shapes(expression: str) -> str:
    """Return an expression with sizes as programs write them: `x.shape[0]`."""
    return _SIZE.sub(r".shape[\1]", expression)
