"""All observers of a traced process, one for each layer of the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.tracer import recompiles, settings, structured
from compilescope.tracer.breaks import Breaks
from compilescope.tracer.frames import Frames

if TYPE_CHECKING:
    from compilescope.tracer.session import Session


def install(session: Session) -> None:
    """Install every hook; each takes effect when the program imports what it observes."""
    session.hooks.install()
    frames = Frames(session.sources)
    settings.install(session)
    Breaks(session, frames).install()
    recompiles.install(session, frames)
    structured.install(session)

    def describe() -> None:
        session.hooks.after_import("torch", lambda _torch: session.describe(), loses="the environment")

    session.at_start.append(describe)
