"""Graph breaks: `graph-break`, `frame-skipped`, `graph-break-error`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from compilescope.analysis import asked, classify, explain, raising, registry, related, skips, torch_text
from compilescope.analysis.context import Context, add_once, stack_of, times
from compilescope.analysis.drawn import drawn
from compilescope.analysis.leaving_out import may_be_left_out
from compilescope.analysis.model import Finding, Range, Rule, Severity
from compilescope.analysis.pieces import Pieces
from compilescope.analysis.surroundings import branch_kind
from compilescope.analysis.syntax import called, definition, function_at, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.explain import Words
    from compilescope.analysis.facts import Break, Compiled, Frame

_RULES: dict[str, tuple[Rule, Severity]] = {
    "break": ("graph-break", "warning"),
    "frame-skipped": ("frame-skipped", "warning"),
    "error": ("graph-break-error", "error"),
}
_LONGEST_CODE = 100
_PAGE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/{}.html"
_MODULE = re.compile(r"torch[\\/]nn[\\/]modules[\\/]module\.py$")
_QUALNAME = re.compile(r"\bqualname: ([\w.<>]+)")
_TENSOR_METHOD = re.compile(r"call_method TensorVariable\(\) (\w+)")

_Key = tuple[str, int, str, Range | None]


@dataclass
class _Group:
    """All breaks of one reason at one place."""

    key: _Key
    facts: list[Break] = field(default_factory=list)
    places: list[Frame] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The worst that came of it."""
        return next(kind for kind in ("error", "frame-skipped", "break") if any(f.kind == kind for f in self.facts))


def findings(context: Context) -> list[Finding]:
    """Return one finding for each place and reason."""
    groups = _groups(context)
    pieces = Pieces(context)
    pieces.give((group.key, fact) for group in groups for fact in group.facts)
    return [_finding(context, group, pieces) for group in groups]


def _groups(context: Context) -> list[_Group]:
    """Sort the breaks by place and reason; one whose column is not known goes to another one on its line."""
    groups: dict[_Key, _Group] = {}
    placed = [
        (fact, place)
        for fact in skips.joined(one for one in context.facts.breaks if one.kind in _RULES)
        if (place := _place(context, fact)) is not None
    ]
    for fact, place in sorted(placed, key=lambda one: one[1].col is None):
        line = (place.file, place.line, _reason(fact))
        key: _Key = (*line, None if place.col is None else context.ranges.of(place))
        if place.col is None:
            key = next((one for one in groups if one[:3] == line), key)
        group = groups.setdefault(key, _Group(key))
        group.facts.append(fact)
        group.places.append(place)
    return list(groups.values())


def _place(context: Context, fact: Break) -> Frame | None:
    """Return the user's line that breaks; for a function that torch gave up before its compile began, its name."""
    code = fact.code
    if fact.where.id is None and not fact.frames and code is not None and context.rules.in_user_code(code.file):
        source = context.sources.get(code.file)
        function = function_at(source, code.line, code.function)
        return code if function is None or source is None else definition(function, source, code.file)
    return context.rules.place(stack_of(fact.above, fact.frames)) or code


def _reason(fact: Break) -> str:
    """Return what tells breaks of one line apart: the kind, and of what is never traced which function it is."""
    named = _QUALNAME.search(fact.context)
    kind = fact.gb_type or fact.gb_id or fact.reason.strip().partition("\n")[0]
    return f"{kind}: {named[1]}" if named else kind


def _finding(context: Context, group: _Group, pieces: Pieces) -> Finding:
    kind = group.kind
    rule, severity = _RULES[kind]
    fact = next(fact for fact in group.facts if fact.kind == kind)
    expected = kind == "break" and asked.by_torch(context, fact)
    # The outermost frame's break has the whole stack; a break met again in a piece of it has less.
    longest = max(group.facts, key=lambda one: len(one.frames))
    place = max(group.places, key=lambda one: one.col is not None)
    deepest = _deepest(context, fact) or place
    words = _words(context, fact, place)
    skip = fact.skip_id or registry.number(fact.skip_type)
    code = skip or fact.gb_id or registry.number(fact.gb_type)
    resumed = pieces.of(group.key)
    ids: list[str] = []
    add_once(ids, (context.name(one.where) for one in group.facts if one.where.id is not None))
    detail: dict[str, object] = {
        "kind": kind,
        "gb_type": fact.skip_type or fact.gb_type,
        "cause": fact.gb_type if fact.skip_type else None,
        "label": words.label,
        "function": context.compiled(fact.where, fact.code or place, longest.frames),
        "write": words.write,
        "note": words.note,
        "resumed": [context.name(one) for one in resumed],
        "context": fact.context,
    }
    if kind == "frame-skipped":
        detail["skipped"] = frame = skips.frame_of(context, fact, place)
        detail["function"] = frame["function"] if detail["function"] == "inner" else detail["function"]
    detail["related"] = _related(context, fact, context.ranges.meant(place))
    return Finding(
        rule=rule,
        severity="information" if expected else severity,
        file=place.file,
        range=context.ranges.of(place),
        title=words.title,
        explanation=words.explanation,
        reason=fact.reason.strip(),
        class_=classify.of_break(fact.gb_type, fact.user_error, in_library=context.rules.in_library(deepest.file)),
        stage="capture",
        code=code or rule,
        href=_PAGE.format(code.lower()) if code else None,
        compile_ids=ids,
        count=times(fact.where for fact in group.facts),
        cost_s=context.seconds(_spent(group, resumed, pieces)),
        frames=context.rules.shown(stack_of(longest.above, longest.frames), context.ranges),
        hints=words.hints if expected or words.complete else explain.with_torch_s(words, _hints(group.facts)),
        detail={key: value for key, value in detail.items() if value not in (None, "", [])},
    )


def _related(context: Context, fact: Break, place: Frame) -> list[related.Related]:
    """Return the block that a skipped frame is in, else where the value was computed that a branch depends on."""
    if fact.kind == "frame-skipped":
        return related.block(context, fact.frames[0] if fact.frames else place, skips.block(context, fact))
    return related.computed(context, place) if _is_branch(fact) else []


def _spent(group: _Group, resumed: list[Compiled], pieces: Pieces) -> list[Compiled]:
    """Return the compiles whose seconds a cause cost: no two findings have the same one."""
    lost = [one.where for one in group.facts if one.kind != "break" and not pieces.given(one.where)]
    return [*resumed, *lost]


def _hints(facts: Iterable[Break]) -> list[str]:
    hints: list[str] = []
    for fact in facts:
        add_once(hints, fact.hints or registry.hints(fact.gb_id, fact.gb_type))
    return hints


def _words(context: Context, fact: Break, place: Frame) -> Words:
    """Return our words for a break; for one in library code they say so, and what the user's line calls."""
    deepest = _deepest(context, fact) or place
    own = (deepest.file, deepest.line) == (place.file, place.line)
    source = context.sources.get(place.file)
    user_call = called(source, place)
    if fact.kind == "break" and asked.by_torch(context, fact):
        return explain.torch_s_own({"user_call": user_call}, wraps=asked.wraps_compiled(context, fact))
    inside = user_call or (None if own else text_at(source, place))
    values = {**_values(context, fact, deepest), "user_call": inside}
    words = explain.graph_break(fact.gb_id, fact.gb_type, values)
    words.explanation = words.explanation or fact.explanation or registry.explanation(fact.gb_id, fact.gb_type)
    if not own and words.title and not words.about_caller:
        words.title = f"inside {_inside(deepest, inside)}, {words.title}"
        if context.rules.in_library(deepest.file):
            words.write = words.note = ""
    if context.rules.in_package(deepest.file):
        words.hints = explain.in_package(words.hints)
    if _in_hook(fact, deepest) and not context.rules.in_library(deepest.file):
        words.hints = explain.in_hook(words.hints)
    if fact.kind == "error":
        words.label = explain.stopped()
    if fact.kind != "frame-skipped":
        return words
    frame = skips.frame_of(context, fact, place)
    skipped = explain.skipped(
        skips.reason(fact),
        {
            "frame": str(frame["function"]) or context.function(place),
            "spot": skips.spot(context, fact),
            "cause": words.title if values["failed"] else None,
        },
        rest="rest" in frame,
        again="versions" in frame,
    )
    skipped.label, skipped.write = words.title, words.write
    skipped.note = explain.another_way(words, skipped)
    skipped.hints, skipped.complete = [*words.hints, *skipped.hints], words.complete
    return skipped


def _inside(deepest: Frame, called_there: str | None) -> str:
    """Return what the user's line runs that breaks; of code without a file (a notebook's cell, `exec`) also where."""
    where = f"line {deepest.line} of `{deepest.file}`" if deepest.file.startswith("<") else ""
    if called_there is None:
        return where or "library code"
    return f"`{called_there}` ({where})" if where else f"`{called_there}`"


def _deepest(context: Context, fact: Break) -> Frame | None:
    """Return the innermost frame that is somebody's code: not what torch runs in place of a builtin."""
    frames = [frame for frame in fact.frames if not context.rules.in_place_of_builtin(frame.file)]
    return next(reversed(frames), None)


def _values(context: Context, fact: Break, deepest: Frame) -> dict[str, str | None]:
    source = context.sources.get(deepest.file)
    text = text_at(source, deepest, _LONGEST_CODE)
    return {
        "call": _call(context, fact, deepest),
        "branch": branch_kind(source, deepest) if _is_branch(fact) else None,
        "statement": text if may_be_left_out(source, deepest) else None,
        "drawn": drawn(source, deepest),
        "failed": raising.statement(source, fact, deepest),
        "exception": raising.exception(fact),
        "function": context.function(deepest),
        "context": fact.context,
        "through": None if context.rules.in_user_code(deepest.file) else _through(fact),
    }


def _through(fact: Break) -> str:
    """Return torch's files that lead to a break: what of torch the program is in."""
    files = (frame.file.replace("\\", "/") for frame in stack_of(fact.above, fact.frames))
    return "\n".join(dict.fromkeys(file for file in files if "/torch/" in file))


def _in_hook(fact: Break, deepest: Frame) -> bool:
    """Whether a break is in a module's hook: a function that `nn.Module` itself calls, and no `forward`."""
    for caller, frame in pairwise(fact.frames):
        if frame == deepest and frame.function != "forward":
            return bool(_MODULE.search(caller.file))
    return False


def _call(context: Context, fact: Break, deepest: Frame) -> str | None:
    """Return what is called where a graph ends: as the program names it, else as torch does if the line has that."""
    written = called(context.sources.get(deepest.file), deepest)
    if _TENSOR_METHOD.match(fact.context) and written is not None and "." in written:
        return f".{written.strip('.()').rpartition('.')[2]}()"
    if written is not None:
        return written
    said, line = torch_text.called_in(fact.context), context.sources.line(deepest.file, deepest.line)
    return said if said is not None and (line is None or said.strip(".()") in line) else None


def _is_branch(fact: Break) -> bool:
    return bool(fact.gb_type and re.search(r"branching|assert|data.dependent", fact.gb_type, re.IGNORECASE))
