"""All observers of a traced process, one for each layer of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tracer import calls, dynamo, guards, recompiles, settings, structured
from compilescope.tracer.breaks import Breaks
from compilescope.tracer.frames import Frames
from compilescope.tracer.graphs import Graphs
from compilescope.tracer.inductor import Inductor
from compilescope.tracer.passes import Passes
from compilescope.tracer.stacktext import StackTexts

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
    stacks.install()
    Breaks(session, frames).install()
    recompiles.install(session, frames)
    guards.install(session, frames)
    dynamo.install(session, graphs)
    passes.install()
    inductor.install()
    calls.install(session, inductor)
    structured.install(session)

    def describe() -> None:
        session.hooks.after_import("torch", lambda _torch: session.describe(), loses="the environment")

    session.at_start.append(describe)
