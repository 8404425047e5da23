"""What torch notes of compiles that no finding is made of: each failure and restart, guards on shapes, links.

From `compilation_metrics` (`fail_type`, `restart_reasons`), `guard_added_fast` and `link`, torch 2.6 to 2.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from compilescope.analysis import ours
from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Event, Recording

_MOST_TEXT = 1000
_NOT_FAILED = b'"fail_type": null'


@dataclass(frozen=True)
class Restart:
    """A compile failed, or began anew (`restart`), with torch's reason. `line` counts from 1; null if not recorded."""

    compile_id: str
    kind: Literal["failure", "restart"]
    type: str
    reason: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class ShapeGuard:
    """A guard on sizes or numbers that torch added while it traced, and the line of the program that asked for it."""

    compile_id: str
    expression: str
    place: Place | None


@dataclass(frozen=True)
class Link:
    """Something elsewhere that torch points to: a profile of the compile, for instance."""

    compile_id: str
    name: str
    url: str


def restarts(recording: Recording, context: Context) -> list[Restart]:
    """Return failures and restarts, compile by compile, as torch's metrics have them.

    Last come those of metrics without a compile, as `torch.export` (strict) and AOTInductor write them.
    """
    found: list[Restart] = []
    for one in context.compiles:
        name = context.name(one.where)
        for metrics in (one.metrics, one.backward):
            found += _of_metrics(name, metrics or {})
    for event in recording.events("compilation_metrics", "bwd_compilation_metrics"):
        if event.compile_id is None and not event.mentions(_NOT_FAILED):
            found += _of_metrics(context.name(context.compiles.where(event)), event.fields)
    return found


def _of_metrics(name: str, metrics: dict[str, Any]) -> Iterator[Restart]:
    kind = ours.text(metrics.get("fail_type"))
    if kind is not None:
        file, line = (metrics.get(f"fail_user_frame_{part}") for part in ("filename", "lineno"))
        reason = (ours.text(metrics.get("fail_reason")) or "")[:_MOST_TEXT]
        yield Restart(name, "failure", kind, reason, ours.text(file), ours.line_number(line))
    for reason in ours.strings(metrics.get("restart_reasons")):
        yield Restart(name, "restart", "RestartAnalysis", reason[:_MOST_TEXT])


def shape_guards(recording: Recording, context: Context) -> list[ShapeGuard]:
    """Return the guards on shapes, in the order in which they were added."""
    found = []
    for event in recording.events("guard_added_fast"):
        expression = ours.text(event.fields.get("expr"))
        if expression is not None:
            name = context.name(context.compiles.where(event))
            found.append(ShapeGuard(name, expression[:_MOST_TEXT], _place(recording, context, event)))
    return found


def links(recording: Recording, context: Context) -> list[Link]:
    """Return torch's links that a browser can open."""
    found = []
    for event in recording.events("link"):
        name, url = ours.text(event.fields.get("name")), ours.text(event.fields.get("url"))
        if url is not None and url.startswith(("https://", "http://")):
            found.append(Link(context.name(context.compiles.where(event)), name or url, url))
    return found


def _place(recording: Recording, context: Context, event: Event) -> Place | None:
    stack = [
        Frame(one["file"], line, ours.text(one["function"]) or "")
        for one in recording.stack(event, "user_stack")
        if (line := ours.line_number(one["line"])) is not None
    ]
    at = context.rules.place(stack)
    return None if at is None else Place(at.file, context.ranges.of(at))
