"""Reads a recording into facts: our tracer's events where a process has them, torch's own for the rest."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import foreign, ours
from compilescope.analysis.facts import Facts, Failed, Process, Recompile
from compilescope.analysis.sources import Sources, is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.compiles import Compiles
    from compilescope.recording.reader import Event, Recording

_TORCH_ROOT = re.compile(r"^(.*[\\/]torch[\\/])_(?:dynamo|inductor|logging|compile)\b")


def load(recording: Recording, compiles: Compiles) -> tuple[Facts, Sources]:
    """Return what a recording says happened, and the sources that go with it."""
    facts = Facts()
    _processes(recording, facts)
    facts.sources, facts.recorded = source_texts(recording), source_files(recording)
    for _, data in _objects(recording, "compilescope_unavailable"):
        hooks = [one for one in ours.items(data.get("hooks")) if isinstance(one, dict)]
        facts.unavailable += [{str(key): str(value) for key, value in one.items()} for one in hooks]
    for event in recording.events("torch_version"):
        version = ours.mapping(recording.json(event)).get("pytorch_version")
        facts.torch_version = ours.text(version) or facts.torch_version
    if facts.torch_version is None:
        each = (ours.text((one.metrics or {}).get("pytorch_version")) for one in compiles)
        facts.torch_version = next(filter(None, each), None)
    sources = Sources(facts.sources, recording.paths)
    _breaks(recording, facts, sources, compiles)
    _recompiles(recording, facts, sources, compiles)
    _failures(recording, facts, sources, compiles)
    _guards(recording, facts, compiles)
    return facts, sources


def source_files(recording: Recording) -> set[str]:
    """Return the program's files that a recording tells of, also those whose text was left out."""
    return {file for _, data in _objects(recording, "compilescope_source") if (file := ours.text(data.get("file")))}


def source_texts(recording: Recording) -> dict[str, str]:
    """Return the texts of the files that a recording has, as they were when they ran."""
    found = {}
    for _, data in _objects(recording, "compilescope_source"):
        file, text = ours.text(data.get("file")), ours.text(data.get("text"))
        if file and text is not None:
            found[file] = text
    return found


def _processes(recording: Recording, facts: Facts) -> None:
    for number, (pid, rank) in recording.processes().items():
        facts.processes[number] = Process(number, rank, pid)
        roots = (match[1] for text in recording.strings(number).values() if (match := _TORCH_ROOT.match(text)))
        facts.torch_root = facts.torch_root or next(roots, None)
    for event, data in _objects(recording, "compilescope_environment"):
        process = facts.processes[event.process]
        process.environment, process.pid = data, event.pid
        facts.torch_root = ours.text(data.get("torch_root")) or facts.torch_root
        facts.torch_version = ours.text(data.get("torch")) or facts.torch_version
    for _, data in _objects(recording, "compilescope_refused"):
        facts.refused = facts.refused or ours.refusal(data)
    for event, data in _objects(recording, "compilescope_exit"):
        facts.processes[event.process].exit = ours.ended(data)


def _breaks(recording: Recording, facts: Facts, sources: Sources, compiles: Compiles) -> None:
    own = [
        (event, ours.graph_break(compiles.where(event), event, data))
        for event, data in _objects(recording, "compilescope_graph_break")
    ]
    rest = _without(recording, {event.process for event, _ in own}, "dynamo_graph_break_reason")
    facts.breaks = [fact for _, fact in own] + foreign.graph_breaks(recording, rest, compiles, sources)
    watched = {number for number, process in facts.processes.items() if process.environment}
    failed = _without(recording, watched, "compilation_metrics")
    errors = {compiles.where(event): recording.payload(event) for event in recording.events("dynamo_error")}
    told = {fact.where for fact in facts.breaks}
    starts = {at: event for event in recording.events("dynamo_start") if (at := compiles.where(event)) in errors}
    facts.breaks += foreign.raised_breaks(failed, errors, told, sources, compiles.where, starts=starts)


def _recompiles(recording: Recording, facts: Facts, sources: Sources, compiles: Compiles) -> None:
    own: list[tuple[Event, Recompile]] = []
    sources.name(code.file for code in compiles.codes().values())
    for event, data in _objects(recording, "compilescope_recompile"):
        fact = ours.recompile(compiles.where(event), data)
        if fact is not None:
            sources.name(frame.file for frame in (fact.code, *fact.above))
            own.append((event, replace(fact, failed=tuple(_placed(one, sources) for one in fact.failed))))
    rest = _without(recording, {event.process for event, _ in own}, "recompile_reasons")
    codes, limit = compiles.codes(), compiles.limit
    others = foreign.recompiles(recording, rest, codes, sources, compiles.where, limit=limit)
    facts.recompiles = [fact for _, fact in own] + foreign.with_callers(recording, others, compiles.where)


def _placed(failed: Failed, sources: Sources) -> Failed:
    """Return a failed guard with whole paths: without the frames whose path torch shortened beyond recognition."""
    found = []
    for frame in failed.frames:
        file = frame.file if is_whole(frame.file) else sources.find(frame.file)
        if file is not None:
            found.append(replace(frame, file=file))
    return replace(failed, frames=tuple(found))


def _guards(recording: Recording, facts: Facts, compiles: Compiles) -> None:
    for event, data in _objects(recording, "compilescope_guards"):
        guards = [one for one in ours.items(data.get("guards")) if isinstance(one, dict)]
        facts.guards[compiles.where(event)] = tuple(code for one in guards for code in ours.strings(one.get("code")))


def _failures(recording: Recording, facts: Facts, sources: Sources, compiles: Compiles) -> None:
    own = [
        (event, ours.failure(compiles.where(event), data))
        for event, data in _objects(recording, "compilescope_failure")
    ]
    told = {fact.where for _, fact in own}
    told |= {fact.where for fact in facts.breaks if fact.kind != "break"}
    metrics = recording.events("compilation_metrics", "bwd_compilation_metrics")
    told = {one for one in told if one.id is not None}  # several exports have metrics without a compile
    rest = [event for event in metrics if compiles.where(event) not in told]
    errors = {compiles.where(event): recording.payload(event) for event in recording.events("dynamo_error")}
    facts.failures = [fact for _, fact in own] + foreign.failures(rest, errors, sources, compiles.where)


def _objects(recording: Recording, name: str) -> Iterable[tuple[Event, dict[str, Any]]]:
    for event in recording.events(name):
        data = recording.json(event)
        if isinstance(data, dict):
            yield event, data


def _without(recording: Recording, processes: set[int], *names: str) -> list[Event]:
    """Return the events of the processes whose facts came from nowhere else."""
    return [event for event in recording.events(*names) if event.process not in processes]
