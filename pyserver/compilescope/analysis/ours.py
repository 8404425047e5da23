"""Loads facts from the events that our tracer adds (docs/recording.md). Tolerates missing and odd values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from compilescope.analysis.facts import (
    Break,
    BreakKind,
    Compiled,
    Exit,
    Failed,
    Failure,
    Frame,
    Recompile,
    Version,
)
from compilescope.analysis.model import Refusal
from compilescope.analysis.torch_text import break_text, guard_part, guard_values, without_entry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.recording.reader import Event

_LARGEST = 1 << 53
_LAST_LINE = (1 << 31) - 2
_KINDS = {"break", "frame-skipped", "error", "recompile-limit"}


def frame(value: Any) -> Frame | None:
    """Return the frame or code that a JSON object stands for; None when it is none."""
    if not isinstance(value, dict) or not isinstance(value.get("file"), str):
        return None
    line = line_number(value.get("line"))
    if line is None:
        return None
    return Frame(
        file=value["file"],
        line=line,
        function=text(value.get("function")) or "",
        end_line=line_number(value.get("end_line")),
        col=line_number(value.get("col")),
        end_col=line_number(value.get("end_col")),
    )


def frames(value: Any) -> tuple[Frame, ...]:
    """Return a list of frames, without what is none."""
    return tuple(one for one in map(frame, items(value)) if one is not None)


def graph_break(where: Compiled, event: Event, data: dict[str, Any]) -> Break:
    """Return what a `compilescope_graph_break` says."""
    reason = text(data.get("reason")) or ""
    parsed = break_text(reason)
    kind = text(data.get("kind"))
    return Break(
        where=where,
        attempt_id=event.compile_id,
        kind=cast("BreakKind", kind) if kind in _KINDS else "break",
        reason=reason,
        gb_type=parsed.gb_type if parsed.skip_type else text(data.get("gb_type")) or parsed.gb_type,
        gb_id=parsed.gb_id if parsed.skip_type else text(data.get("gb_id")) or parsed.gb_id,
        skip_type=parsed.skip_type or text(data.get("follow_up")),
        skip_id=parsed.skip_id,
        context=text(data.get("context")) or parsed.context,
        hints=strings(data.get("hints")) or parsed.hints,
        user_error=text(data.get("user_error")),
        frames=frames(data.get("frames")),
        above=frames(data.get("above")),
        code=frame(data.get("code")),
        graph_nodes=integer(data.get("graph_nodes")),
        explanation=text(data.get("explanation")) or parsed.explanation,
        order=event.id,
    )


def recompile(where: Compiled, data: dict[str, Any]) -> Recompile | None:
    """Return what a `compilescope_recompile` says; None when it names no code."""
    code = frame(data.get("code"))
    if code is None:
        return None
    return Recompile(
        where=where,
        code=code,
        versions=integer(data.get("versions")) or 0,
        failed=tuple(_failed(one) for one in items(data.get("failed")) if isinstance(one, dict)),
        above=frames(data.get("above")),
        refused=data.get("refused") is True,
        kept=versions(data.get("entries")),
        counted=numbers(data.get("counted")),
        limits=numbers(data.get("limits")),
        region=integer(data.get("region")),
        at_limit=text(data.get("at_limit")) or "",
    )


def versions(value: Any) -> tuple[Version, ...]:
    """Return the versions of a frame that a list names."""
    named = ((text(one.get("id")), text(one.get("dead"))) for one in map(mapping, items(value)))
    return tuple(Version(name, dead) for name, dead in named if name is not None)


def _failed(data: dict[str, Any]) -> Failed:
    reason = text(data.get("reason")) or ""
    parts = strings(data.get("parts"))
    part = guard_part(parts[0] if parts else without_entry(reason))
    expression, old, new = guard_values(part)
    value: Any = next((one for one in items(data.get("values")) if isinstance(one, dict)), {})
    return Failed(
        reason=reason,
        part=part,
        frames=frames(data.get("frames")),
        expression=text(value.get("expression")) or expression,
        old=text(value.get("old")) or old,
        new=text(value.get("new")) or new,
        entry=text(data.get("entry")),
    )


def failure(where: Compiled, data: dict[str, Any]) -> Failure:
    """Return what a `compilescope_failure` says."""
    node: Any = data.get("node") if isinstance(data.get("node"), dict) else {}
    called = mapping(data.get("called_back"))
    chain = tuple(
        (text(one.get("type")) or "?", text(one.get("message")) or "")
        for one in items(data.get("chain"))
        if isinstance(one, dict)
    )
    return Failure(
        where=where,
        stage=text(data.get("stage")) or "compile",
        class_=text(data.get("class")),
        chain=chain,
        frames=frames(data.get("frames")),
        above=frames(data.get("above")),
        code=frame(data.get("code")),
        node=text(node.get("name")),
        node_target=text(node.get("target")),
        node_frame=frame(node.get("frame")),
        snapshot=text(data.get("snapshot")),
        torch_frame=text(data.get("torch_frame")),
        backend=text(data.get("backend")),
        suppressed=data.get("suppressed") is True,
        called_back=frames(called.get("frames")),
        called_by=text(called.get("by")),
    )


def ended(data: dict[str, Any]) -> Exit:
    """Return what a `compilescope_exit` says."""
    exception = data.get("exception") if isinstance(data.get("exception"), dict) else None
    raised = None
    if exception is not None:
        raised = (text(exception.get("type")) or "?", text(exception.get("message")) or "")
    return Exit(
        exit_code=integer(data.get("exit_code")),
        exception=raised,
        frames=frames(exception.get("frames")) if exception else (),
        seconds={key: value for key, value in numbers(data.get("seconds")).items() if value >= 0},
        counters=mapping(data.get("counters")),
        calls={key: int(value) for key, value in numbers(data.get("calls")).items()},
        guard_lookups={key: int(value) for key, value in numbers(data.get("guard_lookups")).items()},
        stance=text(data.get("stance")),
    )


def refusal(data: dict[str, Any]) -> Refusal:
    """Return what a `compilescope_refused` says."""
    title = text(data.get("title")) or "The target could not be called."
    return Refusal(text(data.get("code")) or "bad-target", title, text(data.get("detail")) or "")


def text(value: Any) -> str | None:
    """Return a text; None for anything else."""
    return value if isinstance(value, str) else None


def integer(value: Any) -> int | None:
    """Return a whole number that JSON's other readers can hold; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST else None


def line_number(value: Any) -> int | None:
    """Return the number of a line or column, one that an editor can count to; None for anything else."""
    found = integer(value)
    return found if found is not None and 0 <= found < _LAST_LINE else None


def number(value: Any) -> float | None:
    """Return a finite number; None for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= sys.float_info.max:
        return None
    return float(value)


def duration(value: Any) -> float | None:
    """Return a number that is not negative; None for anything else."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def items(value: Any) -> Iterable[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def mapping(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(one for one in items(value) if isinstance(one, str))


def numbers(value: Any) -> dict[str, float]:
    """Return the numbers of an object."""
    found = {key: number(one) for key, one in mapping(value).items()}
    return {key: one for key, one in found.items() if one is not None}
