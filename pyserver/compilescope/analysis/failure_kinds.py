"""Which kind of failure it is (`data/failures.json`), and what is known to say about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis import explain, torch_text
from compilescope.analysis.data import load
from compilescope.analysis.explain import Words
from compilescope.analysis.stubs import fake_kernel
from compilescope.analysis.syntax import called, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Failure, Frame
    from compilescope.analysis.model import Pass

_OPERATOR = re.compile(r"\b([a-zA-Z_]\w*(?:::|\.)[a-zA-Z_]\w*)(?:\.default)?")
_TARGET = re.compile(r"^ *target: (\S+)$", re.MULTILINE)
_GOT = re.compile(r": got (?P<type>\w+)\((?P<quote>['\"])(?P<message>.*?)(?P=quote)\)")
_FIXED = re.compile(r"(?:You marked|marked) (?P<name>.+?) as dynamic but .*?constant \((?P<fixed>[^)]*)\)")
_SIZE = re.compile(r"L\['(?P<name>[^']*)'\]\.size\(\)\[(?P<index>\d+)\]")
_BACKEND = re.compile(r"Invalid backend: '([^']*)'")
_GUARD = re.compile(r"- [\d/]+: (.+)")
_COMPILER = re.compile(r"\berror: (.+)")
_DATA = re.compile(
    r"Could not (?:guard on|extract specialized integer from) data-dependent expression (?P<expression>[^\n]+?)"
    r"(?: \(unhinted|\n|$)"
)
_TRITON = re.compile(r"at (?P<line>\d+):\d+:\n(?P<source>\s*def (?P<kernel>\w+)\(.*)", re.DOTALL)
# What the shapes, types and devices of operands alone can be wrong about.
_SHAPES = re.compile(
    r"\b(?:shapes?|sizes?|dim(?:ension)?s?|broadcast\w*|dtypes?|devices?|must (?:have|match|be)|expected"
    r"|out of range)\b",
    re.IGNORECASE,
)
# Exceptions that only torch.compile's way of running operators makes.
_COMPILER_S = re.compile(r"(?:Unsupported|DataDependent|DynamicOutput)\w*|NotImplementedError|GuardOn\w+|.*SymNode\w*")
# Checks of torch's that a program makes: `torch._assert`, `torch._check_value`, `torch.testing.assert_close`.
_CHECK = re.compile(r"^torch\.(?:_assert|_check\w*|_assert_async|testing\.\w+)$")
# Who of torch runs what `comptime` gets (`ComptimeVariable.call_function`, 2.6 to 2.14).
_CALLS_BACK = re.compile(r"torch/_dynamo/(?:variables/misc|comptime)\.py")
_FIELD = re.compile(r"\{(\w+)\}")
_LONGEST = 160


def kind_of(fact: Failure, values: dict[str, str | None]) -> dict[str, Any]:
    """Return the first kind that fits."""
    return next(dict(one) for one in load("failures")["kinds"] if _fits(one, fact, values))


def values_of(context: Context, fact: Failure, place: Frame, passes: Iterable[Pass]) -> dict[str, str | None]:
    """Return what texts about a failure may use, as `data/failures.json` names it."""
    kind, message = fact.chain[-1] if fact.chain else ("?", "")
    whole = "\n".join(text for _, text in fact.chain)
    node = None if fact.node == "output" else fact.node_target or fact.node
    in_inductor = "torch/_inductor" in (fact.torch_frame or "")
    outer = name_of(fact.chain[0]) if fact.chain else ""
    foreign = (
        not in_inductor
        and outer != "InductorError"
        and (outer == "BackendCompilerFailed" or bool(fact.backend) or fact.stage == "compile")
    )
    fixed, refused, said = _FIXED.search(whole), _GUARD.search(whole), first_line(message)
    failing = next((one for one in passes if _raised_by(one, context.name(fact.where), kind, message)), None)
    source = context.sources.get(place.file)
    call = called(source, place)
    return {
        "what": what((kind, message)),
        "said": said or None,
        "plain": None if _COMPILER_S.fullmatch(kind.rpartition(".")[2]) else said or "?",
        "shapes": said if _SHAPES.search(said) and not _COMPILER_S.fullmatch(kind.rpartition(".")[2]) else None,
        "expression": text_at(source, context.ranges.meant(place)),
        "operator": _operator(fact, whole),
        "stub": fake_kernel(context, whole),
        "ran": context.function(fact.called_back[-1]) if fact.called_back else None,
        "comptime": _comptime(context, fact),
        "check": call if call and _CHECK.search(call) and not _COMPILER_S.fullmatch(kind.rpartition(".")[2]) else None,
        "backend": fact.backend,
        "node": node,
        "backend_node": node if foreign else None,
        "foreign_backend": (fact.backend or "?") if foreign else None,
        "function": context.function(fact.code) if fact.code is not None else None,
        "name": _named(fixed["name"]) if fixed else match[1] if (match := _BACKEND.search(whole)) else None,
        "fixed": fixed["fixed"] if fixed else None,
        "guard": first_line(refused[1]) if refused else None,
        "compiler": first_line(match[1]) if (match := _COMPILER.search(whole)) else None,
        "unknown": match["expression"].strip() if (match := _DATA.search(whole)) else None,
        **_triton(message),
        "pass": failing.function.rpartition(".")[2] if failing and failing.function else None,
        "slot": failing.slot if failing else None,
        **_cause(fact, call),
    }


def _triton(message: str) -> dict[str, str | None]:
    """Return what Triton's `CompilationError` says (triton/compiler/errors.py): the kernel, its line, what is wrong."""
    match = _TRITON.search(message)
    if match is None:
        return {"triton": None, "kernel": None, "kernel_line": None}
    lines = match["source"].split("\n")
    number = int(match["line"]) - 1
    said = [line.strip() for line in lines[number + 1 :] if line.strip(" ^")]
    return {
        "triton": first_line(said[-1]) if said else None,
        "kernel": match["kernel"],
        "kernel_line": lines[number].strip() if number < len(lines) else None,
    }


def words_of(entry: dict[str, Any], values: dict[str, str | None]) -> Words:
    """Return our words for a failure of this kind; hints of torch's, where they are asked for, are several."""

    def text(key: str) -> str:
        return filled(entry.get(key, ""), values) or filled(entry.get(f"{key}_plain", ""), values)

    common = {**load("failures")["hints"], **values}
    hints = (filled(hint, common) for hint in entry.get("hints", ()))
    return Words(
        title=text("title"),
        label=text("label"),
        explanation=text("explanation"),
        write=text("write"),
        hints=[one for hint in hints for one in hint.split("\n") if one],
    )


def filled(text: str, values: Mapping[str, str | None]) -> str:
    """Return `text` with its values filled in, empty when one of them is not known."""
    if not all(values.get(name) for name in _FIELD.findall(text)):
        return ""
    return _FIELD.sub(lambda match: str(values[match[1]]), text)


def blamed(context: Context, fact: Failure) -> Frame | None:
    """Return the line of the user's that torch's message itself shows, where it shows one (`User stack: …`)."""
    for _, message in fact.chain:
        _, found, stack = message.partition("User stack:")
        frames = torch_text.frames(stack, context.sources) if found else ()
        if (own := context.rules.caller(frames)) is not None:
            return own
    return None


def what(one: tuple[str, str]) -> str:
    """Return an exception in one line; the one that its message reports, if it does."""
    if got := _GOT.search(one[1]):
        return f"{got['type']}: {first_line(got['message'])}"
    first = first_line(one[1])
    return f"{name_of(one)}: {first}" if first else name_of(one)


def name_of(one: tuple[str, str]) -> str:
    """Return an exception's name without its module."""
    return one[0].rpartition(".")[2]


def first_line(message: str) -> str:
    """Return the first line that is not empty, shortened."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _fits(entry: dict[str, Any], fact: Failure, values: dict[str, str | None]) -> bool:
    if entry.get("stage") not in {None, fact.stage} or (entry.get("needs") and not values.get(entry["needs"])):
        return False
    if entry.get("by") and not re.search(entry["by"], fact.called_by or ""):
        return False
    if entry.get("ran") and not re.fullmatch(entry["ran"], fact.called_back[-1].function):
        return False
    if entry.get("types") and not any(re.fullmatch(entry["types"], name_of(link)) for link in fact.chain):
        return False
    return not entry.get("message") or any(re.search(entry["message"], text) for _, text in fact.chain)


def _comptime(context: Context, fact: Failure) -> str | None:
    """Return the code of the line that gives `comptime` the callback that raised (torch/_dynamo/comptime.py)."""
    last = next((frame for frame in reversed(fact.frames) if context.rules.in_user_code(frame.file)), None)
    if last is None or not fact.called_back or not _CALLS_BACK.search(fact.called_by or ""):
        return None
    line = context.sources.line(last.file, last.line) or ""
    return line.strip() if "comptime" in line else None


def _raised_by(one: Pass, compile_id: str, kind: str, message: str) -> bool:
    if not one.custom or one.error is None or one.compile_id.partition("_")[0] != compile_id:
        return False
    return one.error == kind.rpartition(".")[2] and first_line(one.message or "") == first_line(message)


def _operator(fact: Failure, whole: str) -> str | None:
    if fact.node_target:
        return fact.node_target
    match = _TARGET.search(whole) or _OPERATOR.search(whole)
    return match[1] if match else None


def _named(expression: str) -> str:
    """Return torch's `L['x'].size()[0]` in the program's words, `x.shape[0]`."""
    return _SIZE.sub(r"\g<name>.shape[\g<index>]", expression)


def _cause(fact: Failure, call: str | None) -> dict[str, str | None]:
    """Return our words and torch's hints for the graph break that an exception tells of."""
    message = next((text for name, text in fact.chain if name.endswith(".Unsupported")), "")
    told = torch_text.break_text(message)
    if not told.gb_type or not told.explanation:
        return {"cause": None, "torch_hints": None}
    cause = explain.graph_break(told.gb_id, told.gb_type, {"call": call}).title if call == "print" else ""
    hints = [one for one in told.hints if "report an issue" not in one and "open an issue" not in one]
    return {"cause": cause or None, "torch_hints": "\n".join(hints) or None}
