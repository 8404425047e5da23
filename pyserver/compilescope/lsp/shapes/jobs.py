"""Several jobs or recordings in one folder, to choose from."""

from __future__ import annotations

from attrs import frozen


@frozen
class JobsParams:
    """A folder, as its path or URI."""

    path: str


@frozen
class JobInfo:
    """One of them. `recording`: what to open; `title`: what was run, or `Job 2`; `words`: when, ranks, torch, size.

    `started`: null where it is not known.
    """

    recording: str
    title: str
    words: str
    started: str | None


@frozen
class JobsResult:
    """What is in the folder, the newest first; empty unless there are several to choose from."""

    jobs: list[JobInfo]
