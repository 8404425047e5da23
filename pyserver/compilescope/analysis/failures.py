"""Compiles that failed: `compile-error`, and `graph-break-error` where torch gives only the exception."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import classify, recompile_limits
from compilescope.analysis.context import Context, add_once, stack_of, times
from compilescope.analysis.eager import EagerRun, Verdict, verdict
from compilescope.analysis.facts import Compiled, Failure, Frame
from compilescope.analysis.failure_kinds import blamed, first_line, kind_of, name_of, values_of, words_of
from compilescope.analysis.frames import plain_function
from compilescope.analysis.model import Finding, FindingClass, Stage
from compilescope.analysis.syntax import definition, first_use, function_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.model import Pass, Rule

_STAGES: dict[str, Stage] = {
    "capture": "capture", "aot": "aot", "compile": "compile", "guard": "guard", "execute": "execute",
}  # fmt: skip
_CLASSES: dict[str, FindingClass] = {
    "guard": "guard", "control-flow": "control-flow", "backend-operator": "backend-operator",
    "configuration": "configuration", "python-feature": "python-feature", "library-code": "library-code",
}  # fmt: skip
_BREAK_ERRORS = {"Unsupported", "UserError"}
# Rules that have a finding for these exceptions.
_OTHERS: dict[Rule, set[str]] = {"graph-break-error": _BREAK_ERRORS, "recompile-limit": {"FailOnRecompileLimitHit"}}
_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
# Where compiled code runs: what torch's backends make, and what calls it.
_COMPILED = re.compile(r"torch[\\/](?:_inductor|_functorch|fx)[\\/]|torchinductor_|^<eval_with_key>")
_ASKS = "--check-eager"
_OVERWRITTEN = "output of CUDAGraphs that has been overwritten"
_LONGEST = 160


def findings(
    context: Context, told: Iterable[Finding], passes: list[Pass], second: EagerRun | None = None
) -> list[Finding]:
    """Return one finding for each line and exception; one that a finding in `told` is of goes into its detail.

    `passes`: those that ran; `second`: the run without torch.compile, if there was one.
    """
    second = second or EagerRun({})
    others = {(one.rule, id_): one for one in told if one.rule in _OTHERS for id_ in one.compile_ids}
    groups: dict[tuple[str, int, str], list[tuple[Failure, Frame]]] = {}
    for fact in [*_joined(context.facts.failures), *_raised(context)]:
        name = name_of(fact.chain[0]) if fact.chain else ""
        rules = (rule for rule, names in _OTHERS.items() if name in names)
        other = next((others.get((rule, context.name(fact.where))) for rule in rules), None)
        place = _place(context, fact)
        if other is not None:
            _tell(other, fact, Verdict(None) if place is None else verdict(fact, place, context.facts, second, None))
        elif place is not None:
            groups.setdefault((place.file, place.line, _summary(fact)), []).append((fact, place))
    return [_finding(context, group, passes, second) for group in groups.values()]


def _tell(other: Finding, fact: Failure, known: Verdict) -> None:
    """Add to a finding of another rule what is known of the exception."""
    other.detail.update({**_exception(fact), **other.detail})
    if other.rule == "recompile-limit":
        recompile_limits.raise_at(
            other, by_config="fail_on_recompile_limit_hit" in " ".join(one[1] for one in fact.chain)
        )
    if known.state is not None:
        other.detail["eager"] = known.state
    other.explanation = " ".join(filter(None, [other.explanation, known.why]))


def _joined(facts: Iterable[Failure]) -> list[Failure]:
    """Return the failures, those joined that are one exception seen inside the compile and again as it left it."""
    found: list[Failure] = []
    for fact in facts:
        same = next((one for one in found if _same(one, fact)), None)
        if same is None:
            found.append(fact)
            continue
        first, second = sorted((same, fact), key=lambda one: (one.node_frame is None, one.where.id is None))
        outer = max((same, fact), key=lambda one: len(one.chain[0][1]) if one.chain else 0)
        chain = tuple(dict.fromkeys((*outer.chain, *same.chain, *fact.chain)))
        found[found.index(same)] = replace(
            first,
            chain=chain,
            frames=first.frames or second.frames,
            above=first.above or second.above,
            code=first.code or second.code,
            backend=first.backend or second.backend,
            torch_frame=first.torch_frame or second.torch_frame,
            snapshot=first.snapshot or second.snapshot,
            suppressed=first.suppressed and second.suppressed,
            called_back=first.called_back or second.called_back,
            called_by=first.called_by or second.called_by,
        )
    return found


def _same(one: Failure, other: Failure) -> bool:
    if one.where.process != other.where.process or (one.where.id and other.where.id and one.where != other.where):
        return False
    first, second = first_line(_inner(one)[1]), first_line(_inner(other)[1])
    whole = [" ".join(message for _, message in fact.chain) for fact in (one, other)]
    if bool(first and first in whole[1]) or bool(second and second in whole[0]):
        return True
    return any(_told(link, whole[1]) for link in one.chain) or any(_told(link, whole[0]) for link in other.chain)


def _told(link: tuple[str, str], message: str) -> bool:
    """Whether a message repeats an exception, as those of torch's do that wrap another: `RuntimeError: no shape`."""
    first = first_line(link[1])
    return bool(first) and f"{name_of(link)}: {first}" in message


def _place(context: Context, fact: Failure) -> Frame | None:
    """Return the suspect node's line, else the innermost line of the user's that torch compiled, or ran meanwhile."""
    if fact.stage == "capture" and fact.called_back and context.rules.in_user_code(fact.called_back[-1].file):
        return fact.called_back[-1]
    if fact.node_frame is not None and context.rules.in_user_code(fact.node_frame.file):
        return fact.node_frame
    stack = stack_of(fact.above, fact.frames)
    if not fact.frames and (shown := blamed(context, fact)) is not None:
        return shown
    own = context.rules.caller(fact.frames) or context.rules.caller(stack)
    if own is not None and own in fact.frames:
        return own
    code = fact.code
    if code is not None and context.rules.in_user_code(code.file):
        source = context.sources.get(code.file)
        function = function_at(source, code.line, plain_function(code.function))
        return code if function is None or source is None else definition(function, source, code.file)
    return own or context.rules.place(stack) or code


def _finding(context: Context, group: list[tuple[Failure, Frame]], passes: list[Pass], second: EagerRun) -> Finding:
    fact, place = group[0]
    inner = _inner(fact)
    is_break = bool(fact.chain) and name_of(fact.chain[0]) in _BREAK_ERRORS
    ids: list[str] = []
    add_once(ids, (context.name(one.where) for one, _ in group if one.where.id is not None))
    values = values_of(context, fact, place, passes)
    entry = kind_of(fact, values)
    words = words_of(entry, values)
    known = verdict(fact, place, context.facts, second, entry.get("eager"))
    detail: dict[str, Any] = {
        "kind": entry["id"],
        "label": _label(fact, words.label, known),
        "function": context.compiled(fact.where, fact.code or place, fact.frames),
        **_exception(fact),
        "backend": fact.backend,
        "suppressed": fact.suppressed,
        "eager": known.state,
        "write": words.write or None,
    }
    class_ = _CLASSES.get(fact.class_ or "") or classify.of_failure(fact.chain)
    return Finding(
        rule="graph-break-error" if is_break else "compile-error",
        severity="error",
        file=place.file,
        range=context.ranges.of(place),
        title=words.title,
        explanation=" ".join(filter(None, [words.explanation, known.why])),
        reason="\n".join(
            _line(one) for one in (fact.chain[:1] if fact.chain[:1] == (inner,) else (*fact.chain[:1], inner))
        ),
        class_="other" if known.fails else class_,
        stage=_STAGES.get(fact.stage, "compile"),
        code=(name_of(fact.chain[0]) if fact.chain else "") or "compile-error",
        href=None,
        compile_ids=ids,
        count=times(one.where for one, _ in group),
        cost_s=context.seconds(one.where for one, _ in group),
        frames=context.rules.shown(stack_of(fact.above, _run_through(fact)), context.ranges),
        hints=[
            hint for hint in words.hints if not (known.state in {"fails", "works"} or second.ended) or _ASKS not in hint
        ],
        detail={key: value for key, value in detail.items() if value is not None},
    )


def _run_through(fact: Failure) -> tuple[Frame, ...]:
    """Return the frames that torch followed, and those of the program's own code that it then ran."""
    return fact.frames if set(fact.called_back) & set(fact.frames) else (*fact.frames, *fact.called_back)


def _exception(fact: Failure) -> dict[str, Any]:
    """Return what is known of the exception: its chain, the suspect node, the last graph and torch's own frame."""
    found = {
        "chain": [{"type": type_, "message": message} for type_, message in fact.chain],
        "node": {"name": fact.node, "target": fact.node_target} if fact.node else None,
        "snapshot": fact.snapshot,
        "torch_frame": fact.torch_frame,
    }
    return {key: value for key, value in found.items() if value is not None}


def _label(fact: Failure, usual: str, known: Verdict) -> str:
    if fact.suppressed:
        return "the program went on in eager"
    if known.state == "fails":
        return "raises here, without torch.compile, too"
    return usual or ("raised here" if fact.stage == "execute" else "compiling stopped here")


def _raised(context: Context) -> list[Failure]:
    """Return an exception that ended the program and came out of compiled code, unless a failure tells of it."""
    found = []
    for process in context.facts.processes.values():
        ended = process.exit
        if ended is None or ended.exception is None:
            continue
        told = any(
            ended.exception[1][:_LONGEST] in message or first_line(message) in ended.exception[1]
            for fact in context.facts.failures
            if fact.where.process == process.number
            for _, message in fact.chain
            if message
        ) or any(fact.kind == "error" and fact.where.process == process.number for fact in context.facts.breaks)
        if not told and _OVERWRITTEN in ended.exception[1]:  # read outside of compiled code, which wrote it
            where = Compiled(process.number, None)
            found.append(Failure(where, "execute", None, (ended.exception,), frames=ended.frames))
            continue
        inside = _compiled_frame(context, process.number, ended.frames)
        if told or inside is None:
            continue
        where, frame = inside
        if _left_graph(context, process.number, ended.frames, frame):
            continue
        place = _lost_line(context, frame, ended.exception[1]) or frame
        code = context.compiles.by_id[where].code
        found.append(
            Failure(
                where,
                "execute",
                None,
                (ended.exception,),
                frames=(*ended.frames[: ended.frames.index(frame)], place),
                code=code,
            )
        )
    return found


def _left_graph(context: Context, process: int, frames: tuple[Frame, ...], frame: Frame) -> bool:
    """Whether an exception came from what a graph break made run in Python: the program's own, not compiled code's."""
    broken = any(
        (one.file, one.line) == (frame.file, frame.line)
        for fact in context.facts.breaks
        if fact.where.process == process
        for one in fact.frames
    )
    return broken and not any(_COMPILED.search(one.file) for one in frames[frames.index(frame) + 1 :])


def _compiled_frame(context: Context, process: int, frames: tuple[Frame, ...]) -> tuple[Compiled, Frame] | None:
    """Return the innermost of the user's frames if it belongs to a frame that was compiled."""
    frame = context.rules.caller(frames)
    if frame is None:
        return None
    for one in context.compiles:
        code = one.code
        if one.where.process != process or code is None or not (one.metrics or {}).get("has_guarded_code"):
            continue
        if (code.file, code.function) == (frame.file, plain_function(frame.function)):
            return one.where, frame
    return None


def _lost_line(context: Context, frame: Frame, message: str) -> Frame | None:
    """Return the use of the attribute that an exception misses: the code that torch made is all on the first line."""
    missing = _ATTRIBUTE.search(message)
    source = context.sources.get(frame.file)
    function = function_at(source, frame.line, plain_function(frame.function))
    if missing is None or function is None or source is None:
        return None
    return first_use(function, f"*.{missing[1]}", frame.file)


def _inner(fact: Failure) -> tuple[str, str]:
    """Return the exception that says most: the innermost of the chain."""
    return fact.chain[-1] if fact.chain else ("?", "")


def _summary(fact: Failure) -> str:
    return _line(_inner(fact))[:_LONGEST]


def _line(one: tuple[str, str]) -> str:
    return f"{one[0]}: {one[1].strip()}" if one[1].strip() else one[0]
