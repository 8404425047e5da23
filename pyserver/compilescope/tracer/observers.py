"""All observers of a traced process, one for each layer of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tracer import caches, dynamo, guards, ranks, recompiles, settings, tracebacks
from compilescope.tracer.breaks import Breaks
from compilescope.tracer.calls import Calls
from compilescope.tracer.failures import Failures
from compilescope.tracer.frames import Frames
from compilescope.tracer.graphs import Graphs
from compilescope.tracer.inductor import Inductor
from compilescope.tracer.kernels import Kernels
from compilescope.tracer.passes import Passes
from compilescope.tracer.scheduler import Scheduler
from compilescope.tracer.stacktext import StackTexts
from compilescope.tracer.structured import Structured

if TYPE_CHECKING:
    from compilescope.tracer.session import Session


def install(session: Session) -> None:
    """Install every hook; each takes effect when the program imports what it observes."""
    session.hooks.install()
    frames = Frames(session.sources)
    stacks = StackTexts(session, frames, session.sources)
    graphs = Graphs(session, stacks)
    passes = Passes(session, graphs)
    inductor = Inductor(session, graphs, passes)
    settings.install(session)
    tracebacks.install(session)
    ranks.install(session)
    stacks.install()
    breaks = Breaks(session, frames)
    breaks.install()
    failures = Failures(session, frames, breaks, graphs)
    failures.install()
    recompiles.install(session, frames)
    guards.install(session, frames)
    dynamo.install(session, graphs)
    passes.install()
    inductor.install()
    scheduler = Scheduler(session, graphs, inductor)
    scheduler.install()
    Kernels(session, graphs, inductor, scheduler).install()
    Calls(session, inductor).install()
    structured = Structured(session)
    caches.install(session, structured, inductor)
    structured.install()
    session.at_failure.append(failures.ended)

    def describe() -> None:
        session.hooks.after_import("torch", lambda _torch: session.describe(), loses="the environment")

    session.at_start.append(describe)
