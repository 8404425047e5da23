"""What the program passes to something of torch's that was compiled: its own words for `args[0]` and `kwargs['x']`.

A module of `torch.nn` that is compiled by itself runs through `inner(*args, **kwargs)` (`wrap_inline` in
torch/_dynamo/external_utils.py, 2.6 to 2.14), an optimizer's step through a `wrapper` whose first argument is itself.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import syntax
from compilescope.analysis.facts import Frame

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Recompile

_COLLECTED = re.compile(r"\b(?:args\[(?P<index>\d{1,3})\]|kwargs\['(?P<key>\w+)'\]|(?P<fn>fn)\b(?![\[(']))")
_INLINE = re.compile(r"torch[\\/]_dynamo[\\/]external_utils\.py$")
_OPTIMIZER = re.compile(r"torch[\\/]optim[\\/]optimizer\.py$")
_LONGEST = 40


@dataclass(frozen=True)
class Passed:
    """What a call passes: `name`, in the program's words, and where. `plain`: the name is one of the program's."""

    name: str
    place: Frame
    plain: bool


def passed(context: Context, fact: Recompile, expression: str) -> Passed | None:
    """Return what the program's call passes for what torch's wrapper collects; None where that is not in it."""
    match = _COLLECTED.search(expression)
    call = _call(context, fact) if match else None
    if match is None or call is None:
        return None
    index = int(match["index"]) if match["index"] else None
    value: ast.expr | None
    if match["fn"]:
        value, index = call.func, None
    elif index is None:
        value = next((one.value for one in call.keywords if one.arg == match["key"]), None)
    else:
        method = bool(_OPTIMIZER.search(fact.code.file)) and isinstance(call.func, ast.Attribute)
        value = _by_position(call, index, method=method)
    caller = context.rules.caller(fact.above)
    parameter = _parameter(context, fact, index, match["key"])
    if value is None and caller is not None and parameter is not None:
        return Passed(parameter, caller, plain=False)
    if value is None or caller is None:
        return None
    text = ast.unparse(value)
    plain = isinstance(value, ast.Name | ast.Attribute) and len(text) <= _LONGEST
    name = text if plain else parameter or text
    place = Frame(caller.file, value.lineno, caller.function, value.end_lineno, value.col_offset, value.end_col_offset)
    return Passed(name, place, plain) if len(name) <= _LONGEST else None


def own_names(context: Context, fact: Recompile, text: str) -> str:
    """Return a text with the program's words for what torch's wrapper collects."""
    if context.rules.in_user_code(fact.code.file):
        return text

    def own(match: re.Match[str]) -> str:
        found = passed(context, fact, match[0])
        return match[0] if found is None else found.name

    return _COLLECTED.sub(own, text)


def is_inline(code: Frame) -> bool:
    """Whether a frame's code is the wrapper that all modules of `torch.nn` share."""
    return bool(_INLINE.search(code.file))


def is_wrapped(code: Frame, expression: str) -> bool:
    """Whether an expression is what a shared wrapper of torch's wraps: a module, or the optimizer of a `step`."""
    if is_inline(code):
        return expression.startswith("type(fn")
    return bool(_OPTIMIZER.search(code.file)) and expression in {"args[0]", "type(args[0])"}


def _call(context: Context, fact: Recompile) -> ast.Call | None:
    """Return the program's call of the wrapper."""
    known = _INLINE.search(fact.code.file) or _OPTIMIZER.search(fact.code.file)
    caller = context.rules.caller(fact.above) if known else None
    source = context.sources.get(caller.file) if caller is not None else None
    if caller is None or source is None:
        return None
    calls = [node for node in syntax.nodes(source) if isinstance(node, ast.Call) and node.lineno == caller.line]
    exact = [node for node in calls if syntax.starts(node, caller) and node.end_col_offset == caller.end_col]
    if exact:
        return exact[0]
    return calls[0] if caller.col is None and len(calls) == 1 else None


def _by_position(call: ast.Call, index: int, *, method: bool) -> ast.expr | None:
    if method and index == 0:
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    given = call.args[: index + 1 - method]
    if len(given) <= index - method or any(isinstance(one, ast.Starred) for one in given):
        return None
    return given[-1]


def _parameter(context: Context, fact: Recompile, index: int | None, key: str | None) -> str | None:
    """Return the parameter's name in the `forward` that the wrapper calls."""
    if index is None:
        return key
    one = context.compiles.by_id.get(fact.where)
    called = one.calls_to if one is not None else None
    source = context.sources.get(called.file) if called is not None else None
    function = None
    if called is not None and "." in called.function:  # of a module: a partial function has arguments already
        function = syntax.function_at(source, called.line, called.function.rpartition(".")[2])
    if function is None:
        return None
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] == ["self"] else names
    return names[index] if index < len(names) else None
