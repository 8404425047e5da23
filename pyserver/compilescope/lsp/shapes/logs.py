"""torch's logs: what can be recorded, and what was."""

from __future__ import annotations

from attrs import field, frozen, validators

from compilescope.lsp.shapes.running import Problem


@frozen
class LogNamesParams:
    """Which logs torch has, for a run in `cwd` with `python`; null for the server's own choice."""

    python: str | None = None
    cwd: str | None = None


@frozen
class LogNameInfo:
    """One name for `TraceParams.logs`. `kind`: component (which has levels) or artifact.

    `off_by_default`: an artifact that no level of its component brings.
    """

    name: str
    kind: str
    description: str
    off_by_default: bool


@frozen
class LogNamesResult:
    """All names that this torch has. `problem`: why they can't be asked for."""

    torch: str | None
    names: list[LogNameInfo]
    problem: Problem | None


@frozen
class LogCountsParams:
    """What one run recorded of torch's logs."""

    recording: str


@frozen
class LogLevelInfo:
    """What setting a log to this level would print, higher levels included. `size`: `bytes` in words, `52.8 KB`."""

    level: str
    records: int
    bytes: int
    size: str


@frozen
class LogCountInfo:
    """How much of one log there is. `recorded_from`: its lowest level that was asked for; null when not known.

    `levels`: from the lowest that was recorded to the highest.
    """

    name: str
    component: str
    kind: str
    recorded_from: str | None
    levels: list[LogLevelInfo]


@frozen
class LogCountsResult:
    """The log with most bytes first. `dropped`: records that were only counted."""

    logs: list[LogCountInfo]
    dropped: int


@frozen
class LogTextParams:
    """The records of some logs, components or artifacts, from a level on; of all logs without names."""

    recording: str
    names: list[str] = field(factory=list)
    level: str = field(default="DEBUG", validator=validators.in_(("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")))


@frozen
class LogTextResult:
    """The records as text in the order in which they were made."""

    text: str
