"""What a recording holds of a compile as torch wrote it: graphs, code, guards, metrics, each a text."""

from __future__ import annotations

from attrs import frozen


@frozen
class ArtifactsParams:
    """One compile of a recording."""

    recording: str
    compile_id: str


@frozen
class ArtifactInfo:
    """One text. `log` and `offset` are for `compilescope/eventText`; `attempt`: of a compile that began anew."""

    name: str
    attempt: str | None
    bytes: int
    log: str
    offset: int


@frozen
class ArtifactsResult:
    """The texts in the order in which they were written."""

    artifacts: list[ArtifactInfo]
