"""Graph breaks: `graph-break`, `frame-skipped`, `graph-break-error`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis import classify, explain, torch_text
from compilescope.analysis.context import Context, add_once, stack_of, times
from compilescope.analysis.facts import Frame
from compilescope.analysis.frames import resumed_at
from compilescope.analysis.model import Finding, Rule, Severity
from compilescope.analysis.syntax import branch_kind, called, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.explain import Words
    from compilescope.analysis.facts import Break, Compiled

_RULES: dict[str, tuple[Rule, Severity]] = {
    "break": ("graph-break", "warning"),
    "frame-skipped": ("frame-skipped", "warning"),
    "error": ("graph-break-error", "error"),
}
_LONGEST_CODE = 100
# Hints of torch's that say nothing about the line.
_EMPTY_HINT = re.compile(
    r"report an issue to PyTorch|may have been caused by an earlier graph break|^This graph break is"
)
# A call of `torch._dynamo.graph_break()`, or of a function that `torch.compiler.disable` keeps out.
_ASKED = {"GB0025", "GB0098", "GB0099"}
_ASKED_TYPE = re.compile(r"torch\._dynamo\.graph_break|^Forced graph break|torch\.(?:compiler|_dynamo)\.disable")
_PAGE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/{}.html"
_SKIPPED_FRAME = re.compile(r"frame skipped: (?P<name>\S+) \((?P<file>.+) line (?P<line>\d{1,9})\)")


@dataclass
class _Group:
    """All breaks of one reason on one line."""

    facts: list[Break] = field(default_factory=list)
    places: list[Frame] = field(default_factory=list)


def findings(context: Context) -> list[Finding]:
    """Return one finding for each line and reason."""
    groups: dict[tuple[str, int, str], _Group] = {}
    for fact in context.facts.breaks:
        if fact.kind not in _RULES:
            continue
        place = context.rules.place(stack_of(fact.above, fact.frames)) or fact.code
        if place is None:
            continue
        group = groups.setdefault((place.file, place.line, _reason(fact)), _Group())
        group.facts.append(fact)
        group.places.append(place)
    return [_finding(context, group) for group in groups.values()]


def _reason(fact: Break) -> str:
    return fact.gb_type or fact.gb_id or fact.reason.strip().partition("\n")[0]


def _finding(context: Context, group: _Group) -> Finding:
    kind = next(kind for kind in ("error", "frame-skipped", "break") if any(fact.kind == kind for fact in group.facts))
    rule, severity = _RULES[kind]
    fact = next(fact for fact in group.facts if fact.kind == kind)
    expected = kind == "break" and _is_torch_s_own(context, fact)
    # The outermost frame's break has the whole stack; a break met again in a piece of it has less.
    longest = max(group.facts, key=lambda one: len(one.frames))
    place = max(group.places, key=lambda one: one.col is not None)
    stack = stack_of(longest.above, longest.frames)
    deepest = fact.frames[-1] if fact.frames else place
    words = _words(context, fact, place)
    code = fact.skip_id or fact.gb_id
    resumed = _resumed(context, group.facts)
    spent = resumed if kind == "break" else [*resumed, *(one.where for one in group.facts if one.kind != "break")]
    ids: list[str] = []
    add_once(ids, (context.name(one.where) for one in group.facts))
    detail: dict[str, object] = {
        "kind": kind,
        "gb_type": fact.skip_type or fact.gb_type,
        "cause": fact.gb_type if fact.skip_type else None,
        "label": words.label,
        "function": context.function(fact.code or place),
        "write": words.write,
        "note": words.note,
        "resumed": [context.name(one) for one in resumed],
        "context": fact.context,
    }
    if kind == "frame-skipped":
        detail["skipped"] = _skipped_frame(context, fact, place)
    hints: list[str] = []
    add_once(
        hints,
        words.hints
        if expected
        else [*words.hints, *(hint for one in group.facts for hint in one.hints if not _EMPTY_HINT.search(hint))],
    )
    return Finding(
        rule=rule,
        severity="information" if expected else severity,
        file=place.file,
        range=context.ranges.of(place),
        title=words.title,
        explanation=words.explanation,
        reason=fact.reason.strip(),
        class_=classify.of_break(
            fact.gb_type, fact.user_error, in_library=not context.rules.in_user_code(deepest.file)
        ),
        stage="capture",
        code=code or rule,
        href=_PAGE.format(code.lower()) if code else None,
        compile_ids=ids,
        count=times(fact.where for fact in group.facts),
        cost_s=context.seconds(spent),
        frames=context.rules.shown(stack, context.ranges),
        hints=hints,
        detail={key: value for key, value in detail.items() if value not in (None, "", [])},
    )


def _words(context: Context, fact: Break, place: Frame) -> Words:
    """Return our words for a break; for one in library code they say so, and what the user's line calls."""
    deepest = fact.frames[-1] if fact.frames else place
    own = (deepest.file, deepest.line) == (place.file, place.line)
    user_call = called(context.sources.get(place.file), place)
    if fact.kind == "break" and _is_torch_s_own(context, fact):
        return explain.torch_s_own({"user_call": user_call})
    words = explain.graph_break(fact.gb_id, fact.gb_type, {**_values(context, fact, deepest), "user_call": user_call})
    if not own and words.title and not words.about_caller:
        words.title = f"inside `{user_call}`, {words.title}" if user_call else f"inside library code, {words.title}"
        words.write = words.note = ""
    if fact.kind == "error":
        words.label = explain.stopped()
    if fact.kind != "frame-skipped":
        return words
    name = str(_skipped_frame(context, fact, place)["function"]) or context.function(place)
    skipped = explain.skipped(fact.skip_type or "", {"frame": name})
    skipped.label = words.title
    skipped.hints = [*words.hints, *skipped.hints]
    return skipped


def _is_torch_s_own(context: Context, fact: Break) -> bool:
    """Whether torch's own code asks for the break: an optimizer's step keeps itself out of graphs."""
    asked = fact.gb_id in _ASKED if fact.gb_id else bool(_ASKED_TYPE.search(fact.gb_type or ""))
    return asked and bool(fact.frames) and context.rules.in_torch(fact.frames[-1].file)


def _values(context: Context, fact: Break, deepest: Frame) -> dict[str, str | None]:
    source = context.sources.get(deepest.file)
    said, line = torch_text.called_in(fact.context), context.sources.line(deepest.file, deepest.line)
    shown = said is not None and (line is None or said.strip(".()") in line)
    return {
        "call": said if shown else called(source, deepest),
        "branch": branch_kind(source, deepest) if _is_branch(fact) else None,
        "text": text_at(source, deepest, _LONGEST_CODE),
        "function": context.function(deepest),
    }


def _is_branch(fact: Break) -> bool:
    return bool(fact.gb_type and re.search(r"branching|assert", fact.gb_type, re.IGNORECASE))


def _skipped_frame(context: Context, fact: Break, place: Frame) -> dict[str, str | int]:
    """Return the frame that runs in eager: the one that torch was compiling."""
    named = _SKIPPED_FRAME.search(fact.reason)
    code = fact.code or place
    if named is not None:
        code = Frame(named["file"], int(named["line"]), named["name"])
    return {"function": context.function(code), "file": code.file, "line": code.line}


def _resumed(context: Context, facts: Iterable[Break]) -> list[Compiled]:
    """Return the compiles that these breaks caused: of the pieces after them, and of callees compiled on their own."""
    lines: set[tuple[int, str, int]] = set()
    callees: set[tuple[int, str, str]] = set()
    hit = {fact.where for fact in facts}
    for fact in facts:
        process = fact.where.process
        lines |= {(process, frame.file, frame.line) for frame in fact.frames}
        callees |= {(process, frame.file, frame.function) for frame in fact.frames[1:]}
    found = []
    for one in context.compiles:
        if one.code is None or one.recompiled:
            continue
        line = resumed_at(one.resume_name)
        after = line is not None and (one.where.process, one.code.file, line) in lines
        alone = line is None and (one.where.process, one.code.file, one.code.function) in callees
        if after or alone:
            found.append(one.where)
    return [one for one in found if one not in hit or len(hit) > 1]
