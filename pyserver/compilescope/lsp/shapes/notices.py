"""What the server says by itself."""

from __future__ import annotations

from attrs import frozen


@frozen
class RunsChanged:
    """The runs view and the panels should ask again for `recording`; for all when it is null."""

    recording: str | None


@frozen
class StatusChanged:
    """For the status bar: `state` is idle, starting, tracing; `text` is ready to show."""

    state: str
    text: str
    tooltip: str
    breaks: int
    recompiles: int
    skipped: int
    errors: int
    graphs: int


@frozen
class ProgramOutput:
    """A piece of what the user's program printed."""

    text: str
