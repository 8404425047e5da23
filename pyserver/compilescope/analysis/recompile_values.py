"""What our words about a recompile are filled with: names, values, and what is known of how torch compiled it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import changes, syntax, torch_text
from compilescope.analysis.changes import is_number, shapes
from compilescope.analysis.facts import Compiled
from compilescope.analysis.frames import plain_function, resumed_at
from compilescope.analysis.ours import text
from compilescope.analysis.passed import is_wrapped, own_names, passed
from compilescope.analysis.price import calls
from compilescope.analysis.recompile_rows import line_of
from compilescope.analysis.rounding import rounded_pair
from compilescope.analysis.scopes import scope_of
from compilescope.analysis.stack_values import kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Failed, Frame, Recompile
    from compilescope.analysis.scopes import Scope
    from compilescope.analysis.symbols import Symbols

Values = dict[str, "str | None"]

# What of `math` torch has by the same name, for tensors.
_MATH = re.compile(
    r"math\.(?:acosh?|asinh?|atanh?|atan2|ceil|cosh?|erf|exp|expm1|floor|log|log10|log1p|log2|pow|sinh?|sqrt|tanh?|trunc)"
)
# A guard's expression that is one thing, with what is asked of it around.
_THING = re.compile(r"(?:len\(|type\(|not |'\w+' in )?(?P<thing>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)\)?")
_SETTING = re.compile(r"param_groups\[\d+\]\['(?P<name>\w+)'\]")
_DIMENSION = re.compile(r"\.size\(\)\[(\d+)\]")
_STATIC = re.compile(r'"automatic_dynamic_shapes": false')
_CLASS = re.compile(r"^<class '(?:[\w]+\.)*(?P<name>\w+)'>(?: \(HINT: type \w+\))?$")
_TYPE = re.compile(r"^(?:__main__|torch|builtins)\.(?:[a-z_]\w*\.)*")
_LENGTH = re.compile(r"(?:<\w+ of )?(\d+)>?")
_CELL = re.compile(r"^(?P<owner>.+?)\.__closure__\[\d+\]\.cell_contents")
# Torch's names of scalar types (c10/core/ScalarType.h) that programs call otherwise.
_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}


def values(  # noqa: PLR0917
    context: Context, symbols: Symbols, fact: Recompile, failed: Failed, subject: str, count: int
) -> Values:
    """Return what is known of one guard that failed, by the names that the texts use.

    `subject`: what it is about. `count`: of how many that one finding tells.
    """
    kind = kind_of(context, fact, failed)
    about = torch_text.mismatch(torch_text.user_names(failed.part))
    old, new = _shown(kind, failed)
    dimension = str(about[2]) if about and about[2] is not None else None
    dimension = dimension or next(iter(_DIMENSION.findall(failed.expression or "")), None)
    setting = _SETTING.search(failed.expression or "")
    name = _name(kind, subject, failed, tensor=about is not None)
    given = passed(context, fact, name or subject)
    if given is not None:
        name = own_names(context, fact, name or subject)
    static = "yes" if _is_static(context, fact) else None
    return {
        "name": name,
        "tensor": name if given is not None or _is_given(context, fact) else None,
        "old": old,
        "new": new,
        "dim": dimension,
        "what": about[1] if about else None,
        "count": str(count),
        "line": str(line_of(fact)),
        "kept": kept(context, fact.where.process, fact.code) if subject.startswith("___stack0") else None,
        "check": own_names(context, fact, shapes(torch_text.user_names(failed.part))),
        "expression": own_names(context, fact, shapes(_plain(failed.expression or ""))) or None,
        "key": changes.key_of(torch_text.user_names(failed.part)),
        "cell": "yes" if _CELL.match(failed.expression or "") else None,
        "learned": "yes" if symbols.learned(fact.where) else None,
        "setting": setting["name"] if setting else None,
        "static": static,
        "fixed_line": _fixed(context, symbols, fact, failed, f"{subject}.shape[{dimension}]") if dimension else None,
        "static_number": static if is_number(failed.old) else None,
        "wrapper": "yes" if kind == "function" and _scope(context, fact, name or "") == "closure" else None,
        "keyword": "yes" if kind == "presence" and _is_collected(context, fact, name or "") else None,
        "other_backend": "yes" if old and new and old != new else None,
        **(_fate(context, fact, failed) if count == 1 and not static else {}),
    }


def kind_of(context: Context, fact: Recompile, failed: Failed) -> str:
    """Return the kind of what changed, a key of `data/guards.json`."""
    kind = changes.change(failed, lambda name: _scope(context, fact, name) == "closure").kind
    if kind in {"type", "object"} and is_wrapped(fact.code, failed.expression or ""):
        return "wrapper"
    if kind == "length":
        thing = _THING.fullmatch(torch_text.user_names(failed.expression or ""))
        if thing and _scope(context, fact, thing["thing"]) == "collected":
            return "arguments"
    return kind


def needing(context: Context, place: Frame) -> tuple[Frame, Values]:
    """Return the call around a guarded value that needs the exact number, with words about it; else the place as is."""
    source = context.sources.get(place.file)
    found = syntax.number_call(source, place)
    if found is None or source is None:
        return place, {}
    frame, call = found
    line = (source.line(frame.line) or "").strip()
    return frame, {"call": call, "write": line.replace(call, f"torch.{call[5:]}") if _MATH.fullmatch(call) else None}


def settled(context: Context, facts: Sequence[Recompile], failed: Sequence[Failed]) -> bool:
    """Whether several recompiles for one number ended: the last of them made it variable, and served later calls."""
    numbers = all(is_number(one.old) and not torch_text.mismatch(torch_text.user_names(one.part)) for one in failed)
    return numbers and _served(context, facts) and "variable" in _fate(context, facts[-1], failed[-1])


def grown(context: Context, symbols: Symbols, facts: Sequence[Recompile], kinds: set[str]) -> bool:
    """Whether each of several recompiles made one more dimension variable, and the last served later calls."""
    return kinds == {"shape"} and _served(context, facts) and all(symbols.learned(fact.where) for fact in facts)


def _served(context: Context, facts: Sequence[Recompile]) -> bool:
    """Whether several recompiles are of one frame and the last one's version was used again."""
    one_frame = len({(fact.where.process, fact.where.reset, fact.code) for fact in facts}) == 1
    return one_frame and len(facts) > 1 and (calls(context, facts[-1].where) or 0) > 1


def _shown(kind: str, failed: Failed) -> tuple[str | None, str | None]:
    old, new = rounded_pair(failed.old or "", failed.new or "")
    if kind == "dtype":
        return _DTYPES.get(old, old) or None, _DTYPES.get(new, new) or None
    if kind == "device" and "DispatchKeySet" in old:
        return changes.device_of(old), changes.device_of(new)
    if kind in {"tensor-type", "type", "wrapper"}:
        said = (failed.expression or "").startswith("type(")
        old, new = _CLASS.sub(r"\g<name>", old), _CLASS.sub(r"\g<name>", new)
        return (_TYPE.sub("", old) or None, _TYPE.sub("", new) or None) if said else (None, None)
    if kind in {"length", "arguments"}:
        counted = _LENGTH.fullmatch(new)
        return "0" if failed.part.startswith("not ") else old or None, counted and counted[1]
    return shapes(torch_text.user_names(old)) or None, new or None


def _plain(expression: str) -> str:
    """Return an expression without parentheses around the whole of it."""
    inner = expression[1:-1]
    whole = expression.startswith("(") and expression.endswith(")") and inner.partition(")")[0] == inner
    return inner if whole else expression


def _name(kind: str, subject: str, failed: Failed, *, tensor: bool) -> str | None:
    """Return what a guard is about in the words of the program."""
    expression = torch_text.user_names(failed.expression or "")
    match = None if tensor else _THING.fullmatch(expression)
    name = match["thing"] if match else subject or failed.expression
    if kind == "closure" and name and (cell := _CELL.match(name)):
        return cell["owner"]
    for end in (".__dict__", ".__code__", "._modules"):
        name = name and name.removesuffix(end)
    return name


def _is_given(context: Context, fact: Recompile) -> bool:
    """Whether what is guarded comes from the caller: of the user's own function, from its start."""
    return context.rules.in_user_code(fact.code.file) and resumed_at(fact.code.function) is None


def _is_static(context: Context, fact: Recompile) -> bool:
    """Whether nothing becomes variable at its second value: `dynamic=False`, in torch's record of its configuration."""
    one = context.compiles.by_id.get(fact.where)
    return bool(_STATIC.search(text(((one.metrics if one else None) or {}).get("dynamo_config")) or ""))


def _fixed(context: Context, symbols: Symbols, fact: Recompile, failed: Failed, expression: str) -> str | None:
    """Return the line that allows one size only, in the version that failed or in one of those around it."""
    versions = dict.fromkeys((failed.entry, *(one.entry for one in fact.failed)))
    for version in versions:
        for one in symbols.specializations.get(Compiled(fact.where.process, version, fact.where.reset), ()):
            if one.expression == expression and one.place and context.rules.in_user_code(one.place.file):
                return str(one.place.range.start.line + 1)
    return None


def _scope(context: Context, fact: Recompile, name: str) -> Scope | None:
    source = context.sources.get(fact.code.file)
    function = syntax.function_at(source, fact.code.line, plain_function(fact.code.function))
    return scope_of(source, function, name)


def _is_collected(context: Context, fact: Recompile, name: str) -> bool:
    """Whether a name is what a function collects keywords in; without its source what nearly everyone calls it."""
    return (_scope(context, fact, name) or ("collected" if name == "kwargs" else None)) == "collected"


def _fate(context: Context, fact: Recompile, failed: Failed) -> Values:
    """Return what became of a number that had a second value: torch made it variable, or that is not known."""
    source, equal, _ = torch_text.user_names(failed.part).rpartition(" == ")
    if not equal or not is_number(failed.old) or (failed.new and not is_number(failed.new)):
        return {}
    made = context.facts.guards.get(fact.where)
    if made is None:
        return {"number": "yes"}
    fixed = any(torch_text.user_names(one).startswith(f"{source} == ") for one in made)
    return {} if fixed else {"variable": "yes"}
