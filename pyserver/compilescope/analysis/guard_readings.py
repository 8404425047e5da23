"""What a guard lets through, by what it looks at: so that the guards of several versions can be set side by side.

Reads guards as torch 2.6 to 2.14 write them (torch/_dynamo/guards.py, torch/csrc/dynamo/guards.cpp), in the program's
names (`guards.words`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import changes, guards, torch_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.facts import Failed
    from compilescope.analysis.guards import Guard

HOLDS = "holds"
"""What is accepted where a guard is a condition that names no value."""

ANY = "any"
"""What is accepted where nothing is asked."""

_TENSOR = re.compile(
    r"^check_tensor\((?P<name>.+?), (?P<type>[\w.]+), DispatchKeySet\((?P<keys>[^)]*)\), (?P<dtype>[\w.]+), "
    r"device=(?P<device>[^,]+), requires_grad=(?P<grad>\w+)(?:, size=\[(?P<size>[^\]]*)\])?"
    r"(?:, stride=\[(?P<stride>[^\]]*)\])?"
)
_TYPE_ID = re.compile(r"^_*check_type_id\((?P<name>.+), \d+\)(?:, type=<(?:class|enum) '(?P<type>.*)'>)?")
_OBJECT_ID = re.compile(r"^_*check_obj_id\((?P<name>.+), (?P<id>\d+)\)(?:, type=(?P<type>.*))?")
_CONTAINS = re.compile(r"^(?P<no>not )?(?:___(?:dict|set)_contains)\((?P<key>.+), (?P<owner>.+?)\)$")
_HAS = re.compile(r"^(?P<no>not )?(?:hasattr|set\.__contains__)\((?P<owner>.+?), (?P<key>.+?)\)(?: == (?P<is>\w+))?$")
_EMPTY = re.compile(r"^not (?P<name>[A-Za-z_][\w.\[\]']*)$")
_RANGE = re.compile(r"^(?:(?P<low>-?\d+) <= )?(?P<name>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)(?: <= (?P<high>-?\d+))?$")
_EQUAL = re.compile(r"^(?P<name>.+?) (?:==|is) (?P<value>.+)$", re.DOTALL)
_COMPARED = re.compile(r"[<>]|!=| (?:and|or) ")
_STATE = re.compile(r"^___check_global_state\(\) against \{(?P<state>.*)$")
_SETTING = re.compile(r'"(?P<name>\w+)":(?P<value>\{[^}]*\}?|[^,{}]+)')
_CHANGED = re.compile(r"^GLOBAL_STATE changed: *(?P<name>\w+)")
# What torch says of a guard in words, or by a name of its own.
_SENTENCE = re.compile(
    r"^(?:BACKEND_MATCH|Duplicate tensors|\w+Error on|Cache line|expected type of|len\(.+\) != \d+$"
    r"|___check_torch_function_mode_stack|utils_device\.)|got deallocated$"
)
_EXPECTED = re.compile(r"^expected type of '(?P<name>.+?)' to be .*but found <class '(?P<found>.+)'>")
_OWN = {"___check_torch_function_mode_stack": "torch function modes", "utils_device.": "default device"}
_DEVICE = re.compile(r"CURRENT_DEVICE == (?:None|device\(type='(?P<type>\w+)')")
_NAMED = {"DEFAULT_DEVICE": "default device", "TORCH_FUNCTION_MODE_STACK": "torch function modes"}
# How programs ask for torch's global state (torch/csrc/dynamo/guards.cpp, GlobalStateGuard).
_ASKED = {
    "grad_mode": "torch.is_grad_enabled()",
    "default_dtype": "torch.get_default_dtype()",
    "deterministic_algorithms": "torch.are_deterministic_algorithms_enabled()",
    "num_threads": "torch.get_num_threads()",
}
# Numbers of dtypes that can be the default (c10/core/ScalarType.h).
_DTYPES = {"5": "torch.float16", "6": "torch.float32", "7": "torch.float64", "15": "torch.bfloat16"}
_KINDS = (
    (re.compile(r"^TENSOR"), "TENSOR"),
    (re.compile(r"EQUALS|CONSTANT|TRUE_MATCH|FALSE_MATCH|NONE_MATCH|FLOAT_IS_NAN|COMPLEX"), "CONST"),
    (re.compile(r"LENGTH|LEN"), "LENGTH"),
    (re.compile(r"TYPE"), "TYPE"),
    (re.compile(r"DICT|SET_CONTAINS|HASATTR|ATTRIBUTE"), "DICT"),
    (re.compile(r"^ID_|FUNCTION_MATCH|BUILTIN|CLOSURE|CLASS_MATCH|ALIASING|WEAKREF"), "ID"),
    (re.compile(r"STATE|MODE|DEVICE|GRAD|DETERMINISTIC"), "STATE"),
    (re.compile(r"LAMBDA|SHAPE|SYMBOLIC|RANGE"), "CHECK"),
)
# The dtypes of tensor guards that failed (c10/core/ScalarType.h), as programs name them.
_SCALARS = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}
_SHORT = {
    "GLOBAL_STATE": "torch's global state",
    "TORCH_FUNCTION_MODE_STACK": "torch function modes",
    "DEFAULT_DEVICE": "default device",
}
_HOOKS = "hooks of saved tensors"
_BUILTINS = re.compile(r"__builtins_dict__\w+")
_PARTS = {
    "dtype": "{name}.dtype",
    "device index": "{name}.device",
    "dispatch key set": "{name}.device",
    "requires_grad": "{name}.requires_grad",
    "rank": "{name}.dim()",
    "stride": "{name}.stride()",
}


@dataclass(frozen=True)
class Reading:
    """A guard lets `about`, in the program's names, be what `accepts` says.

    `kind`: what sort of guard, in a word. `object_id`: of what torch knows by its address.
    """

    about: str
    kind: str
    accepts: str
    object_id: str | None = None


def kind_of(kind: str) -> str:
    """Return a short word for torch's kind of a guard."""
    return next((word for pattern, word in _KINDS if pattern.search(kind)), kind.removesuffix("_GUARD")[:12])


def readings(kind: str, code: str) -> Iterator[Reading]:
    """Yield what one guard lets through: of a tensor, each of its properties."""
    if tensor := _TENSOR.match(code):
        yield from _tensor(tensor)
    elif state := _STATE.match(code):
        for setting in _SETTING.finditer(state["state"]):
            yield _setting(setting["name"].removesuffix("_state"), setting["value"])
    elif kind in _NAMED:
        device = _DEVICE.search(code)
        yield Reading(_NAMED[kind], "STATE", HOLDS if device is None else device["type"] or "None")
    elif code:
        yield _reading(kind_of(kind), code)
    else:
        yield Reading(kind.lower().replace("_", " "), kind_of(kind), HOLDS)


def failing(failed: Failed) -> tuple[Reading, str | None]:
    """Return what a guard that failed let through, and the value that it met, if that is known.

    `accepts` is empty where it is not.
    """
    part = guards.words(failed.part)
    if about := torch_text.mismatch(part):
        return _mismatch(part, *about)
    if changed := _CHANGED.match(part):
        known = failed.expression or _setting(changed["name"], "").about
        return Reading(known, "STATE", failed.old or ""), failed.new
    if _SENTENCE.match(part) and failed.expression and not failed.expression.startswith("utils_device."):
        kind = "TYPE" if part.startswith("expected type") else "STATE" if "device" in failed.expression else "CHECK"
        old, new = (one and (one.rpartition(".")[2] if kind == "TYPE" else one) for one in (failed.old, failed.new))
        return Reading(guards.words(failed.expression), kind, old or ""), new
    if match := _EXPECTED.match(part):
        return Reading(f"type({match['name']})", "TYPE", "Tensor"), match["found"].rpartition(".")[2]
    named = next((name for start, name in _OWN.items() if part.startswith(start)), None)
    if named is not None:
        return Reading(named, "STATE", failed.old or ""), failed.new
    found = _reading("", part)
    if found.accepts == HOLDS and failed.old is not None and failed.expression:
        found = Reading(guards.words(failed.expression).strip("()"), found.kind, failed.old)
    if not found.about:
        found = Reading(failed.reason.strip().partition("\n")[0], found.kind, HOLDS)
    new = failed.new.rpartition(".")[2] if failed.new and found.kind == "TYPE" else failed.new
    if new is None and found.kind == "DICT":
        new = str(found.accepts != "True")
    return found, new


def short(guard: Guard) -> str:
    """Return what a guard checks in a few words, for where its value is named already."""
    if guard.kind in _SHORT:
        return _SHORT[guard.kind]
    if guard.kind == "DIMENSION_DYNAMIC_MARKING_GUARD" and guard.code.endswith("== False"):
        return "not marked dynamic"
    if tensor := _TENSOR.match(guard.code):
        sizes = "" if tensor["size"] is None else f"[{tensor['size'].replace('None', 'any')}]"
        grad = ", requires grad" if tensor["grad"] == "True" else ""
        return f"{dtype(tensor['dtype'])}{sizes} on {changes.device_of(tensor['keys']) or 'its device'}{grad}"
    if match := _TYPE_ID.match(guard.code):
        return f"is a {(match['type'] or '').rpartition('.')[2] or 'value of the same type'}"
    if _OBJECT_ID.match(guard.code):
        return "is the same object"
    return _HOOKS if "top_saved_tensors_hooks" in guard.code else guard.code or guard.kind


def value_name(expression: str) -> str:
    """Return how a value that guards hang on is called: in words for what torch keeps names in."""
    return "globals" if expression == "G" else "builtins" if _BUILTINS.fullmatch(expression) else expression


def dtype(text: str) -> str:
    """Return a dtype as programs name it: `float32`."""
    return _SCALARS.get(text, text.removeprefix("torch.").lower() if text.isalpha() else text.removeprefix("torch."))


def span(low: str | None, high: str | None) -> str:
    """Return a range in short: `2…6`, `≥ 7`; `any` without bounds."""
    start, end = (None if one is None or one.strip("-") in {"int_oo", "oo", "inf"} else one for one in (low, high))
    if start is not None and end is not None:
        return start if start == end else f"{start}…{end}"
    if start is not None:
        return f"≥ {start}"
    return ANY if end is None else f"≤ {end}"


def _tensor(match: re.Match[str]) -> Iterator[Reading]:
    name = match["name"]
    if match["size"] is not None:
        sizes = [one.strip() for one in match["size"].split(",") if one.strip()]
        for dimension, size in enumerate(sizes):
            yield Reading(f"{name}.shape[{dimension}]", "TENSOR", ANY if size == "None" else size)
        yield Reading(f"{name}.dim()", "TENSOR", str(len(sizes)))
    yield Reading(f"{name}.dtype", "TENSOR", dtype(match["dtype"]))
    yield Reading(f"{name}.requires_grad", "TENSOR", match["grad"])
    where = changes.device_of(match["keys"]) or "?"
    yield Reading(f"{name}.device", "TENSOR", where if match["device"] == "None" else f"{where}:{match['device']}")
    if match["stride"] is not None:
        yield Reading(f"{name}.stride()", "TENSOR", f"({match['stride'].replace('None', '*')})")
    yield Reading(f"type({name})", "TENSOR", match["type"])


def _mismatch(part: str, name: str, what: str, dimension: int | None) -> tuple[Reading, str | None]:
    _, old, new = torch_text.guard_values(part)
    if what == "size":
        return Reading(f"{name}.shape[{dimension or 0}]", "TENSOR", old or ""), new
    about = _PARTS.get(what, f"{{name}} {what}").format(name=name)
    if what == "dtype":
        return Reading(about, "TENSOR", dtype(old or "")), None if new is None else dtype(new)
    if what == "dispatch key set":
        return _keys(about, name, old or "", new or "")
    return Reading(about, "TENSOR", old or ""), new


def _keys(about: str, name: str, old: str, new: str) -> tuple[Reading, str | None]:
    """Return which device a tensor had, else which of torch's dispatch keys it had and has."""
    places = [changes.device_of(one) for one in (old, new)]
    if None not in places and places[0] != places[1]:
        return Reading(about, "TENSOR", places[0] or ""), places[1]
    before, after = (re.findall(r"\w+", one)[1:] for one in (old, new))
    gone, come = (
        ", ".join(key for key in one if key not in other) or "none more"
        for one, other in ((before, after), (after, before))
    )
    return Reading(f"dispatch keys of {name}", "TENSOR", gone), come


def _setting(name: str, value: str) -> Reading:
    """Return one part of torch's global state in the words of programs."""
    if name == "autocast":
        return Reading(name, "STATE", "on" if "true" in value.partition('enabled":[')[2] else "off")
    if name == "default_dtype":
        value = _DTYPES.get(value, value)
    return Reading(_ASKED.get(name, name), "STATE", {"true": "True", "false": "False"}.get(value, value))


def _reading(kind: str, code: str) -> Reading:
    """Return what a guard that is a Python expression, or nearly one, lets through."""
    found = _of_object(code) or _of_presence(code)
    if found is not None:
        return found
    bounds = _RANGE.match(code)
    if bounds and (bounds["low"] or bounds["high"]):
        return Reading(bounds["name"], kind or "CHECK", span(bounds["low"], bounds["high"]))
    equal = _EQUAL.match(code)
    if equal and not _COMPARED.search(code):
        return Reading(equal["name"], kind or "CONST", equal["value"])
    return Reading(code, kind or "CHECK", HOLDS)


def _of_object(code: str) -> Reading | None:
    if match := _TYPE_ID.match(code):
        return Reading(f"type({match['name']})", "TYPE", (match["type"] or "").rpartition(".")[2] or "the same")
    if match := _OBJECT_ID.match(code):
        return Reading(match["name"], "ID", "the same object", match["id"])
    return None


def _of_presence(code: str) -> Reading | None:
    if match := _CONTAINS.match(code):
        return Reading(f"{match['key']} in {match['owner'].removesuffix('.__dict__')}", "DICT", str(not match["no"]))
    if match := _HAS.match(code):
        present = (match["is"] or "True") == "True"
        return Reading(f"{match['key']} in {match['owner']}", "DICT", str(present != bool(match["no"])))
    if match := _EMPTY.match(code):
        return Reading(f"len({match['name']})", "LENGTH", "0")
    return None
