"""The stages of a graph, and why one that the compiler has is not in a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from compilescope.analysis.ours import number, text
from compilescope.recording.redact.redaction import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.compiles import Attempted
    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Recording

STAGES = {
    "dynamo": "Dynamo",
    "pre_grad": "Pre-grad",
    "aot": "AOT",
    "joint": "Joint",
    "post_grad": "Post-grad",
    "scheduler": "Scheduler",
}
# The stages that every graph goes through on its way to Inductor's code: the graph that each is about.
_WAY = {
    "dynamo": "dynamo",
    "pre_grad": "dynamo",
    "aot": "joint",
    "joint": "joint",
    "post_grad": "forward",
    "scheduler": "forward",
}
_ORDER = list(_WAY)
_BEGUN = ("post_grad", "before")
"""What a graph out of a cache does not have."""
# What the tracer loses (docs/recording.md) when a stage is out of its reach.
_INDUCTOR = "stages of graphs in Inductor"
LOST = {
    "dynamo": ("the graphs that Dynamo captured",),
    "pre_grad": ("passes of the pre_grad stage", _INDUCTOR),
    "aot": ("the graphs of AOTAutograd",),
    "joint": ("passes of the joint stage", _INDUCTOR),
    "post_grad": ("passes of the post_grad stage", _INDUCTOR),
    "scheduler": ("the scheduler's kernels and fallback operators", _INDUCTOR),
}


Cause = Literal["left-out", "capture", "cache", "failed", "hook", "backend", "foreign", "nothing"]


@dataclass(frozen=True)
class StageEntry:
    """One state of one graph; `snapshot` is null where `unavailable` says why, and `cause` in a word."""

    compile_id: str
    graph: str
    stage: str
    position: str
    label: str
    snapshot: str | None
    nodes: int
    edges: int
    unavailable: str | None = None
    cause: Cause | None = None


def label(stage: str, position: str) -> str:
    """Return what a state of a graph is called."""
    name = STAGES.get(stage, stage)
    if stage in {"dynamo", "aot"}:
        return name
    return f"{name}, {position} {'fusion' if stage == 'scheduler' else 'passes'}"


def unrecorded(recording: Recording, context: Context, found: Iterable[StageEntry]) -> list[StageEntry]:
    """Return an entry for each stage on the way of a captured graph that is not among those `found`."""
    known: dict[str, list[StageEntry]] = {}
    for entry in found:
        known.setdefault(entry.compile_id, []).append(entry)
    missing = []
    for one in context.compiles:
        own = known.get(context.name(one.where), [])
        if own or (one.nodes or 0) > 1 or PAYLOADS in recording.left_out:
            missing += _missing(recording, context, one, own)
    return missing


def _missing(recording: Recording, context: Context, one: Attempted, own: list[StageEntry]) -> list[StageEntry]:
    whole = f"{context.prefix(one.where.process)}{one.where.id}/"
    late = list(dict.fromkeys(entry.graph for entry in own if entry.stage in {"post_grad", "scheduler"}))
    cached = one.cache == "hit" and not any((each.stage, each.position) == _BEGUN for each in own)
    missing = []
    for stage, direction in _WAY.items():
        recorded = {entry.graph for entry in own if entry.stage == stage}
        split = direction == "forward" and bool(late)
        graphs = (
            [graph for graph in late if graph not in recorded] if split else [] if recorded else [whole + direction]
        )
        last = not any(_ORDER.index(stage) < _ORDER.index(entry.stage) for entry in own if entry.stage in _WAY)
        reason = _reason(recording, context, one, stage, last=last, cached=cached) if graphs else None
        if reason is not None:
            at = label(stage, "after")
            missing += [
                StageEntry(context.name(one.where), graph, stage, "after", at, None, 0, 0, *reason) for graph in graphs
            ]
    return missing


def _reason(
    recording: Recording, context: Context, one: Attempted, stage: str, *, last: bool, cached: bool
) -> tuple[str, Cause] | None:
    """Return why a stage of a compile is not recorded; None while it may still come.

    `last`: no later stage is recorded either. `cached`: a cache answered for its graphs.
    """
    process = context.facts.processes.get(one.where.process)
    environment = process.environment if process else {}
    metrics = one.metrics
    if metrics is None and (recording.info or {}).get("status") == "running" and not (process and process.exit):
        return None
    failed = metrics is None or (metrics.get("fail_type") and not metrics.get("has_guarded_code"))
    lost = next((hook for hook in context.facts.unavailable if hook.get("loses") in LOST[stage]), None)
    behind = stage != "dynamo"
    captured = behind and text(environment.get("depth")) == "capture"
    hook = f"Not recorded: {lost.get('hook')}: {lost.get('reason')}." if lost else ""
    other = "The backend is not Inductor, and only Inductor has this stage."
    if stage == "aot":
        other = "The backend does not use AOTAutograd."
    left_out = PAYLOADS in recording.left_out
    reasons: list[tuple[object, str, Cause]] = [
        (left_out, "Graphs were left out of this recording on request.", "left-out"),
        (captured, "This run stopped at capture.", "capture"),
        (cached, "The graph came out of a cache, so it did not go through this stage.", "cache"),
        (failed and last, "The compile did not get this far.", "failed"),
        (lost, hook, "hook"),
        (behind and _other_backend(one), other, "backend"),
        (not environment, "TORCH_TRACE did not record this stage.", "foreign"),
    ]
    found = next(((reason, cause) for holds, reason, cause in reasons if holds), None)
    return found or ("The recording has nothing of this stage.", "nothing")


def _other_backend(one: Attempted) -> bool:
    """Whether torch timed a backend but no Inductor."""
    metrics = one.metrics or {}
    backend, inductor = metrics.get("backend_compile_time_s"), metrics.get("inductor_compile_time_s")
    return number(backend) is not None and number(inductor) is None
