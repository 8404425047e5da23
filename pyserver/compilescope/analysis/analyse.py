"""From a recording to its result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis import (
    breaks,
    cache_graphs,
    caches,
    collectives,
    commented_kernels,
    consequences,
    costly,
    coverage,
    decisions,
    export_findings,
    exports,
    failures,
    fallbacks,
    foreign_fallbacks,
    guards,
    ignoring,
    inert,
    kernels,
    lines,
    log_lines,
    log_names,
    mapped_kernels,
    nearest,
    operations,
    output_code,
    passes,
    path_guess,
    profiles,
    progress,
    ranks,
    recompile_limits,
    recompiles,
    slow,
    torch_records,
    traced_lines,
    triton,
    unrun,
    versions,
)
from compilescope.analysis import compiles as compiling
from compilescope.analysis import metrics as totals
from compilescope.analysis.breakdown import Breakdown
from compilescope.analysis.context import Context, sort_key
from compilescope.analysis.eager import EagerRun
from compilescope.analysis.frames import FrameRules
from compilescope.analysis.graphs import Graphs
from compilescope.analysis.load import load
from compilescope.analysis.model import Result, Run
from compilescope.analysis.ours import integer, number, strings, text
from compilescope.analysis.ranges import Ranges
from compilescope.analysis.symbols import Symbols

if TYPE_CHECKING:
    from compilescope.analysis.facts import Facts
    from compilescope.recording.reader import Recording

DEPTHS = ("capture", "full")


def analyse(recording: Recording) -> Result:
    """Return everything that was found in `recording`, as far as it goes now."""
    recording.begin_to_compare()
    context = context_of(recording)
    info = recording.info or {}
    symbols = Symbols(recording, context)
    breaking = breaks.findings(context)
    kept = versions.Kept(recording, context)
    again = recompiles.findings(context, symbols, kept)
    generated = kernels.table(recording, context)
    ran = passes.table(recording, context)
    decided = decisions.table(recording, context, generated.kernels)
    found = [
        *breaking,
        *again,
        *failures.findings(context, [*breaking, *again], ran, EagerRun(info)),
        *log_names.findings(recording, context),
    ]
    recompile_limits.tell(found)
    exported = exports.table(recording, context)
    found += export_findings.findings(exported, context)
    graphs = Graphs(recording, context)
    profiled = profiles.profile(recording, context, graphs)
    codes = output_code.table(recording, context)
    fell_back = [*generated.fallbacks, *foreign_fallbacks.fallbacks(recording, context, codes)]
    found += fallbacks.findings(recording, context, graphs, fell_back)
    slowed = slow.findings(context, graphs)
    found += [*slowed, *costly.findings(recording, context, ran, generated.kernels, slowed)]
    left_out = unrun.table(recording, context)
    found += inert.findings(context, graphs, ran, left_out)
    consequences.mark(found)
    ranks.name_ranks(found, context)
    every = list(found)
    logged = log_lines.of_findings(recording, found, context)
    found, ignored, unknown = ignoring.heeded(found, context.sources)
    ended = {number for number, process in context.facts.processes.items() if process.exit is not None}
    raised = {fact.where for fact in context.facts.breaks if fact.kind == "error"}
    raised |= {fact.where for fact in context.facts.failures if fact.stage == "capture" and not fact.suppressed}
    counted = operations.Counted(recording, context, graphs, generated.kernels, generated.eliminated)
    shares = Breakdown(context, counted, profiled)
    given_up = {fact.where for fact in context.facts.breaks if fact.kind == "frame-skipped"}
    compiled = compiling.table(context.compiles, context.name, context.function, ended, raised, given_up=given_up)
    compiled = progress.with_steps(recording, context, compiled)
    by_line = lines.table(recording, context, graphs, generated.kernels)
    went_through = context.lines if context.lines.recorded else traced_lines.traced(recording, context, by_line)
    answers = caches.lookups(recording, context)
    cache_graphs.name_graphs(answers, codes)
    return Result(
        run=replace(_run(recording, context.facts, info), ignored=ignored, unknown_ignores=unknown),
        findings=sorted(found, key=sort_key),
        compiles=compiled,
        passes=ran,
        unrun=left_out,
        code=codes,
        kernels=commented_kernels.with_commented(
            recording, context, codes, [*generated.kernels, *mapped_kernels.table(recording, context, codes)]
        ),
        eliminated=generated.eliminated,
        fusion=decided.fusion,
        cudagraphs=decided.cudagraphs,
        hints=decided.hints,
        triton=triton.table(recording, context),
        guards=guards.first_trees(recording, context),
        trees=guards.Trees(recording, context),
        symbols=symbols.all(),
        specializations=symbols.all_specializations(),
        versions=kept.table(),
        caches=answers,
        lines=by_line,
        logged=logged,
        missing=path_guess.missing(found, compiled, context.rules, recording.paths),
        coverage=coverage.table(context, went_through, compiled, every),
        profile=profiled,
        exports=exported,
        collectives=collectives.table(recording, context),
        restarts=torch_records.restarts(recording, context),
        shape_guards=torch_records.shape_guards(recording, context),
        links=torch_records.links(recording, context),
        ranks=ranks.compared(recording, context, compiled, answers),
        metrics_by_function=shares.by_function(),
        metrics_by_file=shares.by_file(),
        metrics=totals.metrics(recording, context, counted.all(), profiled),
    )


def context_of(recording: Recording) -> Context:
    """Return what the rules and the panels need to know of a recording."""
    compiles = compiling.Compiles(recording)
    facts, sources = load(recording, compiles)
    context = Context(facts, sources, Ranges(sources), FrameRules.of(facts), compiles, _names(facts, compiles))
    context = replace(context, lines=traced_lines.traced(recording, context, ()))
    facts.recompiles = nearest.marked(recording, context)
    return context


def _names(facts: Facts, compiles: compiling.Compiles) -> dict[int, str]:
    """Return what stands before compile ids of each process: nothing for the first that compiles (the lowest rank)."""
    numbers = {one.where.process for one in compiles}
    found = [process for process in facts.processes.values() if process.number in numbers]
    found.sort(key=lambda one: (one.rank or 0, one.number))
    names: dict[int, str] = {}
    for one in found[1:]:
        name = f"pid{one.pid}" if one.rank is None else f"rank{one.rank}"
        again = sum(known.partition("-")[0] == name for known in names.values())
        names[one.number] = f"{name}-{again + 1}" if again else name
    return {number: f"{name}:" for number, name in names.items()}


def _run(recording: Recording, facts: Facts, info: dict[str, Any]) -> Run:
    environments = [process.environment for process in facts.processes.values() if process.environment]
    first = environments[0] if environments else {}
    exit_code = info.get("exit_code") if info else _only_exit(facts)
    return Run(
        command=list(strings(info.get("command"))) or list(strings(first.get("argv"))),
        cwd=text(info.get("cwd")) or text(first.get("cwd")),
        python=text(info.get("python")) or text(first.get("python")),
        torch=facts.torch_version,
        exit_code=integer(exit_code),
        wall_s=number(info.get("wall_s")),
        recording=str(recording.path),
        depth=next((depth for depth in (info.get("depth"), first.get("depth")) if depth in DEPTHS), None),
        ranks=recording.ranks,
        unavailable=facts.unavailable,
        status=text(info.get("status")) or "finished",
        started=text(info.get("started")) or text(first.get("started")),
        damage=[{"file": one.log, "offset": one.offset, "problem": one.problem} for one in recording.damage],
        left_out=list(recording.left_out),
        disabled_by=text(first.get("disabled_by")),
        silent=not environments,
        stance=next((one.exit.stance for one in facts.processes.values() if one.exit and one.exit.stance), None),
        refused=facts.refused,
    )


def _only_exit(facts: Facts) -> int | None:
    exits = [process.exit for process in facts.processes.values() if process.exit is not None]
    return exits[0].exit_code if len(exits) == 1 else None
