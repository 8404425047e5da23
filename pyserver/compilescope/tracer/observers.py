"""All observers of a traced process, one for each layer of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tracer import caches, dynamo, guards, ranks, recompiles, settings, tracebacks
from compilescope.tracer.aot import Aot
from compilescope.tracer.artifact_logs import ArtifactLogs
from compilescope.tracer.autotune import Autotune
from compilescope.tracer.breaks import Breaks
from compilescope.tracer.calls import Calls
from compilescope.tracer.code_times import CodeTimes
from compilescope.tracer.cudagraphs import CudaGraphs
from compilescope.tracer.failures import Failures
from compilescope.tracer.frames import Frames
from compilescope.tracer.fusion import Fusion
from compilescope.tracer.graphs import Graphs
from compilescope.tracer.hints import Hints
from compilescope.tracer.inductor import Inductor
from compilescope.tracer.kernels import Kernels
from compilescope.tracer.log_names import LogNames
from compilescope.tracer.log_records import LogRecords
from compilescope.tracer.lowering import Lowering
from compilescope.tracer.matches import Matches
from compilescope.tracer.passes import Passes
from compilescope.tracer.positions import Positions
from compilescope.tracer.profiler import Profiler
from compilescope.tracer.schedule_passes import SchedulePasses
from compilescope.tracer.scheduler import Scheduler
from compilescope.tracer.stacktext import StackTexts
from compilescope.tracer.steps import Steps
from compilescope.tracer.structured import Structured
from compilescope.tracer.traced_lines import TracedLines
from compilescope.tracer.triton.candidates import Candidates
from compilescope.tracer.triton.preview import Preview
from compilescope.tracer.triton.recorded import Recorded
from compilescope.tracer.unrun import Unrun

if TYPE_CHECKING:
    from compilescope.tracer.session import Session


def install(session: Session) -> None:
    """Install every hook; each takes effect when the program imports what it observes."""
    session.hooks.install()
    positions = Positions(session)
    frames = Frames(session.sources, positions)
    stacks = StackTexts(frames, session.sources, positions)
    graphs = Graphs(session, stacks)
    steps = Steps(graphs)
    matches = Matches(session, stacks)
    passes = Passes(session, graphs, steps, matches)
    aot = Aot(session, graphs, steps, passes)
    inductor = Inductor(session, graphs, steps, passes)
    settings.install(session)
    tracebacks.install(session)
    ranks.install(session)
    positions.install()
    TracedLines(session, positions).install()
    LogNames(session, frames).install()
    LogRecords(session)
    breaks = Breaks(session, frames)
    breaks.install()
    failures = Failures(session, frames, breaks, graphs)
    failures.install()
    recompiles.install(session, frames)
    guards.install(session, frames)
    unrun = Unrun(session, graphs, steps, aot)
    dynamo.install(session, graphs, aot, unrun)
    passes.install()
    matches.install()
    aot.install()
    inductor.install()
    _observe_code(session, graphs, steps, inductor, stacks)
    structured = Structured(session)
    caches.install(session, structured, inductor)
    unrun.watch(inductor, passes, structured)
    structured.install()
    session.at_failure.append(failures.ended)

    def describe() -> None:
        session.hooks.after_import("torch", lambda _torch: session.describe(), loses="the environment")

    def try_out() -> None:
        if session.trial is not None:
            from compilescope.tracer import trial

            trial.install(session, session.trial)

    session.at_start.extend((describe, try_out))


def _observe_code(session: Session, graphs: Graphs, steps: Steps, inductor: Inductor, stacks: StackTexts) -> None:
    """What becomes of graphs after the last pass: the schedule, kernels and their calls."""
    lowering = Lowering(session, graphs, inductor)
    lowering.install()
    scheduler = Scheduler(session, graphs, steps, lowering)
    scheduler.install()
    SchedulePasses(session, scheduler).install()
    Kernels(session, graphs, lowering).install()
    CodeTimes(session, graphs, lowering).install()
    candidates = Candidates(session, graphs)
    Autotune(session, graphs, lowering, candidates).install()
    CudaGraphs(session, inductor).install()
    logs = ArtifactLogs(session)
    logs.install()
    Hints(session, inductor, stacks).install(logs)
    Fusion(session, graphs, lowering).install(logs)
    Calls(session, inductor).install()
    Profiler(session, inductor)
    Preview(session, inductor)
    Recorded(session, graphs, inductor, candidates).install()
