"""Loads facts from what torch alone writes, for TORCH_TRACE logs of runs that our tracer did not watch."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import one_graph, torch_text
from compilescope.analysis.compiles import made_nothing
from compilescope.analysis.facts import Break, BreakKind, Compiled, Failure, Frame, Recompile
from compilescope.analysis.frames import plain_function
from compilescope.analysis.ours import line_number, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from compilescope.analysis.compiles import Compiles
    from compilescope.analysis.sources import Sources
    from compilescope.recording.reader import Event, Recording

    Where = Callable[[Event], Compiled]

_IN_LOOP = "graph break in loop"
_AT_LIMIT = "Dynamo recompile limit exceeded"
_RAISED = re.compile(
    r"^backend='?(?P<backend>[^'\n]*)'? raised:\n(?P<type>[A-Za-z_][\w.]*): (?P<message>.*)", re.DOTALL
)
# What Inductor makes of an exception (torch/_inductor/exc.py, `InductorError` and `LoweringException`, 2.6 to 2.14).
_FOLDS = {"InductorError", "LoweringException"}
_FOLDED = re.compile(
    r"(?P<type>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Decomp|Missing|Compiler|Triton))"
    r"(?::[ \n]|\n|$)(?P<message>.*)",
    re.DOTALL,
)
_MOST_FOLDED = 5
# What is written for a compile that torch did not refuse to begin.
_CAME_OF_IT = ("dynamo_start", "dynamo_output_graph", "dynamo_guards", "dynamo_cpp_guards_str", "inductor_output_code")
_NOT_FAILED = b'"fail_type": null'
_CAPTURE_FAILURES = {"Unsupported", "SkipFrame", "RestartAnalysis"}


def graph_breaks(recording: Recording, events: Iterable[Event], compiles: Compiles, sources: Sources) -> list[Break]:
    """Return the breaks that `dynamo_graph_break_reason` artifacts tell of.

    Of a break in a loop torch before 2.13 does not say there that the whole frame was given up. Then its metrics know
    of no graph and no guards, and of no failure either (`maybe_has_backedge` in torch/_dynamo/symbolic_convert.py, the
    one reason for which 2.6 to 2.9 tell of a break and then skip the frame in silence).
    """
    codes, where = compiles.codes(), compiles.where
    given_up = {one.where for one in compiles if one.metrics is not None and made_nothing(one.metrics)}
    found = []
    for event in events:
        message = recording.payload(event)
        said = torch_text.break_text(message)
        at = where(event)
        above, stack = _split(torch_text.frames(torch_text.user_traceback(message), sources), codes.get(at))
        fact = replace(_break(event, at, "frame-skipped" if said.skipped else "break", said), frames=stack, above=above)
        if at in given_up:
            in_loop = None if said.skipped or said.gb_type == _IN_LOOP else _IN_LOOP
            fact = replace(fact, kind="frame-skipped", code=codes.get(at), skip_type=fact.skip_type or in_loop)
        found.append(fact)
    return found


def raised_breaks(
    events: Iterable[Event],
    errors: dict[Compiled, str],
    told: set[Compiled],
    sources: Sources,
    where: Where,
    *,
    starts: dict[Compiled, Event],
) -> list[Break]:
    """Return the breaks that torch tells of by a failed compile's metrics alone: those that raised (`fullgraph=True`).

    `told`: the compiles with a break of their own: their frames were given up, and nothing was raised. An older torch
    (2.9.1) tells of some of those by the metrics alone, too, and does not say which it was: only that the frame was
    not compiled (torch/_dynamo/convert_frame.py). Then the program's text says it, where it is known, or the line of
    the log that called it; `starts`: the `dynamo_start` of each compile.
    """
    found = []
    for event in events:
        if event.mentions(_NOT_FAILED):
            continue
        at, reason = where(event), text(event.fields.get("fail_reason"))
        if at in told or not reason or text(event.fields.get("fail_type")) != "Unsupported":
            continue
        stack = _user_stack(event, errors.get(at) or reason, sources)
        raised = _tells_what_was_given_up(event) or _is_asked_for_as_one(event, starts.get(at), sources)
        kind: BreakKind = "error" if raised else "frame-skipped"
        said = torch_text.break_text(reason)
        if said.gb_type == _AT_LIMIT:
            kind = "recompile-limit"
        found.append(replace(_break(event, at, kind, said), frames=stack, code=_code(event)))
    return found


def _code(event: Event) -> Frame | None:
    """Return the code that a compile was of, by its metrics."""
    file, line = text(event.fields.get("co_filename")), line_number(event.fields.get("co_firstlineno"))
    return Frame(file, line, text(event.fields.get("co_name")) or "") if file and line else None


def _break(event: Event, at: Compiled, kind: BreakKind, said: torch_text.BreakText) -> Break:
    """Return what torch `said` of a break, without its frames."""
    return Break(
        where=at,
        attempt_id=event.compile_id,
        kind=kind,
        reason=said.reason,
        gb_type=said.gb_type,
        gb_id=said.gb_id,
        skip_type=said.skip_type,
        skip_id=said.skip_id,
        context=said.context,
        hints=said.hints,
        explanation=said.explanation,
        order=event.id,
    )


def _user_stack(event: Event, error: str, sources: Sources) -> tuple[Frame, ...]:
    """Return the user's frames of a failed compile: from torch's text, else the one that its metrics name."""
    stack = torch_text.frames(torch_text.from_user_code(error), sources)
    file, line = text(event.fields.get("fail_user_frame_filename")), event.fields.get("fail_user_frame_lineno")
    number = line_number(line)
    return (Frame(file, number),) if not stack and file and number else stack


def _tells_what_was_given_up(event: Event) -> bool:
    """Whether this torch writes `dynamo_graph_break_reason` for each frame that it gave up: 2.11, 2.13, 2.14 do."""
    version = re.match(r"(\d{1,4})\.(\d{1,4})", text(event.fields.get("pytorch_version")) or "")
    return version is not None and (int(version[1]), int(version[2])) >= (2, 11)


def _is_asked_for_as_one(event: Event, start: Event | None, sources: Sources) -> bool:
    """Whether the program asks for a function as one graph (`fullgraph=True`)."""
    if start is not None and one_graph.is_called_so(start.fields.get("stack")):
        return True
    code = _code(event)
    return code is not None and one_graph.is_asked(sources.get(code.file), code.line, code.function)


def _split(stack: tuple[Frame, ...], code: Frame | None) -> tuple[tuple[Frame, ...], tuple[Frame, ...]]:
    """Split the stack of a break at the frame that was compiled: the callers above it are in torch's text, too."""
    name = None if code is None else (code.file, plain_function(code.function))
    for index, frame in enumerate(stack):
        if (frame.file, plain_function(frame.function)) == name:
            return stack[:index], stack[index:]
    return (), stack


def recompiles(
    recording: Recording,
    events: Iterable[Event],
    codes: dict[Compiled, Frame],
    sources: Sources,
    where: Where,
    *,
    limit: Callable[[Compiled], int | None],
) -> list[Recompile]:
    """Return the recompiles that `recompile_reasons` artifacts tell of; `codes` says which frame a compile is of.

    One that never started was refused: if there were as many versions as torch's `limit`, and nothing came of it. Else
    its start was lost, or is not written yet.
    """
    found = []
    for event in events:
        payload = recording.payload(event)
        reasons: Any = None
        if payload.lstrip().startswith(("[", '"')):
            reasons = recording.json(event)
        lines = (
            [one for one in reasons if isinstance(one, str)]
            if isinstance(reasons, list)
            else [text(reasons) or payload]
        )
        at = where(event)
        code = codes.get(at) or _same_frame(codes, at)
        if code is None or not lines:
            continue
        failed = tuple(torch_text.failed(one, sources)[1] for one in lines)
        stack = tuple(one for one in (_frame(one) for one in recording.stack(event)) if one)
        refused = at not in codes and len(failed) >= (limit(at) or 0) and not _began(recording, at, where)
        found.append(Recompile(at, code, len(failed), failed, stack, refused=refused))
    return found


def _began(recording: Recording, at: Compiled, where: Where) -> bool:
    """Whether something came of a compile."""
    return any(where(event) == at for event in recording.events(*_CAME_OF_IT, compile_id=at.id))


def with_callers(recording: Recording, found: list[Recompile], where: Callable[[Event], Compiled]) -> list[Recompile]:
    """Return the recompiles with the calls that led to them, where the start of their compiles has them."""
    wanted = {one.where for one in found if not one.above}
    if not wanted:
        return found
    stacks: dict[Compiled, tuple[Frame, ...]] = {}
    for event in recording.events("dynamo_start"):
        at = where(event)
        if at in wanted and at not in stacks:
            stacks[at] = tuple(one for one in map(_frame, recording.stack(event)[:-1]) if one)
    return [one if one.above else replace(one, above=stacks.get(one.where, ())) for one in found]


def failures(events: Iterable[Event], errors: dict[Compiled, str], sources: Sources, where: Where) -> list[Failure]:
    """Return the failures that compilation metrics tell of; `errors` has the `dynamo_error` texts."""
    found = []
    for event in events:
        if event.mentions(_NOT_FAILED):
            continue
        fields = event.fields
        kind = text(fields.get("fail_type"))
        at = where(event)
        if kind is None or kind.rpartition(".")[2] in _CAPTURE_FAILURES:
            continue
        reason = text(fields.get("fail_reason")) or ""
        error = errors.get(at, "")
        stack = _user_stack(event, error or reason, sources)
        if not stack and _wrapped(kind):
            stack = torch_text.frames(error, sources)[-1:]  # where the backend raised
        inner = _RAISED.match(reason)
        chain = ((kind, reason), (inner["type"], inner["message"])) if inner else ((kind, reason),)
        found.append(
            Failure(
                at,
                stage(kind, error),
                None,
                _unfolded(chain),
                frames=stack,
                code=_code(event),
                torch_frame=_last(error),
                backend=inner["backend"] if inner else None,
                suppressed=fields.get("config_suppress_errors") is True,
            )
        )
    return found


def _unfolded(chain: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the chain with what Inductor's own exceptions tell of: `LoweringException: ValueError: no such size`."""
    found = list(chain)
    while len(found) < _MOST_FOLDED and found[-1][0].rpartition(".")[2] in _FOLDS:
        inner = _FOLDED.match(found[-1][1].lstrip())
        if inner is None:
            break
        found.append((inner["type"], inner["message"]))
    return tuple(found)


def stage(kind: str, traceback: str) -> str:
    """Return the stage that failed, by the deepest torch file of a traceback that belongs to one."""
    files = [frame.file.replace("\\", "/") for frame in torch_text.frames(traceback)]
    for file in reversed(files):
        if "/torch/_inductor/" in file:
            return "compile"
        if "/torch/_functorch/" in file:
            return "aot"
        if "/torch/_dynamo/guards.py" in file:
            return "guard"
        if "/torch/_dynamo/" in file:
            break
    return "compile" if _wrapped(kind) else "capture"


def _wrapped(kind: str) -> bool:
    """Whether a failure is of a backend, whose exception torch wraps."""
    return kind.rpartition(".")[2] in {"BackendCompilerFailed", "InductorError"}


def _last(traceback: str) -> str | None:
    for frame in reversed(torch_text.frames(traceback)):
        _, inside, name = frame.file.replace("\\", "/").rpartition("/torch/")
        if inside:
            return f"torch/{name}:{frame.line} in {frame.function}"
    return None


def _frame(value: dict[str, Any]) -> Frame | None:
    file, line = text(value.get("file")), line_number(value.get("line"))
    return None if file is None or line is None else Frame(file, line, text(value.get("function")) or "")


def _same_frame(codes: dict[Compiled, Frame], where: Compiled) -> Frame | None:
    """Return the code of another compile of the same frame: a refused compile has none of its own."""
    if where.id is None:
        return None
    prefix = where.id.rpartition("/")[0] + "/"
    return next(
        (code for key, code in codes.items() if key.process == where.process and (key.id or "").startswith(prefix)),
        None,
    )
